//! The use cases: what the server does, without SQL and without transports.

pub mod access;
pub mod api_keys;
pub mod backfill;
pub mod catalogue;
pub mod entries;
pub mod entry_vectors;
pub mod experiences;
pub mod family;
pub mod generalize;
pub mod graph;
pub mod index_folder;
pub mod indexing;
pub mod labels;
pub mod links;
pub mod notes;
pub mod popularity;
pub mod programs;
pub mod prompts;
mod relevance;
pub mod resources;
pub mod row_cache;
pub mod stale;
pub mod suggestions;
pub mod transfer;
pub mod validation;
pub mod vectors;
