//! A change of one file of an agent: worked out first, shown, then written.
//!
//! A file is replaced as a whole or not at all, keeps its mode, and is written where it really lies
//! when its place is a symbolic link. What it was is kept beside it, the latest few times.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use jiff::Timestamp;

use super::{Agent, EditError, piece::Piece};

/// How many backups of a file are kept.
const BACKUPS: usize = 3;
/// What a backup's name has between the file's name and the time.
const BACKUP_MARK: &str = ".recall-kit-backup-";
/// No settings are larger. *Unit*: bytes.
const LARGEST: u64 = 64 << 20;
/// How many symbolic links are followed.
const LINKS: usize = 40;

/// A file as it is and as it is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) agent: Agent,
    /// Where the file really lies.
    pub(crate) path: PathBuf,
    /// None where there is no file.
    pub(crate) before: Option<String>,
    /// None where the file is to go.
    pub(crate) after: Option<String>,
    origin: Origin,
}

/// Where the text that is to be written comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Origin {
    /// It is the present one, changed.
    Edited,
    /// It is what was there before the piece: a backup that is of no further use, or no file at all.
    Restored(Option<PathBuf>),
}

/// Why a file cannot be changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChangeError {
    /// It is not to be read or written.
    #[error("cannot {what} {}: {cause}", path.display())]
    File {
        what: &'static str,
        path: PathBuf,
        cause: io::Error,
    },
    /// What stands in it is in the way.
    #[error("{} was left alone: {cause}", path.display())]
    Content {
        path: PathBuf,
        cause: EditError,
        /// What a person can paste.
        by_hand: String,
    },
    /// Someone else wrote it after it was read.
    #[error("{} was changed by another program meanwhile and left alone", .0.display())]
    Overtaken(PathBuf),
}

impl Change {
    /// Works out how a file looks with a piece in it.
    pub(crate) fn adding(
        agent: Agent,
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
            agent,
            path,
            before,
            after: Some(after),
            origin: Origin::Edited,
        })
    }

    /// Works out how a file looks without a piece: to the byte as it was before, where nothing else
    /// was changed since.
    pub(crate) fn removing(agent: Agent, path: &Path, piece: &Piece) -> Result<Self, ChangeError> {
        let path = real(path);
        let before = read(&path)?;
        let unchanged = Self {
            agent,
            path,
            after: before.clone(),
            before,
            origin: Origin::Edited,
        };
        let Some(text) = &unchanged.before else {
            return Ok(unchanged);
        };
        let cut = piece.removed(text);
        let cut = cut.map_err(|cause| content(&unchanged.path, piece, cause))?;
        let Some(cut) = cut else {
            return Ok(unchanged);
        };
        let (after, origin) = match original(&unchanged.path, text, piece) {
            Some((text, backup)) => (text, Origin::Restored(backup)),
            None => (Some(cut), Origin::Edited),
        };
        Ok(Self {
            after,
            origin,
            ..unchanged
        })
    }

    /// Says whether anything changes.
    pub(crate) fn is_needed(&self) -> bool {
        self.before != self.after
    }

    /// Writes the file, after a backup, whose path is returned.
    pub(crate) fn write(&self) -> Result<Option<PathBuf>, ChangeError> {
        if read(&self.path)? != self.before {
            return Err(ChangeError::Overtaken(self.path.clone()));
        }
        let failed = |cause| ChangeError::File {
            what: "write",
            path: self.path.clone(),
            cause,
        };
        let backup = match (&self.before, &self.origin) {
            (Some(_), Origin::Edited) => Some(back_up(&self.path).map_err(failed)?),
            _ => None,
        };
        match &self.after {
            Some(text) => replace(&self.path, text).map_err(failed)?,
            None => fs::remove_file(&self.path).map_err(failed)?,
        }
        if let Origin::Restored(Some(used)) = &self.origin {
            // One that stays is no harm.
            let _ = fs::remove_file(used);
        }
        Ok(backup)
    }
}

fn content(path: &Path, piece: &Piece, cause: EditError) -> ChangeError {
    ChangeError::Content {
        path: path.to_owned(),
        cause,
        by_hand: piece.by_hand(),
    }
}

/// Follows symbolic links, also to a file that does not exist yet.
fn real(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
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
    let failed = |cause| ChangeError::File {
        what: "read",
        path: path.to_owned(),
        cause,
    };
    match fs::metadata(path) {
        Ok(found) if found.len() > LARGEST => {
            return Err(failed(io::ErrorKind::FileTooLarge.into()));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        _ => {}
    }
    fs::read_to_string(path).map(Some).map_err(failed)
}

/// Returns what the file was before the piece was added, where adding it to that gives the file as
/// it is now: a backup, with its path, or no file at all.
fn original(path: &Path, now: &str, piece: &Piece) -> Option<(Option<String>, Option<PathBuf>)> {
    let installed = piece.installed(now)?;
    let gives_this = |text: &str| installed.added(text, true).is_ok_and(|made| made == now);
    // A backup that has the piece is of an update.
    let is_original = |text: &str| matches!(piece.removed(text), Ok(None)) && gives_this(text);
    let backups = backups(path).into_iter().rev();
    let mut kept = backups.filter_map(|backup| Some((fs::read_to_string(&backup).ok()?, backup)));
    match kept.find(|(text, _)| is_original(text)) {
        Some((text, backup)) => Some((Some(text), Some(backup))),
        None => gives_this("").then_some((None, None)),
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

/// Copies a file beside itself, mode included, and takes away the oldest copies.
fn back_up(path: &Path) -> io::Result<PathBuf> {
    let now = Timestamp::now().strftime("%Y%m%dT%H%M%S%3fZ");
    let mut name = path.as_os_str().to_owned();
    name.push(format!("{BACKUP_MARK}{now}"));
    let backup = PathBuf::from(name);
    fs::copy(path, &backup)?;
    let backups = backups(path);
    let too_many = backups.len().saturating_sub(BACKUPS);
    for old in backups.iter().take(too_many) {
        // One that stays is no harm.
        let _ = fs::remove_file(old);
    }
    Ok(backup)
}

/// Puts a file in the place of another in one step.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(dir)?;
    let mode = fs::metadata(path).map(|found| found.permissions());
    #[cfg_attr(not(unix), expect(unused_mut, reason = "modes are Unix's"))]
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // As any new file; the umask takes its part away.
        let usual = fs::Permissions::from_mode(0o666);
        builder.permissions(mode.as_ref().unwrap_or(&usual).clone());
    }
    let mut file = builder.tempfile_in(dir)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    if let Ok(mode) = mode {
        file.as_file().set_permissions(mode)?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
