//! A change of one file of an agent: it is prepared, shown, then written.
//!
//! A file is replaced atomically and keeps its mode; if it is a symbolic link, the target is replaced. The old content
//! is kept in a backup beside it; the last three backups are kept.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use tempfile::NamedTempFile;

use super::{EditError, piece::Piece};

/// The number of backups of a file that are kept.
const BACKUPS: usize = 3;
/// The part of a backup's name between the file's name and the time.
const BACKUP_MARK: &str = ".recall-kit-backup-";
/// The maximum size of a file of settings. *Unit*: bytes.
const MAX_BYTES: u64 = 64 << 20;
/// The maximum number of symbolic links that are followed.
const MAX_LINKS: usize = 40;
/// The mode of a new file; the umask is applied to it.
const USUAL_MODE: u32 = 0o666;
/// The mode of a new file that only the user may read.
const PRIVATE_MODE: u32 = 0o600;

/// The old and the new content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    /// The name of the program whose file it is.
    pub(crate) owner: &'static str,
    /// The path without symbolic links.
    pub(crate) path: PathBuf,
    /// `None` if there is no file.
    pub(crate) before: Option<String>,
    /// `None` if the file will be deleted.
    pub(crate) after: Option<String>,
    origin: Origin,
}

/// The origin of the new content.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Origin {
    /// The current content with a change.
    Edited,
    /// The content before the piece was added: a backup, which is no longer needed, or no file.
    Restored(Option<PathBuf>),
    /// The complete content of a file of this program. A new file is readable only for the user, and no backup is made.
    Replaced,
}

/// Why a file cannot be changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChangeError {
    /// The file cannot be read or written.
    #[error("cannot {what} {}: {cause}", path.display())]
    File {
        what: &'static str,
        path: PathBuf,
        cause: io::Error,
    },
    /// The content cannot be changed.
    #[error("{} was not changed: {cause}", path.display())]
    Content {
        path: PathBuf,
        cause: EditError,
        /// The text that the user can paste.
        by_hand: String,
    },
    /// Another program changed the file after it was read.
    #[error("{} was changed by another program meanwhile, so it was not written", .0.display())]
    Overtaken(PathBuf),
}

impl Change {
    /// Prepares the addition of a piece to a file.
    pub(crate) fn adding(
        owner: &'static str,
        path: &Path,
        piece: &Piece,
        force: bool,
    ) -> Result<Self, ChangeError> {
        let path = real(path);
        let before = read(&path)?;
        let after = piece
            .added(before.as_deref().unwrap_or_default(), force)
            .map_err(|cause| content(&path, piece, cause))?;
        Ok(Self {
            owner,
            path,
            before,
            after: Some(after),
            origin: Origin::Edited,
        })
    }

    /// Prepares the removal of a piece from a file. If nothing else was changed since it was added, the file becomes
    /// identical to what it was before.
    pub(crate) fn removing(
        owner: &'static str,
        path: &Path,
        piece: &Piece,
    ) -> Result<Self, ChangeError> {
        let path = real(path);
        let before = read(&path)?;
        let unchanged = Self {
            owner,
            path,
            after: before.clone(),
            before,
            origin: Origin::Edited,
        };
        let Some(text) = &unchanged.before else {
            return Ok(unchanged);
        };
        let removed = piece.removed(text);
        let removed = removed.map_err(|cause| content(&unchanged.path, piece, cause))?;
        let Some(removed) = removed else {
            return Ok(unchanged);
        };
        let (after, origin) = match original(&unchanged.path, text, piece) {
            Some((text, backup)) => (text, Origin::Restored(backup)),
            None => (Some(removed), Origin::Edited),
        };
        Ok(Self {
            after,
            origin,
            ..unchanged
        })
    }

    /// Prepares a file of this program with this content, whatever it contains now.
    pub(crate) fn replacing(
        owner: &'static str,
        path: &Path,
        text: String,
    ) -> Result<Self, ChangeError> {
        let path = real(path);
        Ok(Self {
            owner,
            before: read_any(&path)?,
            path,
            after: Some(text),
            origin: Origin::Replaced,
        })
    }

    /// Returns whether anything changes.
    pub(crate) fn is_needed(&self) -> bool {
        self.before != self.after
    }

    /// Makes a backup, writes the file, and returns the path of the backup. The file is compared with what was read
    /// once more just before it is replaced.
    ///
    /// *Errors*: [`ChangeError::Overtaken`] if another program has changed it; then it is left as it is.
    pub(crate) fn write(&self) -> Result<Option<PathBuf>, ChangeError> {
        self.check_unchanged()?;
        let failed = |cause| ChangeError::File {
            what: "write",
            path: self.path.clone(),
            cause,
        };
        let backup = match (&self.before, &self.origin) {
            (Some(_), Origin::Edited) => Some(back_up(&self.path).map_err(failed)?),
            _ => None,
        };
        let written = match &self.after {
            Some(text) => self.replace(text),
            None => self
                .check_unchanged()
                .and_then(|()| fs::remove_file(&self.path).map_err(failed)),
        };
        if let Err(error) = written {
            if let Some(unneeded) = &backup {
                let _ = fs::remove_file(unneeded);
            }
            return Err(error);
        }
        if let Origin::Restored(Some(used)) = &self.origin {
            // A backup that cannot be removed does no harm.
            let _ = fs::remove_file(used);
        }
        Ok(backup)
    }

