//! Remembers which configuration files the user said yes or no to.
//!
//! A decision holds for one path and one content: a changed file needs a new one. The idea is
//! direnv's and that of the editors' workspace trust.

#[cfg(test)]
mod tests;

use std::{
    fs,
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use super::{FoundFile, Standing, ownership};

/// The file's name in the user's folder of configurations.
const FILE_NAME: &str = "trusted.json";
const VERSION: u32 = 1;
/// The most decisions that are kept; the oldest go first.
const MAX_DECISIONS: usize = 1_000;
/// The most bytes that are read.
const MAX_BYTES: u64 = 4 << 20;

/// What the user said to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustDecision {
    /// The file, without symbolic links.
    pub path: PathBuf,
    /// The SHA-256 of its content, in hexadecimal digits.
    pub sha256: String,
    /// Whether the answer was yes.
    pub trusted: bool,
    /// When it was given. *Unit*: seconds since 1970.
    pub decided_at: u64,
}

/// Where the decisions are kept.
#[derive(Debug, Clone)]
pub struct TrustStore {
    path: PathBuf,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Content {
    version: u32,
    files: Vec<TrustDecision>,
}

impl TrustStore {
    /// Returns the store in a folder of configurations.
    pub(super) fn in_folder(folder: &Path) -> Self {
        let path = folder.join(FILE_NAME);
        Self { path }
    }

    /// Returns the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Lists the decisions, the oldest first.
    ///
    /// *Errors*: [`TrustError`], for a file that cannot be read or that others may write.
    pub fn list(&self) -> Result<Vec<TrustDecision>, TrustError> {
        let file = match fs::File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(cause) => return Err(self.failed(cause)),
        };
        let canonical = fs::canonicalize(&self.path).map_err(|cause| self.failed(cause))?;
        if let Some(fault) =
            ownership::fault(&file, &canonical).map_err(|cause| self.failed(cause))?
        {
            return Err(self.failed(io::Error::other(fault.to_string())));
        }
        let mut text = Vec::new();
        let read = file.take(MAX_BYTES).read_to_end(&mut text);
        read.map_err(|cause| self.failed(cause))?;
        let content = serde_json::from_slice::<Content>(&text);
        match content {
            Ok(content) if content.version == VERSION => Ok(content.files),
            Ok(_) => Err(self.failed(io::Error::other("it was written by a newer program"))),
            Err(_) => Err(self.failed(io::Error::other("it is damaged"))),
        }
    }

    /// Keeps the user's decision about a file and the content that was read.
    ///
    /// *Errors*: [`TrustError::Standing`] for a yes to a file that others may have written;
    /// [`TrustError::File`].
    pub fn decide(&self, file: &FoundFile, trusted: bool) -> Result<(), TrustError> {
        if trusted && !file.standing().is_decidable() {
            return Err(TrustError::Standing {
                path: file.path().to_owned(),
                standing: file.standing().clone(),
            });
        }
        let mut files = self.list()?;
        files.retain(|decision| decision.path != file.canonical());
        files.push(TrustDecision {
            path: file.canonical().to_owned(),
            sha256: file.sha256().to_owned(),
            trusted,
            decided_at: seconds_since_1970(),
        });
        let surplus = files.len().saturating_sub(MAX_DECISIONS);
        files.drain(..surplus);
        self.write(files)
    }

    /// Forgets what the user said to the file at `path`, which may be gone; false where there is
    /// nothing to forget.
    ///
    /// *Errors*: [`TrustError::File`].
    pub fn forget(&self, path: &Path) -> Result<bool, TrustError> {
        let mut files = self.list()?;
        let before = files.len();
        let canonical = fs::canonicalize(path);
        let canonical = canonical.unwrap_or_else(|_| path.to_owned());
        files.retain(|decision| decision.path != canonical && decision.path != path);
        if files.len() == before {
            return Ok(false);
        }
        self.write(files)?;
        Ok(true)
    }

    /// Returns the standing of the file at `canonical` with this content; without a readable list
    /// nothing is trusted.
    pub(super) fn standing(&self, canonical: &Path, sha256: &str) -> Standing {
        let decisions = self.list().unwrap_or_else(|error| {
            tracing::warn!(%error, "no configuration file is trusted");
            Vec::new()
        });
        let decision = decisions.iter().rev().find(|one| one.path == canonical);
        match decision {
            Some(one) if one.sha256 == sha256 && one.trusted => Standing::Trusted,
            Some(one) if one.sha256 == sha256 => Standing::Refused,
            Some(one) if one.trusted => Standing::Changed,
            _ => Standing::New,
        }
    }

    /// Replaces the file as a whole; its owner alone may read it (mode 0600).
    fn write(&self, files: Vec<TrustDecision>) -> Result<(), TrustError> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let write = || -> io::Result<()> {
            make_folder(folder)?;
            let version = VERSION;
            let text = serde_json::to_vec_pretty(&Content { version, files })?;
            let mut draft = tempfile::NamedTempFile::new_in(folder)?;
            draft.write_all(&text)?;
            draft.as_file().sync_all()?;
            draft.persist(&self.path).map_err(|error| error.error)?;
            Ok(())
        };
        write().map_err(|cause| self.failed(cause))
    }

    fn failed(&self, cause: io::Error) -> TrustError {
        let path = self.path.clone();
        TrustError::File { path, cause }
    }
}

/// Makes a folder for its owner alone; one that is there stays as it is.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn seconds_since_1970() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_secs()
}

/// Why a decision could not be read or kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// The platform names no folder for configurations.
    #[error("this system names no folder for the configuration of programs")]
    NoFolder,
    /// The file of the decisions cannot be used.
    #[error("cannot use {}: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: io::Error,
    },
    /// A file cannot be trusted.
    #[error("{} cannot be trusted: {standing}", path.display())]
    Standing {
        /// The file.
        path: PathBuf,
        /// Why not.
        standing: Standing,
    },
}

impl TrustError {
    /// Returns what the person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoFolder => "set HOME, or XDG_CONFIG_HOME",
            Self::File { .. } => {
                "check that the file and its folders are yours alone; if it is damaged, delete it and decide again"
            }
            Self::Standing {
                standing: Standing::Unreadable,
                ..
            } => "check that it is a file of JSON that you may read",
            Self::Standing { .. } => {
                "make it yours (chown, chmod go-w), or name it with --config if you know what it says"
            }
        }
    }
}
