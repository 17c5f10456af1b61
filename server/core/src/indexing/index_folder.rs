//! The folder of a database's indexes, and its lock: any number of servers may use it at once, a repair only
//! alone.
//!
//! The lock is on a file beside the folder; the system releases it when a process ends in any way.

use std::{
    fs::{File, TryLockError},
    io,
    path::{Path, PathBuf},
};

use recall_kit_settings::Settings;
use uuid::Uuid;

use crate::error::OpenError;

/// Extension of the file that users of the folder lock.
const IN_USE: &str = "in-use";

/// Returns the index folder of a database's experiences, beside which the others are; the number is the format
/// version.
///
/// *Errors*: [`OpenError::Settings`] if the data directory is unknown.
pub fn index_folder(settings: &Settings, database: Uuid) -> Result<PathBuf, OpenError> {
    Ok(settings
        .data_dir()?
        .join("index")
        .join(database.to_string())
        .join("experiences-3"))
}

/// A lock for using a folder, held until it is dropped.
#[derive(Debug)]
pub struct FolderUse {
    folder: PathBuf,
    /// `None` if the file cannot be created; then there is no index on disk either.
    _lock: Option<File>,
}

impl FolderUse {
    /// Locks the folder for shared use; waits while it is being repaired.
    pub async fn shared(folder: &Path) -> Self {
        let folder = folder.to_owned();
        let locked = folder.clone();
        let locked = tokio::task::spawn_blocking(move || {
            let file = lock_file(&locked)?;
            if let Err(TryLockError::WouldBlock) = file.try_lock_shared() {
                tracing::info!("waiting: the index is being repaired");
                file.lock_shared()?;
            }
            Ok::<_, io::Error>(file)
        });
        let lock = locked.await.ok().and_then(Result::ok);
        Self {
            folder,
            _lock: lock,
        }
    }

    /// Returns the index folder of experiences, beside which the others are.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Locks the folder for exclusive use; `None` while others use it.
    ///
    /// *Errors*: those of the file system.
    pub fn alone(folder: &Path) -> io::Result<Option<Self>> {
        let file = lock_file(folder)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self {
                folder: folder.to_owned(),
                _lock: Some(file),
            })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

fn lock_file(folder: &Path) -> io::Result<File> {
    let path = folder.with_extension(IN_USE);
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    File::create(path)
}
