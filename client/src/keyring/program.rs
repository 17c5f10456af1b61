//! A keyring that is accessed through the system's own program: `secret-tool` (Secret Service) on Linux,
//! `security` (Keychain) on macOS. The secret is passed through pipes, never in arguments.

use std::{
    fmt::Write as _,
    path::Path,
    process::{Output, Stdio},
    time::Duration,
};

use tokio::{io::AsyncWriteExt as _, process::Command};

use super::{Item, SERVICE, Stored};

/// How long the keyring may take; a keyring that asks the user to unlock it takes longer and is given up.
const TIMEOUT: Duration = Duration::from_secs(3);

const IS_MACOS: bool = cfg!(target_os = "macos");
/// The exit code of `security` if it has no such item: `errSecItemNotFound`, cut to a byte.
const NO_SUCH_ITEM: i32 = 44;

/// The system's program.
#[cfg(not(windows))]
pub(super) const OF_SYSTEM: &str = if IS_MACOS { "security" } else { "secret-tool" };

/// Reads the secret.
pub(super) async fn lookup(program: &Path, item: &Item) -> Stored {
    let account = item.account.as_str();
    let args: &[&str] = match IS_MACOS {
        true => &["find-generic-password", "-s", SERVICE, "-a", account, "-w"],
        false => &["lookup", "service", SERVICE, "account", account],
    };
    let Some(output) = run(program, args, "").await else {
        return Stored::Unknown;
    };
    if is_absence(&output) {
        return Stored::Nothing;
    }
    let stored = String::from_utf8(output.stdout).unwrap_or_default();
    match output.status.success() {
        true => Stored::Secret(stored),
        false => Stored::Unknown,
    }
}

/// Stores the secret; `None` if that failed.
pub(super) async fn store(program: &Path, item: &Item, secret: &str) -> Option<()> {
    let account = item.account.as_str();
    let output = match IS_MACOS {
        true => {
            let mut line = String::new();
            // `-i` reads the command from standard input, which other users cannot see.
            writeln!(
                line,
                "add-generic-password -U -s {SERVICE} -a {account} -w {secret}"
            )
            .ok()?;
            run(program, &["-i"], &line).await?
        }
        false => {
            let label = format!("--label={}", item.label);
            let args = ["store", &label, "service", SERVICE, "account", account];
            run(program, &args, secret).await?
        }
    };
    output.status.success().then_some(())
}

/// Removes the secret, if the keyring does it.
pub(super) async fn remove(program: &Path, item: &Item) {
    let account = item.account.as_str();
    let args: &[&str] = match IS_MACOS {
        true => &["delete-generic-password", "-s", SERVICE, "-a", account],
        false => &["clear", "service", SERVICE, "account", account],
    };
    run(program, args, "").await;
}

/// Runs the keyring's program; `None` if it is missing or takes too long.
async fn run(program: &Path, args: &[&str], input: &str) -> Option<Output> {
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    let running = async {
        // A program that does not read its input may still give a valid answer.
        let _ = stdin.write_all(input.as_bytes()).await;
        drop(stdin);
        child.wait_with_output().await.ok()
    };
    tokio::time::timeout(TIMEOUT, running).await.ok().flatten()
}

/// Returns whether the keyring answered that it has no such secret. `secret-tool` also exits with 1 after
/// errors, but only then it writes to stderr.
fn is_absence(output: &Output) -> bool {
    match IS_MACOS {
        true => output.status.code() == Some(NO_SUCH_ITEM),
        false => output.status.code() == Some(1) && output.stderr.trim_ascii().is_empty(),
    }
}
