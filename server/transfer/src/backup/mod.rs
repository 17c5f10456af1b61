//! Backups of a SQLite database: a complete, checked file, made while servers write, and restored in one
//! step.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use recall_kit_store::{FileError, HeldFile, Holdings, check_file, copy_file};
use tempfile::NamedTempFile;

/// Why a backup was not made or not restored; existing files are unchanged.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The file exists already.
    #[error("{0} is there already; give another name, or --force to replace it")]
    Exists(PathBuf),
    /// There is no such file.
    #[error("there is no file {0}")]
    Missing(PathBuf),
    /// Backup and database are the same file.
    #[error("{0} is the database itself")]
    Same(PathBuf),
    /// A file cannot be used.
    #[error("cannot use {path}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: FileError,
    },
    /// The copy differs from the original.
    #[error("the copy does not contain the same as {0}")]
    Unequal(PathBuf),
    /// A file could not be written.
    #[error("cannot write {path}")]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Copies a database into a file, which appears complete and checked or not at all; returns its contents
/// and its size in bytes.
///
/// *Errors*: [`BackupError`].
pub async fn backup(
    database: &Path,
    file: &Path,
    force: bool,
    patience: Duration,
) -> Result<(Holdings, u64), BackupError> {
    if !database.is_file() {
        return Err(BackupError::Missing(database.to_owned()));
    }
    reject_same(database, file)?;
    if file.exists() && !force {
        return Err(BackupError::Exists(file.to_owned()));
    }
    let file = &resolve_link(file)?;
    let logs = logs_of(file);
    if let Some(log) = logs.iter().find(|log| log.exists() && !force) {
        return Err(BackupError::Exists(log.clone()));
    }
    let copy = copy_beside(database, file, patience).await?;
    let holdings = check(copy.path(), patience).await?;
    let size = copy.as_file().metadata().map_err(written(file))?.len();
    // They belong to an earlier backup that was opened, and SQLite would apply them to the new one.
    for log in logs.iter().filter(|log| log.exists()) {
        fs::remove_file(log).map_err(written(log))?;
    }
    let persisted = match force {
        true => copy.persist(file).map(drop),
        false => copy.persist_noclobber(file).map(drop),
    };
    persisted.map_err(|error| written(file)(error.error))?;
    sync_folder(file)?;
    Ok((holdings, size))
}

/// Replaces a database by a backup, completely or not at all; returns its contents. `before` is called
/// when everything is prepared and nothing has been changed yet.
///
/// *Errors*: [`BackupError`]; the old database is unchanged then.
pub async fn restore(
    file: &Path,
    database: &Path,
    force: bool,
    patience: Duration,
    before: impl FnOnce(&Holdings) -> io::Result<()>,
) -> Result<Holdings, BackupError> {
    if !file.is_file() {
        return Err(BackupError::Missing(file.to_owned()));
    }
    reject_same(file, database)?;
    if database.exists() && !force {
        return Err(BackupError::Exists(database.to_owned()));
    }
    let database = &resolve_link(database)?;
    let holdings = check(file, patience).await?;
    let existed = database.exists();
    let held = lock_old(database, patience).await?;
    let copied = async {
        fs::create_dir_all(folder_of(database)).map_err(written(database))?;
        let copy = copy_beside(file, database, patience).await?;
        if check(copy.path(), patience).await? != holdings {
            return Err(BackupError::Unequal(file.to_owned()));
        }
        before(&holdings).map_err(written(database))?;
        match existed {
            true => replace(copy, database),
            false => persist_new(copy, database, force),
        }
    };
    let replaced = copied.await;
    if let Some(held) = held {
        held.release().await;
    }
    replaced.map(|()| holdings)
}

/// Locks the old database so that no server can begin to use it. A damaged or foreign file cannot be locked
/// and is replaced without a lock.
async fn lock_old(database: &Path, patience: Duration) -> Result<Option<HeldFile>, BackupError> {
    if !database.exists() {
        return Ok(None);
    }
    match HeldFile::take(database, patience).await {
        Ok(held) => Ok(Some(held)),
        Err(FileError::Foreign | FileError::Damaged(_)) => Ok(None),
        Err(source) => Err(BackupError::File {
            path: database.to_owned(),
            source,
        }),
    }
}

async fn check(file: &Path, patience: Duration) -> Result<Holdings, BackupError> {
    let checked = check_file(file, patience).await;
    checked.map_err(|source| BackupError::File {
        path: file.to_owned(),
        source,
    })
}

/// Copies a database into a temporary file in the folder of the target, and syncs it to disk.
async fn copy_beside(
    database: &Path,
    target: &Path,
    patience: Duration,
) -> Result<NamedTempFile, BackupError> {
    let copy = NamedTempFile::new_in(folder_of(target)).map_err(written(target))?;
    let copied = copy_file(database, copy.path(), patience).await;
    copied.map_err(|source| BackupError::File {
        path: database.to_owned(),
        source,
    })?;
    copy.as_file().sync_all().map_err(written(target))?;
    Ok(copy)
}

