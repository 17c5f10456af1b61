//! Work that runs to completion even if the client disconnects.
//!
//! The HTTP server drops the future of a request whose client disconnected, and does not poll it while
//! the client does not read. Work that must not stop halfway, or that holds a lock, runs in its own task.

use std::future::Future;

use recall_kit_telemetry::request_id;
use tracing::Instrument as _;

use crate::error::ServiceError;

/// Runs work in its own task, and waits for it. `what` names the work in the error.
///
/// *Errors*: those of the work; [`ServiceError::Broken`] when it panicked.
pub async fn run<T: Send + 'static>(
    what: &'static str,
    work: impl Future<Output = Result<T, ServiceError>> + Send + 'static,
) -> Result<T, ServiceError> {
    let done = tokio::spawn(of_request(work)).await;
    done.unwrap_or(Err(ServiceError::Broken(what)))
}

/// Carries the request id and the span of the current request into another task.
pub(crate) fn of_request<F: Future>(work: F) -> impl Future<Output = F::Output> {
    let id = request_id::current();
    let work = work.in_current_span();
    async move {
        match id {
            Some(id) => request_id::scope(id, work).await,
            None => work.await,
        }
    }
}
