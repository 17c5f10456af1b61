//! The knowledge base: entries, links between them, suggestions, generalizations and stale entries.

pub mod entries;
pub mod generalize;
pub mod graph;
pub mod labels;
pub mod links;
pub mod stale;
pub mod suggestions;
pub mod turns;
