//! The system's keyring, which stores the key of the outbox.
//!
//! A keyring that is locked, slow or broken may still contain a key. Because a new key replaces the old one,
//! it is stored only if there is certainly none. The modules below access each system's keyring.

#[cfg(windows)]
mod credentials;
#[cfg(any(test, not(windows)))]
mod program;

use std::path::Path;
#[cfg(any(test, not(windows)))]
use std::path::PathBuf;

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD as BASE64};
use ring::rand::{SecureRandom as _, SystemRandom};

use super::{
    key::{KEY_BYTES, Key},
    lock,
};

const SERVICE: &str = "recall-kit";
const ACCOUNT: &str = "outbox";

/// The user's keyring.
#[derive(Debug)]
pub(super) struct Keyring(Access);

/// How the keyring is accessed.
#[derive(Debug)]
enum Access {
    /// The system's own program: `secret-tool` or `security`.
    #[cfg(any(test, not(windows)))]
    Program(PathBuf),
    /// The Credential Manager of Windows.
    #[cfg(windows)]
    Credentials,
}

/// The keyring's answer to a lookup of the key.
enum Lookup {
    Key(Box<Key>),
    /// It has no key.
    Nothing,
    /// It is missing, locked, slow or broken, or its entry is not a key.
    Unknown,
}

impl Lookup {
    /// Parses a key as it is stored.
    fn read(stored: &str) -> Self {
        let key = BASE64.decode(stored.trim()).ok();
        let key = key.and_then(|bytes| Key::new(&bytes));
        key.map_or(Self::Unknown, |key| Self::Key(Box::new(key)))
    }
}

impl Keyring {
    /// Returns the system's keyring.
    pub(super) fn of_system() -> Self {
        #[cfg(windows)]
        return Self(Access::Credentials);
        #[cfg(not(windows))]
        Self::through_program(program::OF_SYSTEM)
    }

    /// Returns the keyring that is accessed through this program.
    #[cfg(any(test, not(windows)))]
    pub(super) fn through_program(program: impl Into<PathBuf>) -> Self {
        Self(Access::Program(program.into()))
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
        self.store(BASE64.encode(bytes)).await?;
        // Reads it back: if the keyring had not stored it, the files encrypted with it would be lost.
        self.stored().await
    }

    async fn lookup(&self) -> Lookup {
        match &self.0 {
            #[cfg(any(test, not(windows)))]
            Access::Program(program) => program::lookup(program).await,
            #[cfg(windows)]
            Access::Credentials => credentials::lookup().await,
        }
    }

    /// Stores the key in the keyring; `None` if that failed.
    async fn store(&self, key: String) -> Option<()> {
        match &self.0 {
            #[cfg(any(test, not(windows)))]
            Access::Program(program) => program::store(program, &key).await,
            #[cfg(windows)]
            Access::Credentials => credentials::store(key).await,
        }
    }
}
