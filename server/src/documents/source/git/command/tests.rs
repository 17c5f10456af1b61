//! Runs of git that have to be ended.

#![allow(clippy::unwrap_used)]

use std::{fs, time::Duration};

use super::{Git, Task, shown, version};
use crate::documents::source::{Limits, tests::words};

#[test]
fn versions_are_read() {
    assert_eq!(version("2.47.3"), Some((2, 47)));
    assert_eq!(version("2.37.1.windows.1"), Some((2, 37)));
    assert_eq!(version("version"), None);
    assert!(version("2.9.0") < Some(super::OLDEST));
}

#[test]
fn what_git_says_is_shown_in_one_line() {
    assert_eq!(shown("fatal: a\u{1b}[2J\n\n  b\n"), "fatal: a\\u{1b}[2J; b");
    assert_eq!(shown("\n"), "it gave no reason");
    assert!(shown(&"é".repeat(9_000)).chars().count() <= super::MAX_SHOWN + 2);
}

#[test]
fn a_run_without_end_is_ended() {
    let home = tempfile::tempdir().unwrap();
    let mut git = Git::find(home.path(), &Limits::default()).unwrap();
    // An alias may run any program: here one that waits, and whose child waits too.
    let mut task = Task::new("wait", home.path());
    task.setting("alias.wait", "!sleep 600 | sleep 600");
    task.arguments(&["wait"]);
    git.timeout = Duration::ZERO;
    let said = words(git.text(&task));
    assert_eq!(said, "waiting for git to wait took longer than 0 seconds");
    git.timeout = Duration::from_secs(600);
    git.download_bytes = 3;
    fs::write(home.path().join("pack"), "long").unwrap();
    let said = words(git.text(&task));
    assert_eq!(
        said,
        "the source has more than 3 bytes to fetch; give a part of it"
    );
}
