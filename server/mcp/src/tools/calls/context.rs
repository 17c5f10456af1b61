//! What a call knows of the request around it: `_meta`, cancellation, and a line to the client.

use std::sync::Arc;

use recall_kit_core::access::Caller;
use tokio_util::sync::CancellationToken;

use crate::tools::Object;

/// Tells the client things while its call runs; a face without a way to do so leaves it out.
pub trait Client: Send + Sync {
    /// Reports how far the call is. Source: MCP specification, "Progress".
    fn progress(&self, progress: f64, total: Option<f64>, message: Option<String>);
    /// Sends a line for the client's log, if it wants such. Source: MCP specification, "Logging".
    fn log(&self, logger: &str, line: &str);
}

/// The request around a call.
#[derive(Clone)]
pub struct Context {
    /// Who calls.
    pub caller: Caller,
    /// The request's `_meta`.
    pub meta: Object,
    /// The client, where it can be told things meanwhile.
    pub client: Option<Arc<dyn Client>>,
    /// Cancelled when the client does not want the answer any more.
    pub cancelled: CancellationToken,
}

impl Context {
    /// A call of somebody who cannot be told things meanwhile and does not give up.
    pub fn new(caller: Caller) -> Self {
        Self {
            caller,
            meta: Object::new(),
            client: None,
            cancelled: CancellationToken::new(),
        }
    }
}
