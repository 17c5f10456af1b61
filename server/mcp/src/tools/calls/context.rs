//! The context of a call: its caller, the request's `_meta`, cancellation, and messages to the client.

use std::sync::Arc;

use recall_kit_core::access::Caller;
use tokio_util::sync::CancellationToken;

use crate::tools::Object;

/// Sends messages to the client while its call runs. Plain JSON-RPC has no such messages.
pub trait Client: Send + Sync {
    /// Reports the progress of the call. Source: MCP specification, "Progress".
    fn progress(&self, progress: f64, total: Option<f64>, message: Option<String>);
    /// Sends a line for the client's log, if the client has requested them. Source: MCP specification,
    /// "Logging".
    fn log(&self, logger: &str, line: &str);
}

/// The context of a call.
#[derive(Clone)]
pub struct Context {
    /// The caller.
    pub caller: Caller,
    /// The request's `_meta`.
    pub meta: Object,
    /// The client, if it can receive messages while the call runs.
    pub client: Option<Arc<dyn Client>>,
    /// Cancelled when the client cancels the request.
    pub cancelled: CancellationToken,
}

impl Context {
    /// Creates the context of a call that sends no messages meanwhile and cannot be cancelled.
    pub fn new(caller: Caller) -> Self {
        Self {
            caller,
            meta: Object::new(),
            client: None,
            cancelled: CancellationToken::new(),
        }
    }
}
