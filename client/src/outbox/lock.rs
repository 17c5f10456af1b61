//! One process at a time sends or removes: whoever holds the lock file.

use std::{
    fs::{File, OpenOptions, TryLockError},
    path::Path,
};

use super::{OutboxError, file};

const NAME: &str = "lock";

/// The lock; given back when dropped, or when the process ends in whatever way.
pub(super) struct Lock {
    _file: File,
}

/// Takes the lock of a folder that exists.
///
/// *Errors*: [`OutboxError::Busy`], [`OutboxError::File`].
pub(super) fn take(folder: &Path) -> Result<Lock, OutboxError> {
    let path = folder.join(NAME);
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let lock = options.open(&path);
    let lock = lock.map_err(|cause| file::failed(&path, cause))?;
    match lock.try_lock() {
        Ok(()) => Ok(Lock { _file: lock }),
        Err(TryLockError::WouldBlock) => Err(OutboxError::Busy),
        Err(TryLockError::Error(cause)) => Err(file::failed(&path, cause)),
    }
}
