//! Settings of the knowledge base.

use serde::{Deserialize, Serialize};

/// Settings of the knowledge base.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KnowledgeSettings {
    /// Whether `rekall_search` also finds experiences, when the query names neither a type nor a project.
    pub search_experiences: bool,
}
