//! The key of the outbox in the system's keyring.
//!
//! A keyring that is locked, slow or broken may still contain a key. Because a new key replaces the old one,
//! it is stored only if there is certainly none.

use std::path::Path;

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD as BASE64};
use ring::rand::{SecureRandom as _, SystemRandom};

use super::{
    key::{KEY_BYTES, Key},
    lock,
};
use crate::keyring::{self, Stored};

const ACCOUNT: &str = "outbox";
const LABEL: &str = "RecallKit outbox";

/// The user's keyring.
#[derive(Debug)]
pub(super) struct Keyring(keyring::Keyring);

/// The keyring's answer to a lookup of the key.
enum Lookup {
    Key(Box<Key>),
    /// It has no key.
    Nothing,
    /// It did not answer, or its entry is not a key.
    Unknown,
}

impl Keyring {
    /// Returns the system's keyring.
    pub(super) fn of_system() -> Self {
        Self(keyring::Keyring::of_system(ACCOUNT, LABEL))
    }

    /// Returns the keyring that is accessed through this program.
    #[cfg(test)]
    pub(super) fn through_program(program: impl Into<std::path::PathBuf>) -> Self {
        Self(keyring::Keyring::of_system(ACCOUNT, LABEL).through_program(program))
    }

    /// Reads the user's key; `None` if there is none, or it cannot be read now.
    pub(super) async fn stored(&self) -> Option<Key> {
        match self.lookup().await {
            Lookup::Key(key) => Some(*key),
            Lookup::Nothing | Lookup::Unknown => None,
        }
    }

    /// Reads the user's key, or creates the first one if there is none and no file is encrypted. A lock in
    /// the folder ensures that only one process creates it.
    pub(super) async fn stored_or_new(
        &self,
        folder: &Path,
        has_sealed: impl Fn() -> bool,
    ) -> Option<Key> {
        match self.lookup().await {
            Lookup::Key(key) => return Some(*key),
            Lookup::Unknown => return None,
            Lookup::Nothing => {}
        }
        let folder = folder.to_owned();
        let locking = tokio::task::spawn_blocking(move || lock::lock_for_new_key(&folder));
        let _lock = locking.await.ok()?.ok()?;
        match self.lookup().await {
            Lookup::Key(key) => return Some(*key),
            Lookup::Unknown => return None,
            // The key was in another keyring than the current one, which may come back.
            Lookup::Nothing if has_sealed() => return None,
            Lookup::Nothing => {}
        }
        let mut bytes = [0; KEY_BYTES];
        SystemRandom::new().fill(&mut bytes).ok()?;
        self.0.store(BASE64.encode(bytes)).await?;
        // Reads it back: if the keyring had not stored it, the files encrypted with it would be lost.
        self.stored().await
    }

    async fn lookup(&self) -> Lookup {
        match self.0.lookup().await {
            Stored::Secret(stored) => {
                let key = BASE64.decode(stored.trim()).ok();
                let key = key.and_then(|bytes| Key::new(&bytes));
                key.map_or(Lookup::Unknown, |key| Lookup::Key(Box::new(key)))
            }
            Stored::Nothing => Lookup::Nothing,
            Stored::Unknown => Lookup::Unknown,
        }
    }
}
