//! The way to a database server: how it is protected, and why it could not be.

use std::path::PathBuf;

/// How the way to a database server is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    /// A socket of this machine.
    Socket,
    /// Not at all.
    Plain,
    /// Encrypted for whoever answered.
    Unverified,
    /// Encrypted for whoever has a certificate of a known authority.
    Authority,
    /// Encrypted for the server of that name.
    Full,
}

impl Encryption {
    /// Returns what people read.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Socket => "a socket of this machine, which needs no encryption",
            Self::Plain => "not encrypted; sslmode=verify-full in the address demands it",
            Self::Unverified => {
                "encrypted, but whose certificate it is was not checked; sslmode=verify-full checks it"
            }
            Self::Authority => "encrypted, the certificate's authority checked, its name not",
            Self::Full => "encrypted, the certificate's authority and name checked",
        }
    }
}

/// Why the way to a database server could not be protected as it should be.
#[derive(Debug, thiserror::Error)]
pub enum EncryptionError {
    /// A file that the address names is missing or cannot be read.
    #[error("cannot read {path}, which the address of the database names as {parameter}")]
    File {
        /// The parameter.
        parameter: String,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file of authorities has none.
    #[error("{0}, which the address of the database names as sslrootcert, holds no certificate")]
    NoCertificate(PathBuf),
    /// The server's certificate is for another name.
    #[error(
        "the certificate of the database server {host} is not made out to that name; name the server in \
         the address as its certificate does, or check the authority alone with sslmode=verify-ca"
    )]
    OtherName {
        /// The server's name in the address.
        host: String,
        /// What TLS said.
        source: rustls::Error,
    },
    /// The server's certificate is of no known authority, has expired, or is otherwise not to be trusted.
    #[error(
        "the certificate of the database server {host} is not trusted; name the file of the authority \
         that signed it with sslrootcert=FILE in the address"
    )]
    Untrusted {
        /// The server's name in the address.
        host: String,
        /// What TLS said.
        source: rustls::Error,
    },
    /// The server has no encryption.
    #[error(
        "the database server {0} does not speak TLS, which the address demands; switch it on there \
         (ssl = on), or take sslmode out of the address"
    )]
    NotOffered(String),
    /// The server takes nobody in without encryption.
    #[error(
        "the database server {host} refused a connection without encryption: {reason}; where it demands \
         encryption, set sslmode=verify-full in the address instead of sslmode=disable"
    )]
    Demanded {
        /// The server's name in the address.
        host: String,
        /// What the server said.
        reason: String,
    },
}
