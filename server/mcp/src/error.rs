//! The errors of serving: a transport that cannot start or fails, and unusable TLS files.

use std::path::PathBuf;

use rustls::pki_types::pem;

/// Why a transport could not start, or ended with an error.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Certificate and key cannot be used.
    #[error("cannot serve TLS")]
    Tls(#[from] TlsError),
    /// Reading or writing failed while serving.
    #[error("serving failed")]
    Serve(#[source] std::io::Error),
    /// The MCP engine refused to start or ended with an error.
    #[error("the protocol engine failed: {0}")]
    Protocol(String),
}

/// Why certificate and key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// Only one of the two was given.
    #[error("tls.certificate and tls.key belong together; give both or none")]
    Half,
    /// A file cannot be read as PEM.
    #[error("cannot read {path} as PEM")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: pem::Error,
    },
    /// The file holds no certificate.
    #[error("{0} holds no certificate")]
    NoCertificate(PathBuf),
    /// The key does not belong to the certificate, or rustls does not support their kind.
    #[error("certificate and key cannot be used together")]
    Mismatch(#[source] rustls::Error),
}
