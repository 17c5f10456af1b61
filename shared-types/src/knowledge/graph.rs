//! The graph of the knowledge base, as its resource returns it.

use serde::{Deserialize, Serialize};

use super::{EntryStatus, EntryType, RelationType};

/// Entries and the links between them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphData {
    /// The entries: those nearest to the centre first, then those with most links.
    pub nodes: Vec<GraphNode>,
    /// The links between them, oldest first.
    pub edges: Vec<GraphEdge>,
    /// How many entries the graph has, including those that are left out.
    pub total_nodes: usize,
    /// How many links it has, including those that are left out.
    pub total_edges: usize,
    /// The entry from which depth counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub centre: Option<String>,
    /// What is left out and how to see it, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
}

/// An entry of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphNode {
    /// Its ULID.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What it is.
    pub r#type: EntryType,
    /// Whether it still holds.
    pub status: EntryStatus,
    /// The project it belongs to.
    pub project: Option<String>,
}

/// A link of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphEdge {
    /// How the two relate.
    pub kind: RelationType,
    /// The ULID of the entry where it starts.
    pub from: String,
    /// The ULID of the entry where it ends.
    pub to: String,
}
