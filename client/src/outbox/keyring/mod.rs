//! Where the key of kept experiences lies: the system's keyring.
//!
//! A keyring that is locked, slow or broken may hold a key all the same: a new one is stored only
//! where there surely is none, since it takes the old one's place. How each system's keyring is
//! asked is the matter of the modules below.

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

/// The way to the user's keyring.
#[derive(Debug)]
pub(super) struct Keyring(Way);

#[derive(Debug)]
enum Way {
    /// The system's own program: `secret-tool` or `security`.
    #[cfg(any(test, not(windows)))]
    Program(PathBuf),
    /// The Credential Manager of Windows.
    #[cfg(windows)]
    Credentials,
}

/// What the keyring says when it is asked for the key.
enum Found {
    Key(Box<Key>),
    /// It answered, and has none.
    Nothing,
    /// It is missing, locked, slow or broken, or what it has is no key.
    Unknown,
}

impl Found {
    /// Reads a key as it is stored.
    fn read(stored: &str) -> Self {
        let key = BASE64.decode(stored.trim()).ok();
        let key = key.and_then(|bytes| Key::new(&bytes));
        key.map_or(Self::Unknown, |key| Self::Key(Box::new(key)))
    }
}

impl Keyring {
    /// Returns the system's own.
    pub(super) fn of_system() -> Self {
        #[cfg(windows)]
        return Self(Way::Credentials);
        #[cfg(not(windows))]
        Self::asked_through(program::OF_SYSTEM)
    }

    /// Returns the one that this program speaks for.
    #[cfg(any(test, not(windows)))]
    pub(super) fn asked_through(program: impl Into<PathBuf>) -> Self {
        Self(Way::Program(program.into()))
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
        self.store(BASE64.encode(bytes)).await?;
        // A keyring that did not take it would lose what is sealed with it.
        self.stored().await
    }

    async fn lookup(&self) -> Found {
        match &self.0 {
            #[cfg(any(test, not(windows)))]
            Way::Program(program) => program::lookup(program).await,
            #[cfg(windows)]
            Way::Credentials => credentials::lookup().await,
        }
    }

    /// Puts the key into the keyring; none when that failed.
    async fn store(&self, key: String) -> Option<()> {
        match &self.0 {
            #[cfg(any(test, not(windows)))]
            Way::Program(program) => program::store(program, &key).await,
            #[cfg(windows)]
            Way::Credentials => credentials::store(key).await,
        }
    }
}
