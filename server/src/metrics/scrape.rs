//! What is read when somebody asks: index, queues, database, the process.

use std::time::Duration;

use prometheus_client::metrics::gauge::Gauge;
use recall_kit_store::StoreError;

use super::Maker;
use crate::{app::App, telemetry};

/// How long the database may take to answer.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(1);

/// Gauges that are set just before they are written down.
pub(super) struct Gauges {
    counts_waiting: Gauge,
    vectors_waiting: Gauge,
    index_records: Gauge,
    index_base_seq: Gauge,
    index_delta: Gauge,
    database_up: Gauge,
    database_seq: Gauge,
    log_dropped: Gauge,
    entries: Gauge,
    links: Gauge,
    pending_suggestions: Gauge,
    memory: Gauge,
    uptime: Gauge,
}

impl Gauges {
    pub(super) fn new(make: &mut Maker<'_>) -> Self {
        Self {
            counts_waiting: make.one(
                "queue_query_counts",
                "Records whose query counts wait to be stored",
            ),
            vectors_waiting: make.one("queue_vectors", "Records that wait for their vector"),
            index_records: make.one("index_records", "Records in the index"),
            index_base_seq: make.one(
                "index_base_seq",
                "The last write that the index has on disk",
            ),
            index_delta: make.one(
                "index_delta_records",
                "Records that the index has in memory",
            ),
            database_up: make.one("database_up", "Whether the database answers"),
            database_seq: make.one("database_head_seq", "The last write in the database"),
            log_dropped: make.one("log_lines_dropped", "Log lines that could not be written"),
            entries: make.one("knowledge_entries", "Entries of the knowledge base"),
            links: make.one("knowledge_links", "Links between entries"),
            pending_suggestions: make.one(
                "knowledge_suggestions_pending",
                "Suggestions that wait for a decision",
            ),
            memory: make.one("resident_memory_bytes", "Memory of the process"),
            uptime: make.one("uptime_seconds", "Time since the start"),
        }
    }
}

/// Reads what is to be read and returns everything as OpenMetrics text.
pub async fn scrape(app: &App) -> String {
    let gauges = &app.metrics.read;
    let index = app.experiences.status();
    gauges.index_records.set(whole(index.records as u64));
    gauges.index_delta.set(whole(index.delta_records as u64));
    gauges.index_base_seq.set(whole(index.base_seq));
    // Without a model nobody waits.
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
        // What was known last stays.
        _ => {
            gauges.database_up.set(0);
        }
    }
    gauges.log_dropped.set(whole(telemetry::dropped_lines()));
    gauges.memory.set(whole(resident_bytes().unwrap_or(0)));
    gauges
        .uptime
        .set(whole(app.metrics.started.elapsed().as_secs()));
    app.metrics.text()
}

fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns how much memory the process occupies, in bytes; `None` where the system does not say.
/// Source: proc(5), `VmRSS`.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024)
}
