//! Plain HTTP endpoints for people and probes: liveness, readiness, the list of tools.

use std::{sync::Arc, time::Duration};

use axum::{
    Extension, Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use recall_kit_core::access::Caller;
use recall_kit_store::{Store, WriteFault};
use serde_json::{Value, json};
use tokio::{sync::Mutex, time::Instant};

use crate::transports::HttpState;

/// `GET /mcp/health`: `{"status": "ok", "version": …}`.
pub(crate) async fn mcp_health() -> Json<Value> {
    Json(json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

/// `GET /healthz`: the process answers.
pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}

/// How long a result is reused. Anybody may call `/readyz` as often as they like, so the database is
/// not asked each time.
const READY_FOR: Duration = Duration::from_millis(200);

/// Why the server is not ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum NotReady {
    /// The database does not answer.
    #[error("the database does not answer")]
    Silent,
    /// The database takes no writes.
    #[error("the database takes no writes: {0}")]
    Unwritable(WriteFault),
}

/// The last result and its time. The lock is held during a check, so that only one runs at a time.
#[derive(Default)]
pub(crate) struct Readiness(Mutex<Option<(Instant, Result<(), NotReady>)>>);

impl Readiness {
    async fn check(&self, store: &dyn Store) -> Result<(), NotReady> {
        let mut last = self.0.lock().await;
        if let Some((_, result)) = last.filter(|(checked, _)| checked.elapsed() < READY_FOR) {
            return result;
        }
        let result = match store.head_seq().await {
            Ok(_) => match store.write_fault().await {
                None => Ok(()),
                Some(fault) => Err(NotReady::Unwritable(fault)),
            },
            Err(error) => {
                tracing::warn!(error = %error, "not ready: the database does not answer");
                Err(NotReady::Silent)
            }
        };
        *last = Some((Instant::now(), result));
        result
    }
}

/// `GET /readyz`: 200 if the database answers and accepts writes, else 503 and the reason.
pub(crate) async fn readyz(State(state): State<Arc<HttpState>>) -> (StatusCode, String) {
    match state.readiness.check(&*state.app.store).await {
        Ok(()) => (StatusCode::OK, "ready\n".to_owned()),
        Err(why) => (StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")),
    }
}

/// `GET /mcp/tools`: the tools that `tools/list` returns to this caller, if it asks for no more.
pub(crate) async fn tools(
    State(state): State<Arc<HttpState>>,
    caller: Option<Extension<Caller>>,
) -> Response {
    let caller = caller.map_or_else(Caller::unknown, |Extension(caller)| caller);
    let list = state.features.tools_for(&caller);
    Json(list.json(false)).into_response()
}
