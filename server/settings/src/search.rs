//! Settings of search.

use serde::{Deserialize, Serialize};

/// The engine that searches experiences.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchEngine {
    /// An index in the memory and on the disk of each server.
    #[default]
    Memory,
    /// The PostgreSQL database, with the extension `vector`.
    Postgres,
}

/// Settings of search.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SearchSettings {
    /// The engine that searches experiences; entries and documentation are always searched in memory.
    pub engine: SearchEngine,
}
