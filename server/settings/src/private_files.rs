//! Keeps the server's files private from other users of the machine: folders 0700, files 0600.
//!
//! On systems other than Unix the access lists of the folders decide, and nothing is changed.

use std::path::Path;

/// Makes everything that this process creates from now on accessible to its user alone.
pub fn create_privately() {
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
}

/// Removes other users' access to the server's files in a data directory, to the directory itself if it
/// holds nothing else, and to a database file elsewhere with the files that SQLite keeps beside it.
/// A file that belongs to another user or cannot be changed stays as it is, and a warning is logged.
pub fn tighten(data_dir: &Path, database: Option<&Path>) {
    #[cfg(unix)]
    {
        let mut unchanged = 0;
        unix::tighten_data_dir(data_dir, &mut unchanged);
        for file in database.into_iter().flat_map(unix::with_companions) {
            unix::tighten_one(&file, &mut unchanged);
        }
        if unchanged > 0 {
            tracing::warn!(
                files = unchanged,
                "other users of this machine may read some of the server's files: they belong to \
                 another user or cannot be changed"
            );
        }
    }
    #[cfg(not(unix))]
    let _ = (data_dir, database);
}

#[cfg(unix)]
mod unix {
    use std::{
        ffi::OsString,
        fs::{self, Metadata, Permissions},
        os::unix::fs::{MetadataExt as _, PermissionsExt as _},
        path::{Path, PathBuf},
    };

    /// How many levels of folders below the index's folder are tightened.
    const MAX_DEPTH: u32 = 8;
    /// The index's folder in the data directory.
    const INDEX: &str = "index";
    /// Prefix of the names of the server's other files in it.
    const PREFIX: &str = "recall-kit";

    /// The permission bits of the group and of others.
    const OTHERS: u32 = 0o077;

    /// Tightens the server's files in a data directory. The configured folder may also hold other files:
    /// then these and the folder itself stay as they are.
    pub(super) fn tighten_data_dir(data_dir: &Path, unchanged: &mut u32) {
        let mut is_shared = false;
        for entry in fs::read_dir(data_dir).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if name == INDEX {
                tighten_all(&entry.path(), MAX_DEPTH, unchanged);
            } else if name.to_string_lossy().starts_with(PREFIX) {
                tighten_one(&entry.path(), unchanged);
            } else {
                is_shared = true;
            }
        }
        if !is_shared {
            tighten_one(data_dir, unchanged);
        }
    }

    /// Tightens a folder and all that is in it; symbolic links are not followed.
    fn tighten_all(path: &Path, depth: u32, unchanged: &mut u32) {
        let is_folder = tighten_one(path, unchanged).is_some_and(|found| found.is_dir());
        if !is_folder || depth == 0 {
            return;
        }
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            tighten_all(&entry.path(), depth - 1, unchanged);
        }
    }

    /// Tightens one file or folder and returns its metadata; `None` if it does not exist.
    pub(super) fn tighten_one(path: &Path, unchanged: &mut u32) -> Option<Metadata> {
        let found = fs::symlink_metadata(path).ok()?;
        let mode = found.mode();
        if found.is_symlink() || mode & OTHERS == 0 {
            return Some(found);
        }
        let is_own = found.uid() == rustix::process::geteuid().as_raw();
        let private = Permissions::from_mode(mode & !OTHERS);
        if !is_own || fs::set_permissions(path, private).is_err() {
            *unchanged += 1;
        }
        Some(found)
    }

    /// Returns the paths of a database file and of the files that SQLite keeps beside it.
    pub(super) fn with_companions(database: &Path) -> impl Iterator<Item = PathBuf> {
        ["", "-wal", "-shm", "-journal"]
            .into_iter()
            .map(move |suffix| {
                let mut name = OsString::from(database);
                name.push(suffix);
                PathBuf::from(name)
            })
    }
}
