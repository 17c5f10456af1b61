//! Why the outbox cannot be used.

use std::{io, path::PathBuf};

use super::{MAX_KEPT, MAX_KEPT_BYTES};

/// Why nothing could be kept, read or removed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutboxError {
    /// The platform names no directory for data.
    #[error("this system names no directory for the data of programs")]
    NoFolder,
    /// There is no room.
    #[error("the outbox is full: {MAX_KEPT} experiences wait already")]
    Full,
    /// The experience is larger than one that is kept.
    #[error("the experience is too large to be kept: {bytes} bytes, at most {MAX_KEPT_BYTES}")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// Somebody else sends or removes at this moment.
    #[error("another process is working with the outbox")]
    Busy,
    /// A file or the folder cannot be used.
    #[error("cannot use {}: {cause}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The system's words.
        cause: io::Error,
    },
    /// The experience could not be sealed.
    #[error("the experience could not be encrypted")]
    Seal,
}

impl OutboxError {
    /// Returns what the person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoFolder => "set HOME, or XDG_DATA_HOME",
            Self::Full => {
                "`recall-kit-client outbox flush` sends them, `outbox drop` gives them up"
            }
            Self::TooLarge { .. } => "shorten it, or send it again when the server is back",
            Self::Busy => "try again in a moment",
            Self::File { .. } => "check that the folder is yours and that the disk has room",
            Self::Seal => "try again; a server that is back takes it without the outbox",
        }
    }
}
