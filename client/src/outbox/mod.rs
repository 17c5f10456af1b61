//! The outbox: confirmed experiences and outcomes that the server does not have yet, each in its own file.
//!
//! Only a [`Confirmed`] or a [`PreparedOutcome`](crate::PreparedOutcome) can be stored, and it is returned with the
//! same idempotency key, so that what the server stored before its answer was lost is not stored again. Only the owner
//! can read the files; if the system has a keyring, they are encrypted with a key from it. What a hook observed is not:
//! it holds ids and one word, and a hook has no time for the keyring.

mod error;
mod file;
mod flush;
mod kept;
mod key;
mod keyring;
mod lock;
mod sending;
#[cfg(test)]
mod tests;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use tokio::sync::OnceCell;
use uuid::Uuid;

pub use error::OutboxError;
pub use flush::{Flushed, Recipient};
pub use kept::{Content, Kept};
pub use sending::Sending;

use crate::{Confirmed, Error, ServerUrl};
use file::Kind;
use kept::unreadable;
use key::Key;
use keyring::Keyring;

/// The maximum number of waiting experiences; the same number of rejected ones may be stored besides.
pub const MAX_KEPT: usize = 100;
/// The maximum number of outcomes that hooks observed, besides. Nobody wrote them, so the oldest gives way.
pub const MAX_OBSERVED: usize = 100;
/// The maximum size of one experience: what a server accepts by default, 1 MiB, less the envelope.
/// *Unit*: bytes of its JSON.
pub const MAX_KEPT_BYTES: usize = 960 * 1024;

/// The folder of confirmed experiences that wait for the server.
#[derive(Debug)]
pub struct Outbox {
    folder: PathBuf,
    keyring: Keyring,
    /// Set once the keyring has returned it; after a failure the keyring is queried again.
    key: OnceCell<Key>,
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

