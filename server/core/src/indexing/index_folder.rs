//! Locks of an index folder: any number of servers may use it at once, a repair only alone. Another lock
//! decides which process computes vectors for its records.
//!
//! The locks are on files beside the folder; the system releases them when a process ends in any way.

use std::{
    fs::{File, TryLockError},
    io,
    path::{Path, PathBuf},
};

/// Extension of the file that users of the folder lock.
const IN_USE: &str = "in-use";

/// A lock for using a folder, held until it is dropped.
#[derive(Debug)]
pub struct FolderUse {
    /// `None` if the file cannot be created; then there is no index on disk either.
    _lock: Option<File>,
}

impl FolderUse {
    /// Locks the folder for shared use; waits while it is being repaired.
    pub async fn shared(folder: &Path) -> Self {
        let folder = folder.to_owned();
        let locked = tokio::task::spawn_blocking(move || {
            let file = lock_file(&folder, IN_USE)?;
            if let Err(TryLockError::WouldBlock) = file.try_lock_shared() {
                tracing::info!("waiting: the index is being repaired");
                file.lock_shared()?;
            }
            Ok::<_, io::Error>(file)
        });
        let lock = locked.await.ok().and_then(Result::ok);
        Self { _lock: lock }
    }

    /// Locks the folder for exclusive use; `None` while others use it.
    ///
    /// *Errors*: those of the file system.
    pub fn alone(folder: &Path) -> io::Result<Option<Self>> {
        let file = lock_file(folder, IN_USE)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _lock: Some(file) })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// The lock for computing vectors for the records of an index, held until it is dropped.
#[derive(Debug)]
pub struct Turn {
    /// `None` if the file cannot be created: then several processes may do the same work, which does no
    /// harm.
    _lock: Option<File>,
}

impl Turn {
    /// Takes the lock; `None` while another process holds it.
    pub fn try_take(folder: &Path) -> Option<Self> {
        let Ok(file) = lock_file(folder, "vectors") else {
            return Some(Self { _lock: None });
        };
        match file.try_lock() {
            Ok(()) => Some(Self { _lock: Some(file) }),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Error(_)) => Some(Self { _lock: None }),
        }
    }
}

fn lock_file(folder: &Path, purpose: &str) -> io::Result<File> {
    let path: PathBuf = folder.with_extension(purpose);
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    File::create(path)
}
