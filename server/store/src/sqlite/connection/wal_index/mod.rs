//! Detection of commits without a query: the header of the wal-index, SQLite's `-shm` file.
//!
//! Every commit, in any process, rewrites this header in shared memory before it returns, and SQLite's
//! own connections compare it with the one they last saw to find out whether the database has changed.
//! Reading it takes a microsecond; a query takes fifty.
//! Source: SQLite, "WAL-mode File Format", section 2.1, "The WAL-Index Header".
//!
//! This works only if `read` returns the same pages that are mapped, as on Linux and macOS. On other
//! systems there is no revision, and callers query the database.

use std::path::Path;

#[cfg(all(test, target_os = "linux"))]
use self::mapped::{HEADER, IS_INIT};

/// The wal-index of one database.
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub(crate) use self::mapped::WalIndex;

/// Replacement for systems where the header cannot be read coherently.
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(crate) struct WalIndex;

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
impl WalIndex {
    pub(crate) fn open(_database: &Path) -> Self {
        Self
    }

    pub(crate) fn revision(&self) -> Option<u64> {
        None
    }
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
mod mapped {
    use std::{
        fs::File,
        hash::{DefaultHasher, Hasher as _},
        os::{fd::IntoRawFd as _, unix::fs::FileExt as _},
        path::PathBuf,
        sync::{PoisonError, RwLock},
    };

    use super::Path;

    /// Size of the header in bytes; the file begins with two copies of it.
    pub(crate) const HEADER: usize = 48;
    /// Offset of the byte that is set in an initialised header.
    pub(crate) const IS_INIT: usize = 12;

    pub(crate) struct WalIndex {
        path: PathBuf,
        /// Closing it would drop the locks that SQLite holds on the same file in this process, as
        /// POSIX locks belong to the process. So a file that still exists is never closed.
        file: RwLock<Option<File>>,
    }

    /// There is no file, or it was replaced by another one.
    struct Gone;

    impl WalIndex {
        /// Opens the wal-index of a database that is open.
        pub(crate) fn open(database: &Path) -> Self {
            let mut path = database.as_os_str().to_owned();
            path.push("-shm");
            let path = PathBuf::from(path);
            let file = RwLock::new(File::open(&path).ok());
            Self { path, file }
        }

        /// Returns a number that changes with every commit; `None` while a commit is being written
        /// and while no connection has the database open.
        pub(crate) fn revision(&self) -> Option<u64> {
            match self.try_revision() {
                Err(Gone) => {
                    self.reopen();
                    self.try_revision().unwrap_or(None)
                }
                Ok(revision) => revision,
            }
        }

        fn try_revision(&self) -> Result<Option<u64>, Gone> {
            let file = self.file.read().unwrap_or_else(PoisonError::into_inner);
            let file = file.as_ref().ok_or(Gone)?;
            let revision = read(file);
            // Checked afterwards: a file that still exists now existed when it was read.
            if is_linked(file) {
                Ok(revision)
            } else {
                Err(Gone)
            }
        }

        /// Opens the current file, if there is one.
        fn reopen(&self) {
            let mut file = self.file.write().unwrap_or_else(PoisonError::into_inner);
            // Another thread may have been here first.
            if !file.as_ref().is_some_and(is_linked) {
                *file = File::open(&self.path).ok();
            }
        }
    }

    impl Drop for WalIndex {
        fn drop(&mut self) {
            let file = self.file.get_mut().unwrap_or_else(PoisonError::into_inner);
            if let Some(file) = file.take_if(|file| is_linked(file)) {
                // Another store of this process may use the file: leaked on purpose, see the field.
                let _ = file.into_raw_fd();
            }
        }
    }

    /// Reads the header and returns its hash; `None` if it is being written or not initialised. A commit
    /// writes the second copy first, so two equal copies never mix two commits.
    fn read(file: &File) -> Option<u64> {
        let mut both = [0; 2 * HEADER];
        file.read_exact_at(&mut both, 0).ok()?;
        let (first, second) = both.split_at(HEADER);
        let is_complete = first == second && first.get(IS_INIT).is_some_and(|byte| *byte != 0);
        let mut hash = DefaultHasher::new();
        hash.write(first);
        is_complete.then(|| hash.finish())
    }

    /// Whether the file is still the one that connections would open: the last connection to close deletes
    /// it, and nothing holds locks on a deleted file.
    fn is_linked(file: &File) -> bool {
        rustix::fs::fstat(file).is_ok_and(|metadata| metadata.st_nlink > 0)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
