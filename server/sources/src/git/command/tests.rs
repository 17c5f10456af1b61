//! Runs of git that must be ended.

#![allow(clippy::unwrap_used)]

use std::{fs, os::unix::fs::PermissionsExt as _, time::Duration};

use super::{Git, Task, one_line, version};
use crate::{SourceOptions, tests::error_text};

#[test]
fn versions_are_read() {
    assert_eq!(version("2.47.3"), Some((2, 47)));
    assert_eq!(version("2.37.1.windows.1"), Some((2, 37)));
    assert_eq!(version("version"), None);
    assert!(version("2.9.0") < Some(super::OLDEST));
}

#[test]
fn messages_of_git_are_shown_on_one_line() {
    assert_eq!(
        one_line("fatal: a\u{1b}[2J\n\n  b\n"),
        "fatal: a\\u{1b}[2J; b"
    );
    assert_eq!(one_line("\n"), "it gave no reason");
    assert!(one_line(&"é".repeat(9_000)).chars().count() <= super::MAX_SHOWN + 2);
}

#[test]
fn a_missing_or_old_git_is_reported() {
    let home = tempfile::tempdir().unwrap();
    let check = |program: &str, expected: &str| {
        let git = Git {
            program: program.into(),
            ..Git::find(home.path(), &SourceOptions::default()).unwrap()
        };
        assert_eq!(error_text(git.checked()), expected);
    };
    check(
        "/nowhere/git",
        "the git program is needed for this source and was not found; install git 2.37 or newer",
    );
    let old = home.path().join("git");
    fs::write(&old, "#!/bin/sh\necho git version 2.36.6").unwrap();
    fs::set_permissions(&old, fs::Permissions::from_mode(0o700)).unwrap();
    check(
        old.to_str().unwrap(),
        "git 2.36.6 is too old for this source; install git 2.37 or newer",
    );
}

#[test]
fn an_endless_run_is_ended() {
    let home = tempfile::tempdir().unwrap();
    let mut git = Git::find(home.path(), &SourceOptions::default()).unwrap();
    // An alias can run any program: here one that waits, and whose child waits, too.
    let mut task = Task::new("wait", home.path());
    task.setting("alias.wait", "!sleep 600 | sleep 600");
    task.arguments(&["wait"]);
    git.timeout = Duration::ZERO;
    let message = error_text(git.text(&task));
    assert_eq!(
        message,
        "waiting for git to wait took longer than 0 seconds"
    );
    git.timeout = Duration::from_secs(600);
    git.download_bytes = 3;
    fs::write(home.path().join("pack"), "long").unwrap();
    let message = error_text(git.text(&task));
    assert_eq!(
        message,
        "the source has more than 3 bytes to fetch; give a part of it"
    );
    git.stop.cancel();
    assert_eq!(error_text(git.text(&task)), "reading was cancelled");
}
