//! Settings of what is remembered of questions.

use serde::{Deserialize, Serialize};

/// Settings of what is remembered of questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct InsightsSettings {
    /// For how many days the texts of questions are kept, cleaned of secrets and personal data; 0 keeps
    /// none.
    pub keep_days: u32,
}

impl Default for InsightsSettings {
    fn default() -> Self {
        Self { keep_days: 90 }
    }
}
