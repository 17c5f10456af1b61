//! Confirmed experiences that the server does not have yet: one file each, sent once it takes them.
//!
//! Only a [`Confirmed`] goes in, and what comes out is that `Confirmed` with its idempotency key,
//! so that whatever the server stored before its answer was lost is not stored again. Files are
//! for their owner alone; where the system has a keyring they are sealed with a key from it.

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
pub use kept::Kept;
pub use sending::Sending;

use crate::{Confirmed, Error, ServerUrl};
use kept::unreadable;
use key::Key;
use keyring::Keyring;

/// The most experiences that wait at a time; as many again may lie there refused.
pub const MAX_KEPT: usize = 100;
/// The most that one of them may take: what a server takes by default, 1 MiB, less the envelope.
/// *Unit*: bytes of its JSON.
pub const MAX_KEPT_BYTES: usize = 960 * 1024;

/// Where confirmed experiences wait.
#[derive(Debug)]
pub struct Outbox {
    folder: PathBuf,
    keyring: Keyring,
    /// Set once it was had; a keyring that could not be asked is asked again.
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

    /// Returns the outbox in this folder, which is made when something is kept.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            keyring: Keyring::of_system(),
            key: OnceCell::new(),
        }
    }

    /// Returns the folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Keeps an experience that could not be sent to `server`, and why. It is on disk when this
    /// returns; what the server refused is not sent again as it is.
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
        self.has_room_for(kept.id).await?;
        kept.note(why, why.is_refusal());
        self.write(&kept).await?;
        Ok(kept)
    }

    /// What a server refused takes no room from what waits, up to as many again.
    async fn has_room_for(&self, id: Uuid) -> Result<(), OutboxError> {
        let others = self.ids()?.into_iter().filter(|other| *other != id);
        let waiting = match others.count() {
            few if few < MAX_KEPT => return Ok(()),
            many if many < 2 * MAX_KEPT => self.list().await?.into_iter(),
            _ => return Err(OutboxError::Full),
        };
        let waiting = waiting.filter(|kept| !kept.refused && kept.id != id);
        match waiting.count() < MAX_KEPT {
            true => Ok(()),
            false => Err(OutboxError::Full),
        }
    }

    /// Lists what waits, the oldest first. A file that cannot be read is listed with the reason.
    ///
    /// *Errors*: [`OutboxError::File`] for the folder.
    pub async fn list(&self) -> Result<Vec<Kept>, OutboxError> {
        let ids = self.ids()?;
        // The keyring is asked once, and only where something is sealed.
        let key = match self.has_sealed() {
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
        if lock::is_claimed(&self.folder, id) {
            return Err(OutboxError::Busy);
        }
        file::remove(&self.path(id))
    }

    /// Puts an experience in the place of another, which a person changed and confirmed anew for
    /// the same server. False when the other is gone: it was sent or given up meanwhile, and
    /// nothing is kept.
    ///
    /// *Errors*: [`OutboxError::TooLarge`], [`OutboxError::File`], [`OutboxError::Seal`],
    /// [`OutboxError::Busy`] when somebody sends for long.
    pub async fn replace(&self, id: Uuid, experience: Confirmed) -> Result<bool, OutboxError> {
        if !self.folder.is_dir() {
            return Ok(false);
        }
        let _lock = lock::wait(&self.folder).await?;
        if lock::is_claimed(&self.folder, id) {
            return Err(OutboxError::Busy);
        }
        let key = self.key_to_open().await;
        let Some(kept) = self.read(id, key)?.filter(|kept| kept.experience.is_some()) else {
            return Ok(false);
        };
        // It keeps the other's name, so that no crash leaves both.
        self.write(&kept.edited(experience)).await?;
        Ok(true)
    }

    /// Returns the key to seal with, which is made when there surely is none yet.
    async fn key_to_seal(&self) -> Option<&Key> {
        let key = async || {
            let key = self
                .keyring
                .stored_or_new(&self.folder, || self.has_sealed());
            key.await.ok_or(())
        };
        self.key.get_or_try_init(key).await.ok()
    }

    /// Returns the key to open with, if it can be had.
    async fn key_to_open(&self) -> Option<&Key> {
        let key = async || self.keyring.stored().await.ok_or(());
        self.key.get_or_try_init(key).await.ok()
    }

    /// Says whether any file is sealed, or may be.
    fn has_sealed(&self) -> bool {
        let is_sealed = |id: Uuid| match file::read(&self.path(id)) {
            Ok(bytes) => bytes.is_some_and(|bytes| key::is_sealed(&bytes)),
            Err(_) => true,
        };
        self.ids()
            .map_or(true, |ids| ids.into_iter().any(is_sealed))
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
        let sealed = key::is_sealed(&bytes);
        let plain = match sealed {
            false => Some(bytes),
            true => key.and_then(|key| key.open(&bytes, id)),
        };
        let Some(plain) = plain else {
            let reason = "it is encrypted, and the key in the system's keyring cannot be had";
            let kept = unreadable(id, reason.to_owned());
            return Ok(Some(Kept { sealed, ..kept }));
        };
        file::decode(&plain, id)
            .map(|kept| Some(Kept { sealed, ..kept }))
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
