//! Reads the gauges of index, queues and database when metrics are scraped.

use std::time::Duration;

use recall_kit_store::StoreError;
use recall_kit_telemetry::metrics::whole;

use crate::app::App;

/// How long the database may take to answer.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(1);

/// Sets the gauges and returns all metrics as OpenMetrics text.
pub async fn scrape(app: &App) -> String {
    let gauges = &app.metrics.read;
    let index = app.experiences.status();
    gauges.index_records.set(whole(index.records as u64));
    gauges.index_delta.set(whole(index.delta_records as u64));
    gauges.index_base_seq.set(whole(index.base_seq));
    // Without a model no record waits for a vector.
    let waiting = index.without_vector.max(app.fresh_vectors.len());
    let waiting = app.embedder.as_ref().map_or(0, |_| waiting);
    gauges.vectors_waiting.set(whole(waiting as u64));
    gauges
        .counts_waiting
        .set(whole(app.experiences.popularity.waiting() as u64));
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
