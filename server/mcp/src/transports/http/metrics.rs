//! `GET /metrics`: the server's metrics, for Prometheus.

use std::sync::Arc;

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use recall_kit_core::scrape::scrape;
use recall_kit_telemetry::metrics::CONTENT_TYPE;

use crate::transports::HttpState;

/// Answers with OpenMetrics text.
pub(crate) async fn metrics(State(state): State<Arc<HttpState>>) -> Response {
    let metrics = &state.app.metrics;
    let sessions = state.mcp.sessions() + state.legacy.open();
    for (gauge, open) in [
        (&metrics.sessions, sessions),
        (&metrics.streams, state.streams.in_use()),
        (&metrics.sockets, state.sockets.in_use()),
    ] {
        gauge.set(i64::try_from(open).unwrap_or(i64::MAX));
    }
    let headers = [(header::CONTENT_TYPE, CONTENT_TYPE)];
    (headers, scrape(&state.app).await).into_response()
}
