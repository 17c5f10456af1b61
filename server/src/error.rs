//! The errors of starting and serving.

use recall_kit_core::error::OpenError;
use recall_kit_mcp::error::ServeError;

/// Why the program could not start, or stopped serving; a message says what to do if that is known.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The application could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A transport could not start, or ended with an error.
    #[error(transparent)]
    Serve(#[from] ServeError),
    /// The address could not be bound.
    #[error("cannot listen on {address}")]
    Listen {
        /// The address.
        address: std::net::SocketAddr,
        /// The system's error.
        source: std::io::Error,
    },
}
