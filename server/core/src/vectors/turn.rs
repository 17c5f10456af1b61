//! The lock that decides which process computes the vectors for the records of an index.
//!
//! The lock is on a file beside the index folder; the system releases it when a process ends in any way.

use std::{
    fs::{self, File, TryLockError},
    path::Path,
};

/// Extension of the locked file.
const VECTORS: &str = "vectors";

/// The lock for computing vectors, held until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    /// `None` if the file cannot be created: then several processes may do the same work, which does no
    /// harm.
    _lock: Option<File>,
}

impl Turn {
    /// Takes the lock; `None` while another process holds it.
    pub(crate) fn try_take(folder: &Path) -> Option<Self> {
        if let Some(parent) = folder.parent() {
            fs::create_dir_all(parent).ok();
        }
        let Ok(file) = File::create(folder.with_extension(VECTORS)) else {
            return Some(Self { _lock: None });
        };
        match file.try_lock() {
            Ok(()) => Some(Self { _lock: Some(file) }),
            Err(TryLockError::WouldBlock) => None,
            Err(TryLockError::Error(_)) => Some(Self { _lock: None }),
        }
    }
}
