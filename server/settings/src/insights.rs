//! Settings of insights: what is stored about queries.

use serde::{Deserialize, Serialize};

/// Settings of insights: what is stored about queries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct InsightsSettings {
    /// How many days the texts of queries are stored, cleaned of secrets and personal data; 0 stores
    /// none.
    pub keep_days: u32,
}

impl Default for InsightsSettings {
    fn default() -> Self {
        Self { keep_days: 90 }
    }
}
