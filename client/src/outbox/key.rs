//! The key that kept experiences are sealed with, from the system's keyring.
//!
//! The keyring is asked through the system's own program: `secret-tool` (Secret Service) on Linux,
//! `security` (Keychain) on macOS. The key travels through pipes, never through arguments. Where
//! there is no such program, or the keyring does not answer, there is no key.

use std::{fmt::Write as _, path::Path, process::Stdio, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD as BASE64};
use ring::{
    aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    rand::{SecureRandom as _, SystemRandom},
};
use tokio::{io::AsyncWriteExt as _, process::Command};
use uuid::Uuid;

use super::lock;

/// What a sealed file begins with; JSON begins otherwise.
const MARK: &[u8] = b"recall-kit sealed 1\n";
/// How long the keyring may take; one that asks the user to unlock it takes longer.
const PATIENCE: Duration = Duration::from_secs(3);
const KEY_BYTES: usize = 32;

const SERVICE: &str = "recall-kit";
const ACCOUNT: &str = "outbox";

/// Seals and opens files.
pub(super) struct Key(LessSafeKey);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(redacted)")
    }
}

/// Says whether a file was sealed.
pub(super) fn is_sealed(bytes: &[u8]) -> bool {
    bytes.starts_with(MARK)
}

impl Key {
    /// Fetches the user's key from the keyring; none where there is none yet either.
    pub(super) async fn stored() -> Option<Self> {
        lookup().await.flatten()
    }

    /// Fetches the user's key, and makes the first one. The folder is where processes agree on who
    /// makes it.
    pub(super) async fn stored_or_new(folder: &Path) -> Option<Self> {
        if let Some(key) = lookup().await {
            return key;
        }
        let folder = folder.to_owned();
        let making = tokio::task::spawn_blocking(move || lock::wait_to_make_key(&folder));
        let _alone = making.await.ok()?.ok()?;
        if let Some(key) = lookup().await {
            return key;
        }
        let mut bytes = [0; KEY_BYTES];
        SystemRandom::new().fill(&mut bytes).ok()?;
        store(&BASE64.encode(bytes)).await?;
        // A keyring that did not take it would lose what is sealed with it.
        lookup().await.flatten()
    }

    pub(super) fn new(bytes: &[u8]) -> Option<Self> {
        let key = UnboundKey::new(&CHACHA20_POLY1305, bytes).ok()?;
        Some(Self(LessSafeKey::new(key)))
    }

    /// Encrypts a file, bound to its id.
    pub(super) fn seal(&self, plain: &[u8], id: Uuid) -> Option<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).ok()?;
        let mut sealed = plain.to_vec();
        let unique = Nonce::assume_unique_for_key(nonce);
        let bound = Aad::from(id.into_bytes());
        self.0
            .seal_in_place_append_tag(unique, bound, &mut sealed)
            .ok()?;
        Some([MARK, &nonce, &sealed].concat())
    }

    /// Decrypts a file; none when it is damaged, another id's or another key's.
    pub(super) fn open(&self, bytes: &[u8], id: Uuid) -> Option<Vec<u8>> {
        let (nonce, sealed) = bytes.strip_prefix(MARK)?.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut sealed = sealed.to_vec();
        let bound = Aad::from(id.into_bytes());
        let plain = self.0.open_in_place(nonce, bound, &mut sealed).ok()?;
        Some(plain.to_vec())
    }
}

/// Asks for the key: none when the keyring has none or does not answer, none inside when what it
/// has is no key.
async fn lookup() -> Option<Option<Key>> {
    let said = match std::env::consts::OS {
        "macos" => {
            let args = ["find-generic-password", "-s", SERVICE, "-a", ACCOUNT, "-w"];
            ask("security", &args, "").await?
        }
        _ => {
            let args = ["lookup", "service", SERVICE, "account", ACCOUNT];
            ask("secret-tool", &args, "").await?
        }
    };
    let said = said.trim();
    if said.is_empty() {
        return None;
    }
    Some(BASE64.decode(said).ok().and_then(|bytes| Key::new(&bytes)))
}

/// Puts the key into the keyring.
async fn store(key: &str) -> Option<()> {
    match std::env::consts::OS {
        "macos" => {
            let mut line = String::new();
            // `-i` reads its command from standard input, which nobody else sees.
            writeln!(
                line,
                "add-generic-password -U -s {SERVICE} -a {ACCOUNT} -w {key}"
            )
            .ok()?;
            ask("security", &["-i"], &line).await?;
        }
        _ => {
            let label = "--label=RecallKit outbox";
            let args = ["store", label, "service", SERVICE, "account", ACCOUNT];
            ask("secret-tool", &args, key).await?;
        }
    }
    Some(())
}

/// Runs the keyring's program and returns what it printed; none when it is missing, fails or takes
/// too long.
async fn ask(program: &str, args: &[&str], input: &str) -> Option<String> {
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
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
    let output = tokio::time::timeout(PATIENCE, asking).await.ok().flatten();
    let output = output.filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}