/// Renames a copy to a database that did not exist, unless a server created one meanwhile.
fn persist_new(copy: NamedTempFile, database: &Path, force: bool) -> Result<(), BackupError> {
    for log in logs_of(database).into_iter().filter(|log| log.exists()) {
        if !force {
            return Err(BackupError::Exists(log));
        }
        fs::remove_file(&log).map_err(written(&log))?;
    }
    match copy.persist_noclobber(database) {
        Ok(_) => sync_folder(database),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            Err(BackupError::Exists(database.to_owned()))
        }
        Err(error) => Err(written(database)(error.error)),
    }
}

/// Renames a copy to the database's name in one step; the old files are kept under other names until that
/// is done. The old write-ahead log is moved first, since SQLite would apply it to the new file.
fn replace(copy: NamedTempFile, database: &Path) -> Result<(), BackupError> {
    if let Ok(present) = fs::metadata(database) {
        fs::set_permissions(copy.path(), present.permissions()).map_err(written(database))?;
        keep_owner(copy.path(), &present).map_err(written(database))?;
    }
    let aside = Aside::move_old(database, |file, name| fs::hard_link(file, name));
    let aside = aside.map_err(written(database))?;
    match copy.persist(database) {
        Ok(_) => {
            aside.remove();
            sync_folder(database)
        }
        Err(error) => {
            aside.put_back();
            Err(written(database)(error.error))
        }
    }
}

/// The old files that have other names for now.
struct Aside {
    moved: Vec<(PathBuf, PathBuf)>,
}

impl Aside {
    /// Moves log and shared memory away, and gives the file itself a second name, so that there is a
    /// database under the first name at every moment.
    ///
    /// If the file system has no hard links, the file keeps its only name until the new file replaces it
    /// in one step. Copying it instead would open the file here, and closing it would drop the locks that
    /// keep servers out, since POSIX locks belong to the process.
    fn move_old(
        database: &Path,
        second_name: impl Fn(&Path, &Path) -> io::Result<()>,
    ) -> io::Result<Self> {
        let mut aside = Self { moved: Vec::new() };
        for suffix in ["-wal", "-shm", "-journal", ""] {
            let from = with_suffix(database, suffix);
            if !from.exists() {
                continue;
            }
            let to = with_suffix(&with_suffix(database, ".before-restore"), suffix);
            if to.exists() {
                fs::remove_file(&to)?;
            }
            let moved = match suffix {
                "" => second_name(&from, &to),
                _ => fs::rename(&from, &to),
            };
            match moved {
                Ok(()) => aside.moved.push((from, to)),
                Err(_) if suffix.is_empty() => {}
                Err(error) => {
                    aside.put_back();
                    return Err(error);
                }
            }
        }
        Ok(aside)
    }

    /// Restores the original names.
    fn put_back(self) {
        for (from, to) in self.moved {
            // The file itself has both names: renaming one to the other would do nothing.
            match from.exists() {
                true => fs::remove_file(&to).ok(),
                false => fs::rename(&to, &from).ok(),
            };
        }
    }

    /// Removes the old files.
    fn remove(self) {
        for (_, to) in self.moved {
            fs::remove_file(to).ok();
        }
    }
}

fn reject_same(one: &Path, other: &Path) -> Result<(), BackupError> {
    let same = fs::canonicalize(one).ok().zip(fs::canonicalize(other).ok());
    match same.is_some_and(|(one, other)| one == other) {
        true => Err(BackupError::Same(other.to_owned())),
        false => Ok(()),
    }
}

/// Returns the target of a symbolic link, so that the target is replaced and not the link.
///
/// *Errors*: [`BackupError::Write`] for a broken link.
fn resolve_link(file: &Path) -> Result<PathBuf, BackupError> {
    match fs::symlink_metadata(file) {
        Ok(present) if present.is_symlink() => fs::canonicalize(file).map_err(written(file)),
        _ => Ok(file.to_owned()),
    }
}

/// Returns the paths of the files that SQLite keeps beside a database.
fn logs_of(file: &Path) -> [PathBuf; 3] {
    ["-wal", "-shm", "-journal"].map(|suffix| with_suffix(file, suffix))
}

/// Gives a file the owner of the one that it replaces, since root may restore for the server's user.
#[cfg(unix)]
fn keep_owner(file: &Path, present: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, chown};
    let own = fs::metadata(file)?;
    if (own.uid(), own.gid()) == (present.uid(), present.gid()) {
        return Ok(());
    }
    chown(file, Some(present.uid()), Some(present.gid()))
}

#[cfg(not(unix))]
fn keep_owner(_file: &Path, _present: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

fn sync_folder(file: &Path) -> Result<(), BackupError> {
    // A new name is on disk only after the folder is synced. Not every system can open a folder.
    #[cfg(unix)]
    fs::File::open(folder_of(file))
        .and_then(|folder| folder.sync_all())
        .map_err(written(file))?;
    Ok(())
}

fn folder_of(file: &Path) -> &Path {
    let folder = file.parent().filter(|path| !path.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn written(path: &Path) -> impl Fn(io::Error) -> BackupError {
    move |source| BackupError::Write {
        path: path.to_owned(),
        source,
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
