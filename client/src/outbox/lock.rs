//! One process at a time sends or removes: whoever holds the lock file.

use std::{
    fs::{File, OpenOptions, TryLockError},
    path::{Path, PathBuf},
    time::Duration,
};

use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::{OutboxError, file};

/// How long somebody else may be sending.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(100);

const NAME: &str = "lock";
const KEY_NAME: &str = "key.lock";

/// The lock; given back when dropped, or when the process ends in whatever way.
pub(super) struct Lock {
    _file: File,
}

/// Takes the lock of a folder that exists.
///
/// *Errors*: [`OutboxError::Busy`], [`OutboxError::File`].
pub(super) fn take(folder: &Path) -> Result<Lock, OutboxError> {
    let (path, lock) = open(folder, NAME)?;
    match lock.try_lock() {
        Ok(()) => Ok(Lock { _file: lock }),
        Err(TryLockError::WouldBlock) => Err(OutboxError::Busy),
        Err(TryLockError::Error(cause)) => Err(file::failed(&path, cause)),
    }
}

/// Takes the lock, and waits for whoever has it: a person's work depends on it.
///
/// *Errors*: as [`take`], once `PATIENCE` is over.
pub(super) async fn wait(folder: &Path) -> Result<Lock, OutboxError> {
    let late = Instant::now() + PATIENCE;
    loop {
        match take(folder) {
            Err(OutboxError::Busy) if Instant::now() < late => sleep(PAUSE).await,
            taken => return taken,
        }
    }
}

/// What its sender holds of one experience; given up when dropped, or when the process ends.
pub(super) struct Claim {
    path: PathBuf,
    _file: File,
}

impl Drop for Claim {
    fn drop(&mut self) {
        // One that is left over is locked by nobody.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Takes an experience that nobody knows of yet, to send it.
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

/// Says whether somebody is sending an experience. Once nobody is, nobody will be but who holds
/// the folder's lock.
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

/// Waits until no other process makes a key; that takes seconds at most.
///
/// *Errors*: [`OutboxError::File`].
pub(super) fn wait_to_make_key(folder: &Path) -> Result<Lock, OutboxError> {
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
