//! The API keys of servers that require one.
//!
//! A key is in the system's keyring. Where no keyring answers, it is in a file that only the user may read. The
//! same file lists which servers have a key, so that the keyring is asked only for those.

#[cfg(test)]
mod tests;

use std::{
    collections::BTreeMap,
    fmt, fs,
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

use reqwest::Url;
use serde::{Deserialize, Serialize};

use crate::{
    config::{ApiKey, ServerUrl, make_folder},
    keyring::{Keyring, Stored},
};

/// The file's name in the user's configuration folder.
const FILE_NAME: &str = "server-keys.json";
/// The name of the file beside it that is locked while a key is added or removed.
const LOCK_NAME: &str = "server-keys.lock";
const VERSION: u32 = 1;
/// The maximum number of bytes that are read.
const MAX_BYTES: u64 = 1 << 20;
/// The maximum length of a key.
const MAX_KEY: usize = 512;

/// Where the user's API keys of servers are stored.
#[derive(Debug, Clone)]
pub struct ServerKeys {
    path: PathBuf,
    #[cfg(test)]
    keyring: PathBuf,
}

/// What the user can do about a file of keys that cannot be used.
pub const KEYS_HINT: &str = "correct the file, or move it away and store each key again: \
    `recall-kit-client keys set --server URL`, or `init`";

/// Why the stored keys cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot read the keys of servers in {}: {cause}", path.display())]
pub struct KeysError {
    path: PathBuf,
    // Not its source, which reports would repeat.
    cause: io::Error,
}

/// The kind of place that a key is stored in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// The system's keyring.
    Keyring,
    /// The file, which only the user may read.
    File,
}

impl KeyKind {
    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Keyring => "keyring",
            Self::File => "file",
        }
    }
}

/// Where a key was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyPlace {
    /// The system's keyring.
    Keyring,
    /// This file, which only the user may read.
    File(PathBuf),
}

impl KeyPlace {
    /// Returns the kind of the place.
    pub fn kind(&self) -> KeyKind {
        match self {
            Self::Keyring => KeyKind::Keyring,
            Self::File(_) => KeyKind::File,
        }
    }
}

/// What became of a key that was to be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemovedKey {
    /// The server has no stored key.
    Nothing,
    /// It was removed from here.
    From(KeyKind),
    /// The keyring does not answer or did not remove it, so it is still stored.
    KeptByKeyring,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Content {
    version: u32,
    /// By scheme, host and port.
    servers: BTreeMap<String, Entry>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Entry {
    Keyring,
    Key(String),
}

/// Does not show the key.
impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Keyring => "Keyring",
            Self::Key(_) => "Key(redacted)",
        })
    }
}

impl ServerKeys {
    /// Returns the user's own keys; `None` if the platform has no folder for configurations.
    pub fn of_user() -> Option<Self> {
        let dirs = directories::ProjectDirs::from("", "", "recall-kit")?;
        Some(Self {
            path: dirs.config_dir().join(FILE_NAME),
            #[cfg(test)]
            keyring: PathBuf::from("no such program"),
        })
    }

    /// Returns the key of a server; `None` if there is none, or the keyring does not return it now. It belongs to the
    /// scheme, the host and the port of the URL, so that it is sent nowhere else.
    ///
    /// *Errors*: [`KeysError`] if the file of keys is damaged or cannot be read.
    pub async fn find(&self, server: &ServerUrl) -> Result<Option<ApiKey>, KeysError> {
        let Some(origin) = origin(server) else {
            return Ok(None);
        };
        let content = self.read().map_err(|cause| self.unreadable(cause))?;
        match content.servers.get(&origin) {
            None => Ok(None),
            Some(Entry::Key(key)) => Ok(Some(ApiKey::new(key))),
            Some(Entry::Keyring) => match self.keyring(&origin).lookup().await {
                Stored::Secret(key) => Ok(Some(ApiKey::new(key.trim()))),
                Stored::Nothing | Stored::Unknown => {
                    tracing::warn!(
                        server = origin,
                        "the keyring does not return the server's key"
                    );
                    Ok(None)
                }
            },
        }
    }

    /// Returns the servers that have a key, by scheme, host and port.
    ///
    /// *Errors*: [`KeysError`] if the file of keys is damaged or cannot be read.
    pub fn list(&self) -> Result<Vec<(String, KeyKind)>, KeysError> {
        let content = self.read().map_err(|cause| self.unreadable(cause))?;
        let servers = content.servers.into_iter();
        let kinds = servers.map(|(server, entry)| match entry {
            Entry::Keyring => (server, KeyKind::Keyring),
            Entry::Key(_) => (server, KeyKind::File),
        });
        Ok(kinds.collect())
    }

    fn unreadable(&self, cause: io::Error) -> KeysError {
        KeysError {
            path: self.path.clone(),
            cause,
        }
    }

