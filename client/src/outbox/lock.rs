//! File locks: only the process that has the lock of the folder sends or removes experiences.

use std::{
    fs::{File, OpenOptions, TryLockError},
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::{OutboxError, file};

/// How long to wait for another process.
const LOCK_TIMEOUT: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(100);

const NAME: &str = "lock";
const KEY_NAME: &str = "key.lock";

/// The lock; released when it is dropped or the process ends, in whatever way.
pub(super) struct Lock {
    _file: File,
}

/// Acquires the lock of an existing folder without waiting.
///
/// *Errors*: [`OutboxError::Busy`], [`OutboxError::File`].
pub(super) fn acquire(folder: &Path) -> Result<Lock, OutboxError> {
    let (path, lock) = open(folder, NAME)?;
    match lock.try_lock() {
        Ok(()) => Ok(Lock { _file: lock }),
        Err(TryLockError::WouldBlock) => Err(OutboxError::Busy),
        Err(TryLockError::Error(cause)) => Err(file::failed(&path, cause)),
    }
}

/// Acquires the lock, and waits for another process to release it: a person's work depends on it.
///
/// *Errors*: like [`acquire`], after `LOCK_TIMEOUT`.
pub(super) async fn wait(folder: &Path) -> Result<Lock, OutboxError> {
    let deadline = Instant::now() + LOCK_TIMEOUT;
    loop {
        match acquire(folder) {
            Err(OutboxError::Busy) if Instant::now() < deadline => sleep(PAUSE).await,
            outcome => return outcome,
        }
    }
}

/// The lock of one experience by its first sender; released when it is dropped or the process ends.
pub(super) struct Claim {
    path: PathBuf,
    _file: File,
}

impl Drop for Claim {
    fn drop(&mut self) {
        // A file that is left over is not locked.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Locks a new experience, to send it.
///
/// *Errors*: [`OutboxError::Busy`], [`OutboxError::File`].
pub(super) fn claim(folder: &Path, id: Uuid) -> Result<Claim, OutboxError> {
    let (path, file) = open(folder, &claim_name(id))?;
    match file.try_lock() {
        Ok(()) => Ok(Claim { path, _file: file }),
        Err(TryLockError::WouldBlock) => Err(OutboxError::Busy),
        Err(TryLockError::Error(cause)) => Err(file::failed(&path, cause)),
    }
}

/// Returns whether an experience is being sent by its first sender. Once it is not, only the process with
/// the folder's lock can send it.
pub(super) fn is_claimed(folder: &Path, id: Uuid) -> bool {
    let path = folder.join(claim_name(id));
    let Ok(file) = OpenOptions::new().write(true).open(&path) else {
        return false;
    };
    let is_claimed = file.try_lock().is_err();
    if !is_claimed {
        // Its sender was killed.
        let _ = std::fs::remove_file(&path);
    }
    is_claimed
}

fn claim_name(id: Uuid) -> String {
    format!("{id}.sending")
}

/// Waits for the lock under which a process creates a key; that takes seconds at most.
///
/// *Errors*: [`OutboxError::File`].
pub(super) fn lock_for_new_key(folder: &Path) -> Result<Lock, OutboxError> {
    let (path, lock) = open(folder, KEY_NAME)?;
    lock.lock().map_err(|cause| file::failed(&path, cause))?;
    Ok(Lock { _file: lock })
}

fn open(folder: &Path, name: &str) -> Result<(PathBuf, File), OutboxError> {
    let path = folder.join(name);
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    match options.open(&path) {
        Ok(lock) => Ok((path, lock)),
        Err(cause) => Err(file::failed(&path, cause)),
    }
}
