//! Confirmed experiences that wait for a server that is away: one file each, sent once it is back.
//!
//! Only a [`Confirmed`] goes in, and what comes out is that `Confirmed` with its idempotency key,
//! so that whatever the server stored before its answer was lost is not stored again. Files are
//! for their owner alone; where the system has a keyring they are sealed with a key from it.

mod file;
mod flush;
mod key;
mod lock;
#[cfg(test)]
mod tests;

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use tokio::sync::OnceCell;
use uuid::Uuid;

pub use flush::{Flushed, Recipient};

use crate::{Confirmed, Error, ServerUrl};
use key::Key;

/// The most experiences that wait at a time.
pub const MAX_KEPT: usize = 100;
/// The most that one of them may take. *Unit*: bytes of its JSON.
pub const MAX_KEPT_BYTES: usize = 1024 * 1024;

/// Where confirmed experiences wait.
#[derive(Debug)]
pub struct Outbox {
    folder: PathBuf,
    /// None inside: this system has no keyring that could be used.
    key: OnceCell<Option<Key>>,
}

/// Why nothing could be kept, read or removed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutboxError {
    /// The platform names no directory for data.
    #[error("this system names no directory for the data of programs")]
    NoFolder,
    /// There is no room.
    #[error("the outbox is full: {MAX_KEPT} experiences wait already")]
    Full,
    /// The experience is larger than one that is kept.
    #[error("the experience is too large to be kept: {bytes} bytes, at most {MAX_KEPT_BYTES}")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// Somebody else sends or removes at this moment.
    #[error("another process is working with the outbox")]
    Busy,
    /// A file or the folder cannot be used.
    #[error("cannot use {}: {cause}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The system's words.
        cause: io::Error,
    },
    /// The experience could not be sealed.
    #[error("the experience could not be encrypted")]
    Seal,
}

impl OutboxError {
    /// Returns what the person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoFolder => "set HOME, or XDG_DATA_HOME",
            Self::Full => {
                "`recall-kit-client outbox flush` sends them, `outbox drop` gives them up"
            }
            Self::TooLarge { .. } => "shorten it, or send it again when the server is back",
            Self::Busy => "try again in a moment",
            Self::File { .. } => "check that the folder is yours and that the disk has room",
            Self::Seal => "try again; a server that is back takes it without the outbox",
        }
    }
}

/// An experience that waits; `Debug` shows no text of it.
#[derive(Clone)]
pub struct Kept {
    /// What is sent; none where the file cannot be read.
    experience: Option<Confirmed>,
    id: Uuid,
    /// The server it is meant for, without credentials.
    pub server: String,
    /// When it was confirmed.
    pub kept_at: SystemTime,
    /// How often it was tried to send it.
    pub attempts: u32,
    /// Why the last attempt failed, or why the file cannot be read.
    pub last_error: String,
    /// Whether the server refused it: it is not tried again.
    pub refused: bool,
}

impl Kept {
    /// Returns the idempotency key, which is its name in the outbox too.
    pub fn id(&self) -> Uuid {
        self.id
    }

    /// Returns what is sent; none where the file cannot be read.
    pub fn experience(&self) -> Option<&Confirmed> {
        self.experience.as_ref()
    }

    /// Returns its title; empty where the file cannot be read.
    pub fn title(&self) -> &str {
        let request = self.experience.as_ref().map(Confirmed::request);
        request.map_or("", |request| &request.title)
    }

    /// Returns how long it has been waiting.
    pub fn age(&self) -> Duration {
        self.kept_at.elapsed().unwrap_or_default()
    }

    fn new(experience: Confirmed, server: &ServerUrl) -> Self {
        Self {
            id: experience.idempotency_key(),
            experience: Some(experience),
            server: server.to_string(),
            kept_at: whole_seconds(SystemTime::now()),
            attempts: 0,
            last_error: String::new(),
            refused: false,
        }
    }

    fn note(&mut self, error: &Error) {
        self.attempts = self.attempts.saturating_add(1);
        self.last_error = error.to_string();
        self.refused = matches!(error, Error::Validation(_));
    }
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kept")
            .field("id", &self.id)
            .field("server", &self.server)
            .field("attempts", &self.attempts)
            .field("refused", &self.refused)
            .finish_non_exhaustive()
    }
}

impl Outbox {
    /// Returns the user's own outbox, in the platform's directory for data.
    ///
    /// *Errors*: [`OutboxError::NoFolder`].
    pub fn of_user() -> Result<Self, OutboxError> {
        let dirs = directories::ProjectDirs::from("", "", "recall-kit");
        let dirs = dirs.ok_or(OutboxError::NoFolder)?;
        Ok(Self::at(dirs.data_local_dir().join("outbox")))
    }

