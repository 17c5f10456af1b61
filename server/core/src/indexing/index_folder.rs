//! Who uses the folder of an index: any number of servers at once, or a repair alone; and whose turn
//! it is to make vectors for its records.
//!
//! Locks on files beside the folder, which the system releases when a process ends, however it ends.

use std::{
    fs::{File, TryLockError},
    io,
    path::{Path, PathBuf},
};

/// How the name of the file ends that a user of the folder locks.
const IN_USE: &str = "in-use";

/// The use of a folder, until it is dropped.
#[derive(Debug)]
pub struct FolderUse {
    /// None where no such file can be made; then there is no index on disk either.
    _lock: Option<File>,
}

impl FolderUse {
    /// Uses the folder beside others; waits while it is being repaired.
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

    /// Uses the folder alone; `None` while others use it.
    ///
    /// *Errors*: what the system said.
    pub fn alone(folder: &Path) -> io::Result<Option<Self>> {
        let file = lock_file(folder, IN_USE)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _lock: Some(file) })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// The turn to make vectors for the records of an index, until it is dropped.
#[derive(Debug)]
pub struct Turn {
    /// None where no such file can be made: then several may do the same work, which does no harm.
    _lock: Option<File>,
}

impl Turn {
    /// Takes the turn; `None` while another process has it.
    pub fn take(folder: &Path) -> Option<Self> {
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
