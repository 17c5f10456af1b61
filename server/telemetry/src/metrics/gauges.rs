//! Gauges whose values are read when metrics are scraped.

use std::time::Duration;

use prometheus_client::metrics::gauge::Gauge;

use super::Maker;

/// Gauges whose values are read when metrics are scraped.
pub struct Gauges {
    /// Records whose query counts wait to be stored.
    pub counts_waiting: Gauge,
    /// Records that wait for their vector.
    pub vectors_waiting: Gauge,
    /// Records in the index.
    pub index_records: Gauge,
    /// The last write that the index has on disk.
    pub index_base_seq: Gauge,
    /// Records that the index has in memory.
    pub index_delta: Gauge,
    /// 1 while the database answers, else 0.
    pub database_up: Gauge,
    /// The last write in the database.
    pub database_seq: Gauge,
    log_dropped: Gauge,
    /// Entries of the knowledge base.
    pub entries: Gauge,
    /// Links between entries.
    pub links: Gauge,
    /// Suggestions that wait for a decision.
    pub pending_suggestions: Gauge,
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

    /// Sets the gauges about the process itself.
    pub(super) fn read_process(&self, uptime: Duration) {
        self.log_dropped.set(whole(crate::dropped_lines()));
        self.memory.set(whole(resident_bytes().unwrap_or(0)));
        self.uptime.set(whole(uptime.as_secs()));
    }
}

/// Converts a number to a gauge's type; too large a number becomes the largest possible.
pub fn whole(number: u64) -> i64 {
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
