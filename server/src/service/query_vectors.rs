//! Embedding queries; those that were asked lately are not embedded again.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use quick_cache::sync::Cache;
use recall_kit_shared_types::limits;
use sha2::{Digest as _, Sha256};

use super::vectors::{model_in_use, warn};
use crate::app::App;

/// Queries whose vectors are kept: some two megabytes.
const KEPT: usize = 1_000;

/// A query's embedding, and its cosine to the nearest everyday topic.
#[derive(Debug)]
pub struct EmbeddedQuery {
    /// *Shape*: `(dimensions,)`, L2-normalised.
    pub vector: Vec<f32>,
    /// See [`crate::embed::Embedder::everyday`].
    pub everyday: f32,
}

impl EmbeddedQuery {
    /// Takes a record's own vector, to look for what is like it.
    pub(super) fn of_record(app: &App, vector: Vec<f32>) -> Self {
        let embedder = app.embedder.as_ref();
        Self {
            everyday: embedder.map_or(0.0, |embedder| embedder.everyday(&vector)),
            vector,
        }
    }
}

/// Vectors by the SHA-256 of their queries, which are not kept themselves; which of them stay is the
/// least recently and rarely asked ones' loss.
pub struct QueryVectors(Cache<[u8; 32], Arc<EmbeddedQuery>>);

impl Default for QueryVectors {
    fn default() -> Self {
        Self(Cache::new(KEPT))
    }
}

/// Embeds a query; without a model, or when it fails, search is lexical.
pub async fn embed_query(app: &App, text: &str) -> Option<Arc<EmbeddedQuery>> {
    let embedder = model_in_use(app)?;
    let text: String = text.chars().take(limits::MAX_QUERY_CHARS).collect();
    let key = Sha256::digest(&text).into();
    let known = app.query_vectors.0.get(&key);
    app.metrics.looked_up("query_vectors", known.is_some());
    if known.is_some() {
        return known;
    }
    let vector = embedder
        .embed_query(&text)
        .await
        .inspect_err(|error| warn(error, "searching lexically only"))
        .ok()?;
    let embedded = Arc::new(EmbeddedQuery {
        everyday: embedder.everyday(&vector),
        vector,
    });
    app.query_vectors.0.insert(key, Arc::clone(&embedded));
    Some(embedded)
}
