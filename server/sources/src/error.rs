//! Why a source cannot be read.

use std::{io, net::IpAddr, path::Path};

use thiserror::Error;

/// Why a source cannot be read; the words say what to do. None holds a password.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SourceError {
    /// Nothing has this name.
    #[error("there is no file or folder `{0}`; a web address begins with https://")]
    Missing(String),
    /// What was typed is no source.
    #[error("`{typed}` cannot be a source: {reason}")]
    Typed {
        /// Without user name and password.
        typed: String,
        /// What is wrong and what to type instead.
        reason: &'static str,
    },
    /// The file system refused.
    #[error("`{path}` cannot be read")]
    Unreadable {
        /// File or folder.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// The private folder could not be made or written.
    #[error("temporary files cannot be written in `{folder}`")]
    Scratch {
        /// Where.
        folder: String,
        /// Why.
        source: io::Error,
    },
    /// The address belongs to a network that the internet cannot reach.
    #[error(
        "`{host}` is at {address}, which is not a public address; allow private addresses to read it"
    )]
    PrivateAddress {
        /// As in the URL.
        host: String,
        /// What it stands for.
        address: IpAddr,
    },
    /// A web address could not be read.
    #[error("{url} cannot be read: {reason}")]
    Fetch {
        /// Without user name and password.
        url: String,
        /// What happened.
        reason: String,
    },
    /// Something took too long.
    #[error("{what} took longer than {seconds} seconds")]
    Timeout {
        /// What was waited for.
        what: String,
        /// How long.
        seconds: u64,
    },
    /// There is no git program.
    #[error(
        "the git program is needed for this source and was not found; install git 2.37 or newer"
    )]
    GitMissing,
    /// The git program lacks what keeps a clone safe.
    #[error("git {found} is too old for this source; install git 2.37 or newer")]
    GitTooOld {
        /// Its version.
        found: String,
    },
    /// Git failed.
    #[error("git could not {doing}: {said}")]
    Git {
        /// What it was asked for.
        doing: &'static str,
        /// Its last words.
        said: String,
    },
    /// The repository has no such tag or branch.
    #[error("the repository has no tag, branch or commit `{name}`{hint}")]
    UnknownVersion {
        /// As it was asked for.
        name: String,
        /// Ones that it has, as words to follow.
        hint: String,
    },
    /// A version was asked of something that has none.
    #[error("`{0}` is not a git repository: it has no tags or branches to choose from")]
    NotGit(String),
    /// An archive of a kind that is not read.
    #[error("{0} archives are not read; give a zip, tar or tar.gz archive, or unpack it")]
    ArchiveKind(&'static str),
    /// An archive that is damaged or cut off.
    #[error("the archive cannot be read{}: {reason}", at(.entry))]
    Archive {
        /// Where in it; empty before the first entry.
        entry: String,
        /// What is wrong.
        reason: String,
    },
    /// An archive made to write outside the folder that it is unpacked to.
    #[error("the archive is refused: the name of its entry `{entry}` {reason}")]
    UnsafeEntry {
        /// Its name, control characters escaped.
        entry: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// An archive made to fill disks.
    #[error(
        "the archive is refused{}: {packed} bytes of it unpack to more than {unpacked}; it looks like an archive bomb", at(.entry)
    )]
    Bomb {
        /// Where in it.
        entry: String,
        /// Bytes read of the archive.
        packed: u64,
        /// Bytes they unpacked to.
        unpacked: u64,
    },
    /// It was called off.
    #[error("reading was called off")]
    CalledOff,
    /// More than what is read at most.
    #[error("the source has more than {limit} {what}; give a part of it")]
    TooMuch {
        /// Of what.
        what: &'static str,
        /// How many are read.
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

    /// What a reader of an archive ran into: a limit, or damage.
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
                    io::ErrorKind::UnexpectedEof => "it is cut off".to_owned(),
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
