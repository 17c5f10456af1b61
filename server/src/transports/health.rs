//! Plain HTTP for people and probes: alive, ready, which tools.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use serde_json::{Value, json};

use super::Faces;

/// `GET /mcp/health`. Source: seeds docs document, "health".
pub(super) async fn mcp_health() -> Json<Value> {
    Json(json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

/// `GET /healthz`: the process answers.
pub(super) async fn healthz() -> &'static str {
    "ok\n"
}

/// `GET /readyz`: the database answers too; 503 when it does not.
pub(super) async fn readyz(State(faces): State<Arc<Faces>>) -> (StatusCode, &'static str) {
    match faces.app.store.head_seq().await {
        Ok(_) => (StatusCode::OK, "ready\n"),
        Err(error) => {
            tracing::warn!(error = %error, "not ready: the database does not answer");
            (
                StatusCode::SERVICE_UNAVAILABLE,
                "the database does not answer\n",
            )
        }
    }
}

/// `GET /mcp/tools`: what `tools/list` says.
pub(super) async fn tools(State(faces): State<Arc<Faces>>) -> Response {
    let list = faces.features.tools();
    Json(list.json()).into_response()
}
