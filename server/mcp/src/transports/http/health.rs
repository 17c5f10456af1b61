//! Plain HTTP for people and probes: alive, ready, which tools.

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

use crate::transports::Faces;

/// `GET /mcp/health`. Source: seeds docs document, "health".
pub(crate) async fn mcp_health() -> Json<Value> {
    Json(json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

/// `GET /healthz`: the process answers.
pub(crate) async fn healthz() -> &'static str {
    "ok\n"
}

/// How long the database's answer counts for those who ask next: anybody may ask as often as he
/// likes.
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

/// What was found out last, and when; one request finds out at a time.
#[derive(Default)]
pub(crate) struct Readiness(Mutex<Option<(Instant, Result<(), NotReady>)>>);

impl Readiness {
    async fn ask(&self, store: &dyn Store) -> Result<(), NotReady> {
        let mut last = self.0.lock().await;
        if let Some((_, known)) = last.filter(|(asked, _)| asked.elapsed() < READY_FOR) {
            return known;
        }
        let found = match store.head_seq().await {
            Ok(_) => match store.write_fault().await {
                None => Ok(()),
                Some(fault) => Err(NotReady::Unwritable(fault)),
            },
            Err(error) => {
                tracing::warn!(error = %error, "not ready: the database does not answer");
                Err(NotReady::Silent)
            }
        };
        *last = Some((Instant::now(), found));
        found
    }
}

/// `GET /readyz`: the database answers and takes writes, too; 503 and the reason when it does not.
pub(crate) async fn readyz(State(faces): State<Arc<Faces>>) -> (StatusCode, String) {
    match faces.readiness.ask(&*faces.app.store).await {
        Ok(()) => (StatusCode::OK, "ready\n".to_owned()),
        Err(why) => (StatusCode::SERVICE_UNAVAILABLE, format!("{why}\n")),
    }
}

/// `GET /mcp/tools`: what `tools/list` says to whoever the guard let in.
pub(crate) async fn tools(
    State(faces): State<Arc<Faces>>,
    caller: Option<Extension<Caller>>,
) -> Response {
    let caller = caller.map_or_else(Caller::unknown, |Extension(caller)| caller);
    let list = faces.features.tools_for(&caller);
    Json(list.json()).into_response()
}
