//! Plain HTTP for people and probes: alive, ready, which tools.

use std::{sync::Arc, time::Duration};

use axum::{
    Extension, Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use serde_json::{Value, json};
use tokio::{sync::Mutex, time::Instant};

use super::Faces;
use crate::{service::access::Caller, store::Store};

/// `GET /mcp/health`. Source: seeds docs document, "health".
pub(super) async fn mcp_health() -> Json<Value> {
    Json(json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

/// `GET /healthz`: the process answers.
pub(super) async fn healthz() -> &'static str {
    "ok\n"
}

/// How long the database's answer counts for those who ask next: anybody may ask as often as he
/// likes.
const READY_FOR: Duration = Duration::from_millis(200);

/// What the database answered last, and when; one request asks it at a time.
#[derive(Default)]
pub(super) struct Readiness(Mutex<Option<(Instant, bool)>>);

impl Readiness {
    async fn ask(&self, store: &dyn Store) -> bool {
        let mut last = self.0.lock().await;
        if let Some((_, is_ready)) = last.filter(|(asked, _)| asked.elapsed() < READY_FOR) {
            return is_ready;
        }
        let answer = store.head_seq().await;
        if let Err(error) = &answer {
            tracing::warn!(error = %error, "not ready: the database does not answer");
        }
        *last = Some((Instant::now(), answer.is_ok()));
        answer.is_ok()
    }
}

/// `GET /readyz`: the database answers too; 503 when it does not.
pub(super) async fn readyz(State(faces): State<Arc<Faces>>) -> (StatusCode, &'static str) {
    if faces.readiness.ask(&*faces.app.store).await {
        (StatusCode::OK, "ready\n")
    } else {
        (
            StatusCode::SERVICE_UNAVAILABLE,
            "the database does not answer\n",
        )
    }
}

/// `GET /mcp/tools`: what `tools/list` says to whoever the guard let in.
pub(super) async fn tools(
    State(faces): State<Arc<Faces>>,
    caller: Option<Extension<Caller>>,
) -> Response {
    let caller = caller.map_or_else(Caller::unknown, |Extension(caller)| caller);
    let list = faces.features.tools_for(&caller);
    Json(list.json()).into_response()
}
