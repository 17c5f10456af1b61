//! Where the key of kept experiences lies: the system's keyring.
//!
//! The keyring is asked through the system's own program: `secret-tool` (Secret Service) on Linux,
//! `security` (Keychain) on macOS. The key travels through pipes, never through arguments. A
//! keyring that is locked, slow or broken may hold a key all the same: a new one is stored only
//! where there surely is none, since it takes the old one's place.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    process::{Output, Stdio},
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD as BASE64};
use ring::rand::{SecureRandom as _, SystemRandom};
use tokio::{io::AsyncWriteExt as _, process::Command};

use super::{
    key::{KEY_BYTES, Key},
    lock,
};

/// How long the keyring may take; one that asks the user to unlock it takes longer.
const PATIENCE: Duration = Duration::from_secs(3);

const SERVICE: &str = "recall-kit";
const ACCOUNT: &str = "outbox";
/// What `security` ends with where it has no such item: `errSecItemNotFound`, cut to a byte.
const NO_SUCH_ITEM: i32 = 44;

/// The way to the user's keyring.
#[derive(Debug)]
pub(super) struct Keyring {
    program: PathBuf,
}

/// What the keyring says when it is asked for the key.
enum Found {
    Key(Box<Key>),
    /// It answered, and has none.
    Nothing,
    /// It is missing, locked, slow or broken, or what it has is no key.
    Unknown,
}

impl Keyring {
    /// Returns the system's own.
    pub(super) fn of_system() -> Self {
        Self::asked_through(match std::env::consts::OS {
            "macos" => "security",
            _ => "secret-tool",
        })
    }

    /// Returns the one that this program speaks for.
    pub(super) fn asked_through(program: impl Into<PathBuf>) -> Self {
        let program = program.into();
        Self { program }
    }

    /// Fetches the user's key; none where there is none, or it cannot be had now.
    pub(super) async fn stored(&self) -> Option<Key> {
        match self.lookup().await {
            Found::Key(key) => Some(*key),
            Found::Nothing | Found::Unknown => None,
        }
    }

    /// Fetches the user's key, and makes the first one where there is none and nothing was sealed.
    /// The folder is where processes agree on who makes it.
    pub(super) async fn stored_or_new(
        &self,
        folder: &Path,
        has_sealed: impl Fn() -> bool,
    ) -> Option<Key> {
        match self.lookup().await {
            Found::Key(key) => return Some(*key),
            Found::Unknown => return None,
            Found::Nothing => {}
        }
        let folder = folder.to_owned();
        let making = tokio::task::spawn_blocking(move || lock::wait_to_make_key(&folder));
        let _alone = making.await.ok()?.ok()?;
        match self.lookup().await {
            Found::Key(key) => return Some(*key),
            Found::Unknown => return None,
            // Its key lay in a keyring that is not the one of now, and may come back.
            Found::Nothing if has_sealed() => return None,
            Found::Nothing => {}
        }
        let mut bytes = [0; KEY_BYTES];
        SystemRandom::new().fill(&mut bytes).ok()?;
        self.store(&BASE64.encode(bytes)).await?;
        // A keyring that did not take it would lose what is sealed with it.
        self.stored().await
    }

    async fn lookup(&self) -> Found {
        let args: &[&str] = match std::env::consts::OS {
            "macos" => &["find-generic-password", "-s", SERVICE, "-a", ACCOUNT, "-w"],
            _ => &["lookup", "service", SERVICE, "account", ACCOUNT],
        };
        let Some(output) = self.ask(args, "").await else {
            return Found::Unknown;
        };
        if is_absence(&output) {
            return Found::Nothing;
        }
        let said = String::from_utf8(output.stdout).unwrap_or_default();
        let bytes = BASE64.decode(said.trim()).ok();
        let key = bytes.filter(|_| output.status.success());
        key.and_then(|bytes| Key::new(&bytes))
            .map_or(Found::Unknown, |key| Found::Key(Box::new(key)))
    }

    /// Puts the key into the keyring; none when that failed.
    async fn store(&self, key: &str) -> Option<()> {
        let output = match std::env::consts::OS {
            "macos" => {
                let mut line = String::new();
                // `-i` reads its command from standard input, which nobody else sees.
                writeln!(
                    line,
                    "add-generic-password -U -s {SERVICE} -a {ACCOUNT} -w {key}"
                )
                .ok()?;
                self.ask(&["-i"], &line).await?
            }
            _ => {
                let label = "--label=RecallKit outbox";
                let args = ["store", label, "service", SERVICE, "account", ACCOUNT];
                self.ask(&args, key).await?
            }
        };
        output.status.success().then_some(())
    }

    /// Runs the keyring's program; none when it is missing or takes too long.
    async fn ask(&self, args: &[&str], input: &str) -> Option<Output> {
        let mut child = Command::new(&self.program)
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
}

/// Says whether the keyring answered that it has no such key. `secret-tool` ends with 1 after
/// errors too, and only then says something.
fn is_absence(output: &Output) -> bool {
    match std::env::consts::OS {
        "macos" => output.status.code() == Some(NO_SUCH_ITEM),
        _ => output.status.code() == Some(1) && output.stderr.trim_ascii().is_empty(),
    }
}
