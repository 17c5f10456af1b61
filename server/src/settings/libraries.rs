//! Settings of documentation libraries.

use serde::{Deserialize, Serialize};

/// What clients may have read into libraries. The command line needs no permission.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IngestSources {
    /// Nothing: there is no tool for it.
    #[default]
    Off,
    /// What web addresses lead to that the internet can reach.
    Urls,
    /// The same, and every file that the server can read.
    All,
}

/// Settings of documentation libraries.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LibrarySettings {
    /// What callers with the scope `admin` may have read in.
    pub ingest: IngestSources,
}
