//! The files of the sessions: one for each, readable only for the user, bounded in size and number. Two processes can use
//! them at once.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant, SystemTime},
};

use tempfile::NamedTempFile;

use super::{super::hash::hash, Session};

/// The maximum size of a file. *Unit*: bytes.
const MAX_BYTES: u64 = 64 << 10;
/// The maximum number of files.
const MAX_FILES: usize = 64;
/// How long a session is remembered.
const MAX_AGE: Duration = Duration::from_secs(14 * 24 * 3600);
/// How long to wait for another process, which needs a few milliseconds.
const LOCK_TIMEOUT: Duration = Duration::from_millis(400);
const PAUSE: Duration = Duration::from_millis(5);
const LOCK: &str = "lock";
const SUFFIX: &str = "json";

/// The folder with the state of the user's sessions.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    folder: PathBuf,
}

impl Store {
    /// Returns the folder in the user's data folder; `None` if the platform has none.
    pub(crate) fn of_user() -> Option<Self> {
        let dirs = directories::ProjectDirs::from("", "", "recall-kit")?;
        Some(Self::at(dirs.data_local_dir().join("hooks")))
    }

    pub(super) fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Changes the state of a session while no other process does. A damaged file counts as a new session.
    ///
    /// *Errors*: if the folder cannot be used, or another process has the lock for too long.
    pub(crate) fn update<T>(
        &self,
        session: &str,
        change: impl FnOnce(&mut Session) -> T,
    ) -> io::Result<T> {
        make_private_folder(&self.folder)?;
        let _lock = self.lock()?;
        let path = self.folder.join(format!("{:016x}.{SUFFIX}", hash(session)));
        let known = read(&path);
        let is_new = known.is_none();
        let before = known.unwrap_or_default();
        let mut after = before.clone();
        let result = change(&mut after);
        if after != before {
            write(&self.folder, &path, &after)?;
        }
        if is_new {
            self.forget_old();
        }
        Ok(result)
    }

    fn lock(&self) -> io::Result<File> {
        let file = private(OpenOptions::new().create(true).truncate(false).write(true))
            .open(self.folder.join(LOCK))?;
        let end = Instant::now() + LOCK_TIMEOUT;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(fs::TryLockError::WouldBlock) if Instant::now() < end => thread::sleep(PAUSE),
                Err(fs::TryLockError::WouldBlock) => return Err(io::ErrorKind::WouldBlock.into()),
                Err(fs::TryLockError::Error(error)) => return Err(error),
            }
        }
    }

    /// Removes the files of the oldest sessions. A time in the future is that of a clock that was wrong: such a file is
    /// the first to go.
    fn forget_old(&self) {
        let now = SystemTime::now();
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        let mut files: Vec<(Duration, PathBuf)> = paths
            .filter(|path| path.extension().is_some_and(|suffix| suffix == SUFFIX))
            .map(|path| {
                let changed = fs::metadata(&path).and_then(|metadata| metadata.modified());
                let age = changed
                    .ok()
                    .and_then(|changed| now.duration_since(changed).ok());
                (age.unwrap_or(Duration::MAX), path)
            })
            .collect();
        files.sort();
        for (at, (age, path)) in files.iter().enumerate() {
            // The newest one is the one that was just written, whatever the clock says.
            if at >= MAX_FILES || (at > 0 && *age > MAX_AGE) {
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// Reads a session; `None` if there is no usable file.
fn read(path: &Path) -> Option<Session> {
    let mut text = String::new();
    let file = File::open(path).ok()?;
    let read = file.take(MAX_BYTES + 1).read_to_string(&mut text).ok()?;
    let is_small = read as u64 <= MAX_BYTES;
    is_small.then(|| serde_json::from_str(&text).ok())?
}

/// Replaces the file at once.
fn write(folder: &Path, path: &Path, session: &Session) -> io::Result<()> {
    let text = serde_json::to_string(session)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("the state of the session is too large"));
    }
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}
