//! Noticing commits without asking: the header of the wal-index, SQLite's `-shm` file.
//!
//! Whoever commits, in whatever process, rewrites this header in shared memory before the commit
//! returns, and SQLite's own connections compare it with the one they last saw to tell whether the
//! database has changed. Reading it costs a microsecond; a query to a connection costs fifty.
//! Source: SQLite, "WAL-mode File Format", section 2.1, "The WAL-Index Header".
//!
//! Only where a file's mapped pages are the pages that `read` gives, as on Linux and macOS;
//! elsewhere there is no revision and the database is asked.

use std::path::Path;

#[cfg(all(test, target_os = "linux"))]
use self::mapped::{HEADER, IS_INIT};

/// The wal-index of one database.
#[cfg(any(target_os = "linux", target_os = "macos"))]
pub(crate) use self::mapped::WalIndex;

/// Stands in where the header cannot be read coherently.
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
        os::{
            fd::IntoRawFd as _,
            unix::fs::{FileExt as _, MetadataExt as _},
        },
        path::PathBuf,
        sync::{PoisonError, RwLock},
    };

    use super::Path;

    /// Bytes of the header, which stands there twice in a row.
    pub(crate) const HEADER: usize = 48;
    /// Set in an initialised header.
    pub(crate) const IS_INIT: usize = 12;

    pub(crate) struct WalIndex {
        path: PathBuf,
        /// Closing it would drop the locks that SQLite holds on the same file in this process, as
        /// POSIX locks belong to the process. So a file that is in use is never closed.
        file: RwLock<Option<File>>,
    }

    /// There is no file, or another one was put in its place.
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
        /// and while nobody has the database open.
        pub(crate) fn revision(&self) -> Option<u64> {
            match self.look() {
                Err(Gone) => {
                    self.reopen();
                    self.look().unwrap_or(None)
                }
                Ok(known) => known,
            }
        }

        fn look(&self) -> Result<Option<u64>, Gone> {
            let file = self.file.read().unwrap_or_else(PoisonError::into_inner);
            let file = file.as_ref().ok_or(Gone)?;
            let known = read(file);
            // Asked afterwards: a file that is still in use now was so when it was read.
            if is_linked(file) {
                Ok(known)
            } else {
                Err(Gone)
            }
        }

        /// Turns to the file that is there now, if one is.
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
                // Another store of this process may be using it: leaked on purpose, see the field.
                let _ = file.into_raw_fd();
            }
        }
    }

    /// Reads a whole header. A commit writes the second copy first, so that two equal copies are
    /// never half of one commit and half of another.
    fn read(file: &File) -> Option<u64> {
        let mut both = [0; 2 * HEADER];
        file.read_exact_at(&mut both, 0).ok()?;
        let (first, second) = both.split_at(HEADER);
        let whole = first == second && first.get(IS_INIT).is_some_and(|byte| *byte != 0);
        let mut hash = DefaultHasher::new();
        hash.write(first);
        whole.then(|| hash.finish())
    }

    /// Whether the file is still the one that connections would open: the last one to close removes
    /// it, and nobody has locks on a file that was removed.
    fn is_linked(file: &File) -> bool {
        file.metadata().is_ok_and(|metadata| metadata.nlink() > 0)
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
