//! `GET /metrics`: what the server counts about itself, for Prometheus.

use std::sync::Arc;

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use recall_kit_core::scrape::scrape;
use recall_kit_telemetry::metrics::CONTENT_TYPE;

use crate::transports::Faces;

/// Answers with OpenMetrics text.
pub(crate) async fn metrics(State(faces): State<Arc<Faces>>) -> Response {
    let metrics = &faces.app.metrics;
    let sessions = faces.mcp.sessions() + faces.legacy.open();
    for (gauge, open) in [
        (&metrics.sessions, sessions),
        (&metrics.streams, faces.streams.open()),
        (&metrics.sockets, faces.sockets.open()),
    ] {
        gauge.set(i64::try_from(open).unwrap_or(i64::MAX));
    }
    let headers = [(header::CONTENT_TYPE, CONTENT_TYPE)];
    (headers, scrape(&faces.app).await).into_response()
}