    /// Returns the outbox in this folder, which is created with the first experience.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            keyring: Keyring::of_system(),
            key: OnceCell::new(),
        }
    }

    /// Returns the path of the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Stores an experience that could not be sent to `server`, with the reason. It is on disk when this
    /// returns. An experience that the server rejected is not sent again without a change.
    ///
    /// *Errors*: [`OutboxError::Full`], [`OutboxError::TooLarge`], [`OutboxError::File`],
    /// [`OutboxError::Seal`].
    pub async fn keep(
        &self,
        content: impl Into<Content>,
        server: &ServerUrl,
        why: &Error,
    ) -> Result<Kept, OutboxError> {
        file::make_folder(&self.folder)?;
        let mut entry = Kept::new(content.into(), server);
        self.make_room_for(&entry).await?;
        entry.note(why, why.is_refusal());
        self.write(&entry).await?;
        Ok(entry)
    }

    /// Checks that there is room for one more. Up to [`MAX_KEPT`] rejected ones do not count, and observed outcomes
    /// have room of their own, from which the oldest is removed.
    async fn make_room_for(&self, new: &Kept) -> Result<(), OutboxError> {
        if new.is_observed() {
            return self.remove_observed();
        }
        let ids = self.ids_of(Kind::Shared)?;
        let others = ids.iter().filter(|other| **other != new.id);
        if others.count() < MAX_KEPT {
            return Ok(());
        }
        let listed = self.read_all(ids).await.into_iter();
        let others = listed.filter(|entry| entry.id != new.id);
        let (rejected, waiting): (Vec<_>, Vec<_>) = others.partition(|entry| entry.refused);
        match waiting.len() < MAX_KEPT && waiting.len() + rejected.len() < 2 * MAX_KEPT {
            true => Ok(()),
            false => Err(OutboxError::Full),
        }
    }

    /// Removes the oldest observed outcomes, so that there is room for one more.
    fn remove_observed(&self) -> Result<(), OutboxError> {
        let ids = self.ids_of(Kind::Observed)?;
        if ids.len() < MAX_OBSERVED {
            return Ok(());
        }
        let mut observed = self.read_with(ids, None);
        observed.retain(|entry| !lock::is_claimed(&self.folder, entry.id));
        let over = (observed.len() + 1).saturating_sub(MAX_OBSERVED);
        for entry in observed.iter().take(over) {
            file::remove(&self.path(entry.id))?;
        }
        Ok(())
    }

    /// Returns the experiences in the outbox, the oldest first. A file that cannot be read is included with
    /// the reason.
    ///
    /// *Errors*: [`OutboxError::File`] for the folder.
    pub async fn list(&self) -> Result<Vec<Kept>, OutboxError> {
        Ok(self.read_all(self.ids()?).await)
    }

    /// Reads these entries, the oldest first.
    async fn read_all(&self, ids: Vec<Uuid>) -> Vec<Kept> {
        // The keyring is queried once, and only if a file is encrypted.
        let key = match self.has_sealed() {
            true => self.key_to_open().await,
            false => None,
        };
        self.read_with(ids, key)
    }

    fn read_with(&self, ids: Vec<Uuid>, key: Option<&Key>) -> Vec<Kept> {
        let mut entries = Vec::new();
        for id in ids {
            match self.read(id, key) {
                Ok(entry) => entries.extend(entry),
                Err(error) => entries.push(unreadable(id, error.to_string())),
            }
        }
        entries.sort_by_key(|entry| (entry.kept_at, entry.id));
        entries
    }

    /// Returns whether the outbox is empty, without reading its files.
    pub fn is_empty(&self) -> bool {
        self.ids().is_ok_and(|ids| ids.is_empty())
    }

    /// Discards an experience; returns false if there is none with that id.
    ///
    /// *Errors*: [`OutboxError::Busy`] while experiences are being sent, [`OutboxError::File`].
    pub fn give_up(&self, id: Uuid) -> Result<bool, OutboxError> {
        if !self.folder.is_dir() {
            return Ok(false);
        }
        let _lock = lock::acquire(&self.folder)?;
        if lock::is_claimed(&self.folder, id) {
            return Err(OutboxError::Busy);
        }
        file::remove(&self.path(id))
    }

    /// Replaces an experience by another one, after a person has edited and confirmed it for the same server.
    /// Returns false if the first one is gone because it was sent or discarded meanwhile; then nothing is
    /// stored.
    ///
    /// *Errors*: [`OutboxError::TooLarge`], [`OutboxError::File`], [`OutboxError::Seal`],
    /// [`OutboxError::Busy`] if another process sends for long.
    pub async fn replace(&self, id: Uuid, experience: Confirmed) -> Result<bool, OutboxError> {
        if !self.folder.is_dir() {
            return Ok(false);
        }
        let _lock = lock::wait(&self.folder).await?;
        if lock::is_claimed(&self.folder, id) {
            return Err(OutboxError::Busy);
        }
        let key = self.key_to_open().await;
        let Some(entry) = self
            .read(id, key)?
            .filter(|entry| entry.experience().is_some())
        else {
            return Ok(false);
        };
        // The file name stays the same, so that a crash cannot leave both.
        self.write(&entry.edited(experience.into())).await?;
        Ok(true)
    }

    /// Returns the key to encrypt with; creates it if there is certainly none yet.
    async fn key_to_seal(&self) -> Option<&Key> {
        let key = async || {
            let key = self
                .keyring
                .stored_or_new(&self.folder, || self.has_sealed());
            key.await.ok_or(())
        };
        self.key.get_or_try_init(key).await.ok()
    }

    /// Returns the key to decrypt with, if the keyring returns it.
    async fn key_to_open(&self) -> Option<&Key> {
        let key = async || self.keyring.stored().await.ok_or(());
        self.key.get_or_try_init(key).await.ok()
    }

    /// Returns whether any file is encrypted, or cannot be read and so may be.
    fn has_sealed(&self) -> bool {
        let is_sealed = |id: Uuid| match file::read(&self.path(id)) {
            Ok(bytes) => bytes.is_some_and(|bytes| key::is_sealed(&bytes)),
            Err(_) => true,
        };
        self.ids_of(Kind::Shared)
            .map_or(true, |ids| ids.into_iter().any(is_sealed))
    }

    async fn write(&self, entry: &Kept) -> Result<(), OutboxError> {
        let plain = file::encode(entry)?;
        let kind = Kind::of(entry);
        let key = match kind {
            Kind::Shared => self.key_to_seal().await,
            Kind::Observed => None,
        };
        let bytes = match key {
            Some(key) => key.seal(&plain, entry.id).ok_or(OutboxError::Seal)?,
            None => plain,
        };
        file::write(&self.folder, &self.path_of(entry.id, kind), &bytes)
    }

    /// Reads one experience; `None` if it was sent or discarded meanwhile.
    fn read(&self, id: Uuid, key: Option<&Key>) -> Result<Option<Kept>, OutboxError> {
        let path = self.path(id);
        let Some(bytes) = file::read(&path)? else {
            return Ok(None);
        };
        let sealed = key::is_sealed(&bytes);
        let plain = match sealed {
            false => Some(bytes),
            true => key.and_then(|key| key.open(&bytes, id)),
        };
        let Some(plain) = plain else {
            let reason = "it is encrypted, and the key cannot be read from the system's keyring";
            let entry = unreadable(id, reason.to_owned());
            return Ok(Some(Kept { sealed, ..entry }));
        };
        file::decode(&plain, id)
            .map(|entry| Some(Kept { sealed, ..entry }))
            .map_err(|cause| OutboxError::File { path, cause })
    }

    /// Returns the ids of everything in the outbox.
    fn ids(&self) -> Result<Vec<Uuid>, OutboxError> {
        let shared = self.ids_of(Kind::Shared)?;
        Ok([shared, self.ids_of(Kind::Observed)?].concat())
    }

    fn ids_of(&self, kind: Kind) -> Result<Vec<Uuid>, OutboxError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(cause) => {
                let path = self.folder.clone();
                return Err(OutboxError::File { path, cause });
            }
        };
        let paths = entries.flatten().map(|entry| entry.path());
        Ok(paths.filter_map(|path| file::id_of(&path, kind)).collect())
    }

    /// Returns the path of an entry, whichever kind it is.
    fn path(&self, id: Uuid) -> PathBuf {
        let observed = self.path_of(id, Kind::Observed);
        match observed.exists() {
            true => observed,
            false => self.path_of(id, Kind::Shared),
        }
    }

    fn path_of(&self, id: Uuid, kind: Kind) -> PathBuf {
        self.folder.join(file::name_of(id, kind))
    }
}
