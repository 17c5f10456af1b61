//! Stores the user's decisions to trust or to ignore configuration files.
//!
//! A decision holds for one path and one content: a changed file needs a new one. The idea comes from
//! direnv and from the workspace trust of editors.

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

/// The file's name in the user's configuration folder.
const FILE_NAME: &str = "trusted.json";
const VERSION: u32 = 1;
/// The maximum number of stored decisions; the oldest are dropped first.
const MAX_DECISIONS: usize = 1_000;
/// The maximum number of bytes that are read.
const MAX_BYTES: u64 = 4 << 20;

/// The user's decision about one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustDecision {
    /// The file, without symbolic links.
    pub path: PathBuf,
    /// The SHA-256 of its content, in hexadecimal digits.
    pub sha256: String,
    /// Whether the user trusts it.
    pub trusted: bool,
    /// The time of the decision. *Unit*: seconds since 1970.
    pub decided_at: u64,
}

/// The store of the decisions.
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
    /// Returns the store in a configuration folder.
    pub(super) fn in_folder(folder: &Path) -> Self {
        let path = folder.join(FILE_NAME);
        Self { path }
    }

    /// Returns the path of the store's file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the decisions, the oldest first.
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

    /// Stores the user's decision about a file and the content that was read.
    ///
    /// *Errors*: [`TrustError::Standing`] if a file is to be trusted that others may have written;
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

    /// Removes the decision about the file at `path`, which may no longer exist; returns false if there is
    /// no decision.
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

    /// Returns the standing of the file at `canonical` with this content; if the list cannot be read, no
    /// file is trusted.
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

    /// Replaces the file atomically; only its owner may read it (mode 0600).
    fn write(&self, files: Vec<TrustDecision>) -> Result<(), TrustError> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let write = || -> io::Result<()> {
            make_folder(folder)?;
            let version = VERSION;
            let text = serde_json::to_vec_pretty(&Content { version, files })?;
            let mut new_file = tempfile::NamedTempFile::new_in(folder)?;
            new_file.write_all(&text)?;
            new_file.as_file().sync_all()?;
            new_file.persist(&self.path).map_err(|error| error.error)?;
            Ok(())
        };
        write().map_err(|cause| self.failed(cause))
    }

    fn failed(&self, cause: io::Error) -> TrustError {
        let path = self.path.clone();
        TrustError::File { path, cause }
    }
}

/// Creates a folder that only its owner can access; an existing folder is not changed.
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

/// Why a decision could not be read or stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrustError {
    /// The platform has no folder for configurations.
    #[error("this system has no folder for program configurations")]
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
    /// Returns what the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoFolder => "set HOME, or XDG_CONFIG_HOME",
            Self::File { .. } => {
                "check that only you can write to the file and its folders; if it is damaged, delete it and decide again"
            }
            Self::Standing {
                standing: Standing::Unreadable,
                ..
            } => "check that it is a JSON file that you may read",
            Self::Standing { .. } => {
                "make it yours (chown, chmod go-w), or name it with --config if you know its content"
            }
        }
    }
}
