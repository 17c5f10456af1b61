//! `GET /metrics`: the server's metrics, for Prometheus.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use recall_kit_core::app::App;
use recall_kit_store::StoreError;
use recall_kit_telemetry::metrics::{CONTENT_TYPE, whole};

use crate::transports::HttpState;

/// How long the database may take to answer.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(1);

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

/// Reads the gauges of index, queues and database, and returns all metrics as OpenMetrics text.
async fn scrape(app: &App) -> String {
    let gauges = &app.metrics.read;
    let experiences = &app.experiences.records;
    let index = experiences.status();
    gauges.index_records.set(whole(index.records as u64));
    gauges.index_delta.set(whole(index.delta_records as u64));
    gauges.index_base_seq.set(whole(index.base_seq));
    // Without a model no record waits for a vector.
    let waiting = index.without_vector.max(app.embedding.computing());
    let waiting = app.embedding.model().map_or(0, |_| waiting);
    gauges.vectors_waiting.set(whole(waiting as u64));
    gauges
        .counts_waiting
        .set(whole(experiences.popularity.waiting() as u64));
    let read = async {
        let seq = app.store.head_seq().await?;
        Ok::<_, StoreError>((seq, app.store.knowledge_counts().await?))
    };
    match tokio::time::timeout(DATABASE_TIMEOUT, read).await {
        Ok(Ok((seq, knowledge))) => {
            gauges.database_up.set(1);
            gauges.database_seq.set(whole(seq));
            gauges.entries.set(whole(knowledge.entries));
            gauges.links.set(whole(knowledge.links));
            gauges.pending_suggestions.set(whole(knowledge.pending));
        }
        // The other gauges keep their last values.
        _ => {
            gauges.database_up.set(0);
        }
    }
    app.metrics.text()
}
