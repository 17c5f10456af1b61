//! The errors of the outbox.

use std::{io, path::PathBuf};

use super::{MAX_KEPT, MAX_KEPT_BYTES};

/// Why an experience could not be stored, read or removed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutboxError {
    /// The platform has no directory for data.
    #[error("this system has no directory for program data")]
    NoFolder,
    /// The outbox is full.
    #[error("the outbox is full: {MAX_KEPT} experiences are already waiting")]
    Full,
    /// The experience is too large.
    #[error("the experience is too large for the outbox: {bytes} bytes, at most {MAX_KEPT_BYTES}")]
    TooLarge {
        /// Its size as JSON.
        bytes: usize,
    },
    /// Another process is sending or removing experiences.
    #[error("another process is using the outbox")]
    Busy,
    /// A file or the folder cannot be used.
    #[error("cannot use {}: {cause}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// The experience could not be encrypted.
    #[error("the experience could not be encrypted")]
    Seal,
}

impl OutboxError {
    /// Returns what the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoFolder => "set HOME, or XDG_DATA_HOME",
            Self::Full => {
                "`recall-kit-client outbox flush` sends them, `outbox drop` discards them"
            }
            Self::TooLarge { .. } => "shorten it, or send it again when the server is back",
            Self::Busy => "try again in a moment",
            Self::File { .. } => "check that you own the folder and that the disk has free space",
            Self::Seal => "try again; once the server can be reached, the outbox is not needed",
        }
    }
}
