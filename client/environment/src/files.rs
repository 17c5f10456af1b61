//! Files are read with care: only regular files, up to a size, as text, and without waiting for a pipe.

use std::{
    collections::BTreeMap,
    fs::{File, Metadata, OpenOptions},
    io::{self, Read as _},
    path::{Component, Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::locks::Problem;

/// The maximum size of a lock file. *Unit*: bytes.
pub(crate) const MAX_LOCK_BYTES: u64 = 16 << 20;
/// The most files that one file may lead to, such as files of requirements and parents of a `pom.xml`.
const MAX_OTHERS: usize = 40;

/// How long ago a file must have been changed for its time to tell.
const SETTLED_AFTER: Duration = Duration::from_secs(2);

/// The state of a file: when it was changed and how large it is; `None` if there is none.
pub(crate) type Stamp = Option<(u128, u64)>;

/// Returns the state of a file.
pub(crate) fn stamp(path: &Path) -> Stamp {
    path.metadata().ok().map(|metadata| stamp_of(&metadata))
}

fn stamp_of(metadata: &Metadata) -> (u128, u64) {
    let changed = metadata.modified().ok();
    let since = changed.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    (since.map_or(0, |since| since.as_nanos()), metadata.len())
}

/// Returns whether a later change of a file will have another time: systems round times, some of them to two seconds.
pub(crate) fn is_settled(stamp: Stamp) -> bool {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let latest = since.unwrap_or_default().saturating_sub(SETTLED_AFTER);
    stamp.is_none_or(|(changed, _)| changed <= latest.as_nanos())
}

/// Returns the state of a file whose folder has no links above it.
///
/// *Errors*: if it is a link that leads out of the repository.
pub(crate) fn stamp_inside(path: &Path, root: &Path) -> Result<Stamp, Problem> {
    match path.symlink_metadata() {
        Ok(metadata) if !metadata.is_symlink() => Ok(Some(stamp_of(&metadata))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        _ if is_inside(path, root) => Ok(stamp(path)),
        _ => Err(Problem::Outside),
    }
}

/// Returns the text of a file; `None` if there is none.
///
/// *Errors*: if it is no regular file, is too large, is no text, or cannot be opened.
pub(crate) fn read(path: &Path, max: u64) -> Result<Option<String>, Problem> {
    let file = match open(path) {
        Ok(file) => file,
        Err(error) => {
            return match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(None),
                _ => Err(Problem::Unreadable),
            };
        }
    };
    let metadata = file.metadata().map_err(|_| Problem::Unreadable)?;
    if !metadata.is_file() {
        return Err(Problem::NotAFile);
    }
    if metadata.len() > max {
        return Err(Problem::TooLarge);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    let read = file.take(max + 1).read_to_end(&mut bytes);
    let length = read.map_err(|_| Problem::Unreadable)?;
    if length as u64 > max {
        return Err(Problem::TooLarge);
    }
    if bytes.starts_with(&[0xef, 0xbb, 0xbf]) {
        bytes.drain(..3);
    }
    let text = String::from_utf8(bytes).map_err(|_| Problem::NotText)?;
    if text.contains('\0') {
        return Err(Problem::NotText);
    }
    Ok(Some(text))
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // Opening a pipe without a writer would wait for one.
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(i32::try_from(flags.bits()).unwrap_or_default());
    }
    options.open(path)
}

/// Opens the files that a lock file leads to: none outside of a folder, none twice, and not too many.
#[derive(Debug)]
pub(crate) struct Others<'a> {
    /// The folder of the repository.
    root: &'a Path,
    /// The folder of the file that is being read.
    pub(crate) folder: &'a Path,
    /// The files that were asked for, as they were, so that it is known when they change.
    pub(crate) seen: BTreeMap<PathBuf, Stamp>,
}

impl<'a> Others<'a> {
    pub(crate) fn new(root: &'a Path, folder: &'a Path) -> Self {
        Self {
            root,
            folder,
            seen: BTreeMap::new(),
        }
    }

    /// Returns whether a file was opened before.
    pub(crate) fn has_seen(&self, path: &Path) -> bool {
        self.seen.contains_key(&plain(path))
    }

    /// Returns the text of a file; `None` if there is none.
    ///
    /// *Errors*: if it is outside of the repository, one too many, or cannot be read.
    pub(crate) fn read(&mut self, path: &Path) -> Result<Option<String>, Problem> {
        let path = plain(path);
        if !path.starts_with(self.root) {
            return Err(Problem::Outside);
        }
        if self.seen.len() >= MAX_OTHERS {
            return Err(Problem::TooManyFiles);
        }
        self.seen.insert(path.clone(), stamp(&path));
        if !is_inside(&path, self.root) {
            return Err(Problem::Outside);
        }
        read(&path, MAX_LOCK_BYTES)
    }
}

/// Returns whether a path leads to a place inside of a folder; links may lead elsewhere. What does not exist is nowhere
/// else.
pub(crate) fn is_inside(path: &Path, root: &Path) -> bool {
    match path.canonicalize() {
        Ok(real) => real.starts_with(root),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

/// Returns a path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}
