//! Settings of the knowledge base.

use serde::{Deserialize, Serialize};

/// Settings of the knowledge base.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KnowledgeSettings {
    /// Whether `rekall_search` finds experiences too, where neither type nor project is asked for.
    pub search_experiences: bool,
}
