//! Errors of reading a source.

use std::{io, net::IpAddr, path::Path};

use thiserror::Error;

/// Why a source cannot be read; the message says what to do. No error contains a password.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SourceError {
    /// There is no file or folder with this name.
    #[error("there is no file or folder `{0}`; a web address begins with https://")]
    Missing(String),
    /// The given text is not a source.
    #[error("`{typed}` cannot be a source: {reason}")]
    Typed {
        /// The text, without user name and password.
        typed: String,
        /// What is wrong and what to give instead.
        reason: &'static str,
    },
    /// A file or folder could not be read.
    #[error("`{path}` cannot be read")]
    Unreadable {
        /// The file or folder.
        path: String,
        /// The cause.
        source: io::Error,
    },
    /// The private folder could not be created or written.
    #[error("temporary files cannot be written in `{folder}`")]
    Scratch {
        /// The folder.
        folder: String,
        /// The cause.
        source: io::Error,
    },
    /// The address is not on the public internet.
    #[error(
        "`{host}` is at {address}, which is not a public address; allow private addresses to read it"
    )]
    PrivateAddress {
        /// The host in the URL.
        host: String,
        /// Its address.
        address: IpAddr,
    },
    /// A web address could not be read.
    #[error("{url} cannot be read: {reason}")]
    Fetch {
        /// The URL, without user name and password.
        url: String,
        /// What happened.
        reason: String,
    },
    /// A timeout.
    #[error("{what} took longer than {seconds} seconds")]
    Timeout {
        /// What took too long.
        what: String,
        /// The timeout.
        seconds: u64,
    },
    /// There is no git program.
    #[error(
        "the git program is needed for this source and was not found; install git 2.37 or newer"
    )]
    GitMissing,
    /// The git program is too old to clone safely.
    #[error("git {found} is too old for this source; install git 2.37 or newer")]
    GitTooOld {
        /// Its version.
        found: String,
    },
    /// Git failed.
    #[error("git could not {doing}: {message}")]
    Git {
        /// The operation.
        doing: &'static str,
        /// The end of its standard error.
        message: String,
    },
    /// The repository has no such tag or branch.
    #[error("the repository has no tag, branch or commit `{name}`{hint}")]
    UnknownVersion {
        /// The requested name.
        name: String,
        /// A suggestion, to be appended to the message.
        hint: String,
    },
    /// A version was requested from a source that has none.
    #[error("`{0}` is not a git repository: it has no tags or branches to choose from")]
    NotGit(String),
    /// An archive in an unsupported format.
    #[error("{0} archives are not supported; give a zip, tar or tar.gz archive, or unpack it")]
    ArchiveKind(&'static str),
    /// A damaged or truncated archive.
    #[error("the archive cannot be read{}: {reason}", at(.entry))]
    Archive {
        /// The entry at which it is damaged; empty before the first entry.
        entry: String,
        /// What is wrong.
        reason: String,
    },
    /// An archive that tries to write outside the folder that it is unpacked to.
    #[error("the archive is rejected: the name of its entry `{entry}` {reason}")]
    UnsafeEntry {
        /// The entry's name, with control characters escaped.
        entry: String,
        /// What is wrong with the name.
        reason: &'static str,
    },
    /// An archive that expands to an extreme size.
    #[error(
        "the archive is rejected{}: {packed} bytes of it unpack to more than {unpacked}; it looks like an archive bomb", at(.entry)
    )]
    Bomb {
        /// The entry at which this was detected.
        entry: String,
        /// Bytes read from the archive.
        packed: u64,
        /// Bytes that they expanded to.
        unpacked: u64,
    },
    /// Reading was cancelled.
    #[error("reading was cancelled")]
    CalledOff,
    /// The source exceeds a limit.
    #[error("the source has more than {limit} {what}; give a part of it")]
    TooMuch {
        /// What there is too much of.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
}

impl SourceError {
    pub(super) fn unreadable(path: &Path, source: io::Error) -> Self {
        Self::Unreadable {
            path: path.display().to_string(),
            source,
        }
    }

    pub(super) fn scratch(folder: &Path, source: io::Error) -> Self {
        Self::Scratch {
            folder: folder.display().to_string(),
            source,
        }
    }

    pub(super) fn fetch(url: &str, reason: impl Into<String>) -> Self {
        Self::Fetch {
            url: url.to_owned(),
            reason: reason.into(),
        }
    }

    /// Converts an error of reading an archive: an exceeded limit, or damage.
    pub(super) fn in_archive(entry: &str, error: io::Error) -> Self {
        match error.downcast::<Self>() {
            Ok(Self::Bomb {
                packed, unpacked, ..
            }) => Self::Bomb {
                entry: entry.to_owned(),
                packed,
                unpacked,
            },
            Ok(limit) => limit,
            Err(error) => Self::Archive {
                entry: entry.to_owned(),
                reason: match error.kind() {
                    io::ErrorKind::UnexpectedEof => "it is truncated".to_owned(),
                    _ => error.to_string(),
                },
            },
        }
    }
}

fn at(entry: &str) -> String {
    match entry {
        "" => String::new(),
        entry => format!(" at `{entry}`"),
    }
}
