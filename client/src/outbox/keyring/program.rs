//! A keyring that is asked through the system's own program: `secret-tool` (Secret Service) on
//! Linux, `security` (Keychain) on macOS. The key travels through pipes, never through arguments.

use std::{
    fmt::Write as _,
    path::Path,
    process::{Output, Stdio},
    time::Duration,
};

use tokio::{io::AsyncWriteExt as _, process::Command};

use super::{ACCOUNT, Found, SERVICE};

/// How long the keyring may take; one that asks the user to unlock it takes longer.
const PATIENCE: Duration = Duration::from_secs(3);

const IS_MACOS: bool = cfg!(target_os = "macos");
/// What `security` ends with where it has no such item: `errSecItemNotFound`, cut to a byte.
const NO_SUCH_ITEM: i32 = 44;

/// The system's program.
#[cfg(not(windows))]
pub(super) const OF_SYSTEM: &str = if IS_MACOS { "security" } else { "secret-tool" };

/// Asks for the key.
pub(super) async fn lookup(program: &Path) -> Found {
    let args: &[&str] = match IS_MACOS {
        true => &["find-generic-password", "-s", SERVICE, "-a", ACCOUNT, "-w"],
        false => &["lookup", "service", SERVICE, "account", ACCOUNT],
    };
    let Some(output) = ask(program, args, "").await else {
        return Found::Unknown;
    };
    if is_absence(&output) {
        return Found::Nothing;
    }
    let said = String::from_utf8(output.stdout).unwrap_or_default();
    match output.status.success() {
        true => Found::read(&said),
        false => Found::Unknown,
    }
}

/// Has the key stored; none when that failed.
pub(super) async fn store(program: &Path, key: &str) -> Option<()> {
    let output = match IS_MACOS {
        true => {
            let mut line = String::new();
            // `-i` reads its command from standard input, which nobody else sees.
            writeln!(
                line,
                "add-generic-password -U -s {SERVICE} -a {ACCOUNT} -w {key}"
            )
            .ok()?;
            ask(program, &["-i"], &line).await?
        }
        false => {
            let label = "--label=RecallKit outbox";
            let args = ["store", label, "service", SERVICE, "account", ACCOUNT];
            ask(program, &args, key).await?
        }
    };
    output.status.success().then_some(())
}

/// Runs the keyring's program; none when it is missing or takes too long.
async fn ask(program: &Path, args: &[&str], input: &str) -> Option<Output> {
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take()?;
    let asking = async {
        // A program that does not read its input says what it has to say all the same.
        let _ = stdin.write_all(input.as_bytes()).await;
        drop(stdin);
        child.wait_with_output().await.ok()
    };
    tokio::time::timeout(PATIENCE, asking).await.ok().flatten()
}

/// Says whether the keyring answered that it has no such key. `secret-tool` ends with 1 after
/// errors too, and only then says something.
fn is_absence(output: &Output) -> bool {
    match IS_MACOS {
        true => output.status.code() == Some(NO_SUCH_ITEM),
        false => output.status.code() == Some(1) && output.stderr.trim_ascii().is_empty(),
    }
}
