//! How the connection to a database server is protected, and the errors when it cannot be.

use std::path::PathBuf;

/// How the connection to a database server is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encryption {
    /// A Unix socket on this machine.
    Socket,
    /// Not at all.
    Plain,
    /// Encrypted; the server's certificate is not verified.
    Unverified,
    /// Encrypted; the certificate's authority is verified, its name is not.
    Authority,
    /// Encrypted; the certificate's authority and name are verified.
    Full,
}

impl Encryption {
    /// Returns a description for people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Socket => "a socket of this machine, which needs no encryption",
            Self::Plain => "not encrypted; sslmode=verify-full in the address requires encryption",
            Self::Unverified => {
                "encrypted, but the server's certificate was not checked; sslmode=verify-full checks it"
            }
            Self::Authority => "encrypted, the certificate's authority checked, its name not",
            Self::Full => "encrypted, the certificate's authority and name checked",
        }
    }
}

/// Why the connection to a database server could not be protected as the address demands.
#[derive(Debug, thiserror::Error)]
pub enum EncryptionError {
    /// A file that the address names is missing or cannot be read.
    #[error("cannot read {path}, which the address of the database names as {parameter}")]
    File {
        /// The parameter.
        parameter: String,
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// The file of certificate authorities holds no certificate.
    #[error("{0}, which the address of the database names as sslrootcert, holds no certificate")]
    NoCertificate(PathBuf),
    /// The server's certificate is for another name.
    #[error(
        "the certificate of the database server {host} is not valid for that name; use the name from \
         the certificate in the address, or check the authority alone with sslmode=verify-ca"
    )]
    OtherName {
        /// The server's name in the address.
        host: String,
        /// The TLS library's error.
        source: rustls::Error,
    },
    /// The server's certificate is not from a known authority, has expired, or is otherwise not trusted.
    #[error(
        "the certificate of the database server {host} is not trusted; name the file of the authority \
         that signed it with sslrootcert=FILE in the address"
    )]
    Untrusted {
        /// The server's name in the address.
        host: String,
        /// The TLS library's error.
        source: rustls::Error,
    },
    /// The server does not offer encryption.
    #[error(
        "the database server {0} does not speak TLS, which the address demands; switch it on there \
         (ssl = on), or remove sslmode from the address"
    )]
    NotOffered(String),
    /// The server refuses connections without encryption.
    #[error(
        "the database server {host} refused a connection without encryption: {reason}; where it demands \
         encryption, set sslmode=verify-full in the address instead of sslmode=disable"
    )]
    Demanded {
        /// The server's name in the address.
        host: String,
        /// The server's message.
        reason: String,
    },
}