    /// Checks that the file still has the content that was shown.
    fn check_unchanged(&self) -> Result<(), ChangeError> {
        let now = match self.origin {
            Origin::Replaced => read_any(&self.path)?,
            Origin::Edited | Origin::Restored(_) => read(&self.path)?,
        };
        match now == self.before {
            true => Ok(()),
            false => Err(ChangeError::Overtaken(self.path.clone())),
        }
    }

    /// Replaces the file atomically.
    fn replace(&self, text: &str) -> Result<(), ChangeError> {
        let failed = |cause| ChangeError::File {
            what: "write",
            path: self.path.clone(),
            cause,
        };
        let new_mode = match self.origin {
            Origin::Replaced => PRIVATE_MODE,
            Origin::Edited | Origin::Restored(_) => USUAL_MODE,
        };
        let file = new_file(&self.path, text, new_mode).map_err(failed)?;
        self.check_unchanged()?;
        let persisted = match &self.before {
            Some(_) => file.persist(&self.path),
            None => file.persist_noclobber(&self.path),
        };
        match persisted {
            Ok(_) => Ok(()),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                Err(ChangeError::Overtaken(self.path.clone()))
            }
            Err(error) => Err(failed(error.error)),
        }
    }
}

fn content(path: &Path, piece: &Piece, cause: EditError) -> ChangeError {
    ChangeError::Content {
        path: path.to_owned(),
        cause,
        by_hand: piece.by_hand(),
    }
}

/// Follows symbolic links, even to a file that does not exist yet.
fn real(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(target) = fs::read_link(&path) else {
            break;
        };
        path = match path.parent() {
            Some(dir) => dir.join(target),
            None => target,
        };
    }
    path
}

fn read(path: &Path) -> Result<Option<String>, ChangeError> {
    read_bytes(path, |bytes| {
        String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    })
}

/// Reads a file that will be replaced; it need not be text.
fn read_any(path: &Path) -> Result<Option<String>, ChangeError> {
    read_bytes(path, |bytes| {
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    })
}

fn read_bytes(
    path: &Path,
    decode: impl FnOnce(Vec<u8>) -> io::Result<String>,
) -> Result<Option<String>, ChangeError> {
    let failed = |cause| ChangeError::File {
        what: "read",
        path: path.to_owned(),
        cause,
    };
    match fs::metadata(path) {
        Ok(found) if found.len() > MAX_BYTES => {
            return Err(failed(io::ErrorKind::FileTooLarge.into()));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        _ => {}
    }
    let text = fs::read(path).and_then(decode);
    text.map(Some).map_err(failed)
}

/// Returns the content before the piece was added, if adding the piece to it gives the current file: that of a backup,
/// with its path, or no file.
fn original(path: &Path, now: &str, piece: &Piece) -> Option<(Option<String>, Option<PathBuf>)> {
    let installed = piece.installed(now)?;
    let gives_current = |text: &str| installed.added(text, true).is_ok_and(|made| made == now);
    // A backup that contains the piece is from an update.
    let is_original = |text: &str| matches!(piece.removed(text), Ok(None)) && gives_current(text);
    let backups = backups(path).into_iter().rev();
    let mut texts = backups.filter_map(|backup| Some((fs::read_to_string(&backup).ok()?, backup)));
    match texts.find(|(text, _)| is_original(text)) {
        Some((text, backup)) => Some((Some(text), Some(backup))),
        None => gives_current("").then_some((None, None)),
    }
}

/// Returns the backups of a file, the oldest first.
fn backups(path: &Path) -> Vec<PathBuf> {
    let (Some(dir), Some(name)) = (path.parent(), path.file_name()) else {
        return Vec::new();
    };
    let mark = format!("{}{BACKUP_MARK}", name.to_string_lossy());
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut backups: Vec<PathBuf> = entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&mark))
        .map(|entry| entry.path())
        .collect();
    backups.sort();
    backups
}

/// Copies a file to a backup beside it, including its mode, and removes the oldest backups.
fn back_up(path: &Path) -> io::Result<PathBuf> {
    let now = Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
    let mut name = path.as_os_str().to_owned();
    name.push(format!("{BACKUP_MARK}{now}"));
    let backup = PathBuf::from(name);
    fs::copy(path, &backup)?;
    let backups = backups(path);
    let too_many = backups.len().saturating_sub(BACKUPS);
    for old in backups.iter().take(too_many) {
        // A backup that cannot be removed does no harm.
        let _ = fs::remove_file(old);
    }
    Ok(backup)
}

/// Writes the text to a temporary file beside `path`, with its mode, or with `new_mode` if there is no such file.
#[cfg_attr(not(unix), expect(unused_variables, reason = "modes are Unix's"))]
fn new_file(path: &Path, text: &str, new_mode: u32) -> io::Result<NamedTempFile> {
    let dir = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(dir)?;
    let mode = fs::metadata(path).map(|found| found.permissions());
    #[cfg_attr(not(unix), expect(unused_mut, reason = "modes are Unix's"))]
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let usual = fs::Permissions::from_mode(new_mode);
        builder.permissions(mode.as_ref().unwrap_or(&usual).clone());
    }
    let mut file = builder.tempfile_in(dir)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    if let Ok(mode) = mode {
        file.as_file().set_permissions(mode)?;
    }
    Ok(file)
}
