//! The folder in which git keeps what it knows of a clone, and how small files are read. In a linked worktree and in a
//! submodule, `.git` is a file that names this folder.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The maximum size of a file with rules or settings. *Unit*: bytes.
const MAX_BYTES: u64 = 1 << 20;

/// What is in a small file.
pub(crate) enum Text {
    Read(String),
    /// There is no such file.
    Absent,
    /// It is too large, is no regular file, is not UTF-8, or cannot be read.
    Unreadable,
}

/// Reads a small text file.
pub(crate) fn read(path: &Path) -> Text {
    match path.metadata() {
        Err(error) if is_absence(&error) => Text::Absent,
        Ok(metadata) if metadata.is_file() && metadata.len() <= MAX_BYTES => {
            fs::read_to_string(path).map_or(Text::Unreadable, Text::Read)
        }
        Ok(_) | Err(_) => Text::Unreadable,
    }
}

/// Whether an error says that there is no such file.
pub(crate) fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Where git keeps what it knows of a clone.
pub(crate) struct GitFolder {
    /// Of the clone or of its worktree.
    pub(crate) own: PathBuf,
    /// Of the clone and all its worktrees.
    pub(crate) common: PathBuf,
}

impl GitFolder {
    /// Finds that of a root; nothing if git does not know the root, `None` if it cannot be known.
    #[allow(clippy::option_option)]
    pub(crate) fn of(root: &Path) -> Option<Option<Self>> {
        let Some(own) = own(root)? else {
            return Some(None);
        };
        let common = match read(&own.join("commondir")) {
            Text::Read(path) => own.join(path.trim()),
            Text::Absent => own.clone(),
            Text::Unreadable => return None,
        };
        Some(Some(Self { own, common }))
    }
}

/// Returns the folder that git uses for a root; nothing if git does not know the root, `None` if it cannot be known.
#[allow(clippy::option_option)]
fn own(root: &Path) -> Option<Option<PathBuf>> {
    let mark = root.join(".git");
    match mark.metadata() {
        Ok(metadata) if metadata.is_dir() => Some(Some(mark)),
        Ok(_) => match read(&mark) {
            Text::Read(text) => {
                let path = text.strip_prefix("gitdir:")?.trim();
                let folder = root.join(path);
                folder.is_dir().then_some(Some(folder))
            }
            Text::Absent | Text::Unreadable => None,
        },
        Err(error) if is_absence(&error) => Some(None),
        Err(_) => None,
    }
}