    /// Returns the outbox in this folder, which is made when something is kept.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            key: OnceCell::new(),
        }
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Says whether an error means that the server is away, so that what was confirmed is worth
    /// keeping.
    pub fn is_for(error: &Error) -> bool {
        matches!(error, Error::Network { .. } | Error::Timeout { .. })
    }

    /// Keeps an experience that could not be sent to `server`, and why. It is on disk when this
    /// returns.
    ///
    /// *Errors*: [`OutboxError::Full`], [`OutboxError::TooLarge`], [`OutboxError::File`],
    /// [`OutboxError::Seal`].
    pub async fn keep(
        &self,
        experience: Confirmed,
        server: &ServerUrl,
        why: &Error,
    ) -> Result<Kept, OutboxError> {
        file::make_folder(&self.folder)?;
        let mut kept = Kept::new(experience, server);
        let others = self.ids()?.into_iter().filter(|id| *id != kept.id);
        if others.count() >= MAX_KEPT {
            return Err(OutboxError::Full);
        }
        kept.note(why);
        self.write(&kept).await?;
        Ok(kept)
    }

    /// Lists what waits, the oldest first. A file that cannot be read is listed with the reason.
    ///
    /// *Errors*: [`OutboxError::File`] for the folder.
    pub async fn list(&self) -> Result<Vec<Kept>, OutboxError> {
        let ids = self.ids()?;
        // The keyring is asked once, and only where something is sealed.
        let is_sealed = |id: &Uuid| {
            let bytes = file::read(&self.path(*id)).ok().flatten();
            bytes.is_some_and(|bytes| key::is_sealed(&bytes))
        };
        let key = match ids.iter().any(is_sealed) {
            true => self.key_to_open().await,
            false => None,
        };
        let mut kept = Vec::new();
        for id in ids {
            match self.read(id, key) {
                Ok(one) => kept.extend(one),
                Err(error) => kept.push(unreadable(id, error.to_string())),
            }
        }
        kept.sort_by_key(|one| (one.kept_at, one.id));
        Ok(kept)
    }

    /// Says whether nothing waits, without reading what does.
    pub fn is_empty(&self) -> bool {
        self.ids().is_ok_and(|ids| ids.is_empty())
    }

    /// Gives an experience up; false when there is none of that id.
    ///
    /// *Errors*: [`OutboxError::Busy`] while somebody sends, [`OutboxError::File`].
    pub fn give_up(&self, id: Uuid) -> Result<bool, OutboxError> {
        if !self.folder.is_dir() {
            return Ok(false);
        }
        let _lock = lock::take(&self.folder)?;
        file::remove(&self.path(id))
    }

    /// Puts an experience in the place of another, which a person changed and confirmed anew.
    ///
    /// *Errors*: those of [`Outbox::keep`] but [`OutboxError::Full`], [`OutboxError::Busy`] while
    /// somebody sends.
    pub async fn replace(
        &self,
        id: Uuid,
        experience: Confirmed,
        server: &ServerUrl,
    ) -> Result<(), OutboxError> {
        file::make_folder(&self.folder)?;
        let _lock = lock::take(&self.folder)?;
        self.write(&Kept::new(experience, server)).await?;
        file::remove(&self.path(id))?;
        Ok(())
    }

    /// Says whether what is kept is encrypted on this system.
    pub async fn is_sealed(&self) -> bool {
        self.key_to_open().await.is_some()
    }

    /// Returns the key to seal with, which is made when there is none yet.
    async fn key_to_seal(&self) -> Option<&Key> {
        let key = || Key::stored_or_new(&self.folder);
        self.key.get_or_init(key).await.as_ref()
    }

    /// Returns the key to open with, if there is one.
    async fn key_to_open(&self) -> Option<&Key> {
        if !self.key.initialized()
            && let Some(key) = Key::stored().await
        {
            // Whoever was quicker has the same one.
            let _ = self.key.set(Some(key));
        }
        self.key.get()?.as_ref()
    }

    async fn write(&self, kept: &Kept) -> Result<(), OutboxError> {
        let plain = file::encode(kept)?;
        let bytes = match self.key_to_seal().await {
            Some(key) => key.seal(&plain, kept.id).ok_or(OutboxError::Seal)?,
            None => plain,
        };
        file::write(&self.folder, &self.path(kept.id), &bytes)
    }

    /// Reads one; none when it was sent or given up meanwhile.
    fn read(&self, id: Uuid, key: Option<&Key>) -> Result<Option<Kept>, OutboxError> {
        let path = self.path(id);
        let Some(bytes) = file::read(&path)? else {
            return Ok(None);
        };
        let plain = match key::is_sealed(&bytes) {
            false => Some(bytes),
            true => key.and_then(|key| key.open(&bytes, id)),
        };
        let Some(plain) = plain else {
            let reason = "it is encrypted, and the key in the system's keyring cannot be had";
            return Ok(Some(unreadable(id, reason.to_owned())));
        };
        file::decode(&plain, id)
            .map(Some)
            .map_err(|cause| OutboxError::File { path, cause })
    }

    /// Returns the ids of everything that waits.
    fn ids(&self) -> Result<Vec<Uuid>, OutboxError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(cause) => {
                let path = self.folder.clone();
                return Err(OutboxError::File { path, cause });
            }
        };
        let paths = entries.flatten().map(|entry| entry.path());
        Ok(paths.filter_map(|path| file::id_of(&path)).collect())
    }

    fn path(&self, id: Uuid) -> PathBuf {
        self.folder.join(file::name_of(id))
    }
}

fn unreadable(id: Uuid, reason: String) -> Kept {
    Kept {
        id,
        experience: None,
        server: String::new(),
        kept_at: UNIX_EPOCH,
        attempts: 0,
        last_error: reason,
        refused: false,
    }
}

/// What a file remembers of a time.
fn whole_seconds(time: SystemTime) -> SystemTime {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    UNIX_EPOCH + Duration::from_secs(since.as_secs())
}