    /// Stores the key of a server in place of the old one, and returns where.
    ///
    /// *Errors*: [`io::ErrorKind::InvalidInput`] for a text that is no key or a server on this machine's pipes; any
    /// error of the file.
    pub async fn store(&self, server: &ServerUrl, key: &ApiKey) -> io::Result<KeyPlace> {
        let origin = origin(server).filter(|_| Self::is_key(key.expose()));
        let origin = origin.ok_or(io::ErrorKind::InvalidInput)?;
        // A damaged file fails before the keyring is changed.
        self.list().map_err(io::Error::other)?;
        let keyring = self.keyring(&origin);
        // Reads it back: a keyring may accept a secret and not keep it.
        let is_kept = keyring.store(key.expose().to_owned()).await.is_some()
            && matches!(keyring.lookup().await, Stored::Secret(kept) if kept.trim() == key.expose());
        let (entry, place) = match is_kept {
            true => (Entry::Keyring, KeyPlace::Keyring),
            false => (
                Entry::Key(key.expose().to_owned()),
                KeyPlace::File(self.path.clone()),
            ),
        };
        self.insert(origin, entry)?;
        Ok(place)
    }

    /// Removes the key of a server. The server stays listed until the keyring has really removed the key.
    ///
    /// *Errors*: [`KeysError`] if the file of keys is damaged, or cannot be read or written.
    pub async fn remove(&self, server: &ServerUrl) -> Result<RemovedKey, KeysError> {
        let failed = |cause| self.unreadable(cause);
        let Some(origin) = origin(server) else {
            return Ok(RemovedKey::Nothing);
        };
        let kind = match self.read().map_err(failed)?.servers.get(&origin) {
            None => return Ok(RemovedKey::Nothing),
            Some(Entry::Key(_)) => KeyKind::File,
            Some(Entry::Keyring) => KeyKind::Keyring,
        };
        // A keyring may have taken the key and not have returned it, so that it is in the file, too.
        let keyring = self.keyring(&origin);
        keyring.remove().await;
        // What counts is what it has now, not what it says about the removal.
        match (keyring.lookup().await, kind) {
            (Stored::Nothing, _) | (Stored::Unknown, KeyKind::File) => {}
            (Stored::Unknown, KeyKind::Keyring) => return Ok(RemovedKey::KeptByKeyring),
            (Stored::Secret(_), _) => {
                self.insert(origin, Entry::Keyring).map_err(failed)?;
                return Ok(RemovedKey::KeptByKeyring);
            }
        }
        let removed = self.change(|servers| servers.remove(&origin));
        removed.map_err(failed)?;
        Ok(RemovedKey::From(kind))
    }

    fn insert(&self, origin: String, entry: Entry) -> io::Result<()> {
        self.change(|servers| servers.insert(origin, entry))
    }

    /// Changes what the file contains now. Other processes that change it wait meanwhile.
    fn change(
        &self,
        change: impl FnOnce(&mut BTreeMap<String, Entry>) -> Option<Entry>,
    ) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        make_folder(folder)?;
        let lock = fs::OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(folder.join(LOCK_NAME))?;
        // Closing the file releases the lock.
        lock.lock()?;
        let mut content = self.read()?;
        content.version = VERSION;
        change(&mut content.servers);
        self.write(&content)
    }

    /// Returns whether a text may be a key: letters, digits and `-._~+/=`, as in HTTP.
    pub fn is_key(text: &str) -> bool {
        let is_part = |c: char| c.is_ascii_alphanumeric() || "-._~+/=".contains(c);
        (1..=MAX_KEY).contains(&text.len()) && text.chars().all(is_part)
    }

    fn keyring(&self, origin: &str) -> Keyring {
        let keyring = Keyring::of_system(origin, format!("RecallKit server {origin}"));
        #[cfg(test)]
        let keyring = keyring.through_program(&self.keyring);
        keyring
    }

    fn read(&self) -> io::Result<Content> {
        let file = match fs::File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Content::default()),
            Err(error) => return Err(error),
        };
        let mut text = Vec::new();
        file.take(MAX_BYTES).read_to_end(&mut text)?;
        // The parser's message would quote the text.
        let content: Result<Content, _> = serde_json::from_slice(&text);
        match content {
            Ok(content) if content.version == VERSION => Ok(content),
            Ok(_) => Err(io::Error::other("it was written by a newer program")),
            Err(_) => Err(io::Error::other("it is damaged")),
        }
    }

    /// Replaces the file; a temporary file is readable only for its owner.
    fn write(&self, content: &Content) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let text = serde_json::to_vec_pretty(content)?;
        let mut new_file = tempfile::NamedTempFile::new_in(folder)?;
        new_file.write_all(&text)?;
        new_file.as_file().sync_all()?;
        new_file.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

/// Returns scheme, host and port of a server; `None` for the local program.
fn origin(server: &ServerUrl) -> Option<String> {
    let ServerUrl::Http(endpoint) = server else {
        return None;
    };
    let origin = Url::parse(endpoint).ok()?.origin();
    origin.is_tuple().then(|| origin.ascii_serialization())
}
