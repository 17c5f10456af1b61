//! Who uses the folder of an index: any number of servers at once, or a repair alone.
//!
//! A lock on a file beside the folder, which the system releases when a process ends, however it
//! ends.

use std::{
    fs::{File, TryLockError},
    io,
    path::{Path, PathBuf},
};

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
            let file = lock_file(&folder)?;
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
        let file = lock_file(folder)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _lock: Some(file) })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

fn lock_file(folder: &Path) -> io::Result<File> {
    let path: PathBuf = folder.with_extension("in-use");
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    File::create(path)
}
