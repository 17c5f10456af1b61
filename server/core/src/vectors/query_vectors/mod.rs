//! Embeds queries, with a cache of recent ones.
//!
//! A query whose vector is not ready in time is answered by lexical search alone, and the response says so:
//! the code that runs a use case learns it from [`noting_lexical`].

#[cfg(test)]
mod tests;

use std::{cell::Cell, sync::Arc, time::Duration};

use quick_cache::sync::Cache;
use recall_kit_embed::{EmbedError, Embedder};
use recall_kit_search::Language;
use recall_kit_shared_types::limits;
use recall_kit_telemetry::metrics::Metrics;
use sha2::{Digest as _, Sha256};

use super::{embedding::Embedding, warn};

/// The most vectors in the cache: some two megabytes.
const CAPACITY: usize = 1_000;

tokio::task_local! {
    /// Whether a query of this task was searched without its vector.
    static IS_LEXICAL: Cell<bool>;
}

/// A query's embedding, and what the model derives from it.
#[derive(Debug)]
pub struct EmbeddedQuery {
    /// The vector in the form compared with records. *Shape*: `(dimensions,)`, L2-normalised.
    pub vector: Vec<f32>,
    /// See [`recall_kit_embed::Embedder::everyday`].
    pub everyday: f32,
    /// The query's language.
    pub language: Language,
}

impl EmbeddedQuery {
    /// Converts a query's vector from the model's form.
    fn new(embedder: &dyn Embedder, embedded: &[f32]) -> Self {
        let vector = embedder.compared(embedded);
        Self {
            everyday: embedder.everyday(&vector),
            language: Language::of(embedder.language(embedded)),
            vector,
        }
    }

    /// Converts a record's stored vector, to search for similar records.
    pub(crate) fn of_record(embedding: &Embedding, vector: Vec<f32>) -> Self {
        match embedding.model() {
            Some(embedder) => Self::new(&**embedder, &vector),
            None => Self {
                everyday: 0.0,
                language: Language::default(),
                vector,
            },
        }
    }
}

/// Vectors by the SHA-256 of their queries; the queries themselves are not stored. The least recently and
/// most rarely used ones are evicted.
pub(super) struct QueryVectors {
    vectors: Cache<[u8; 32], Arc<EmbeddedQuery>>,
    /// Counts how often the cache has a vector.
    metrics: Arc<Metrics>,
}

impl QueryVectors {
    /// Creates an empty cache.
    pub(super) fn new(metrics: Arc<Metrics>) -> Self {
        Self {
            vectors: Cache::new(CAPACITY),
            metrics,
        }
    }

    fn get(&self, key: &[u8; 32]) -> Option<Arc<EmbeddedQuery>> {
        let known = self.vectors.get(key);
        self.metrics.looked_up("query_vectors", known.is_some());
        known
    }
}

/// Runs a use case, and returns whether a query of it was answered by lexical search alone although there
/// is a model: the model was busy, failed, or is no longer the database's.
// The use case is a closure, not a future, which would be stored twice.
pub async fn noting_lexical<F: Future>(use_case: impl FnOnce() -> F) -> (F::Output, bool) {
    let noting = async {
        let output = use_case().await;
        (output, IS_LEXICAL.with(Cell::get))
    };
    IS_LEXICAL.scope(Cell::new(false), noting).await
}

/// Embeds a query; `None` without a model, or when it is busy or fails: search is then lexical.
pub async fn embed_query(embedding: &Embedding, text: &str) -> Option<Arc<EmbeddedQuery>> {
    let Some(embedder) = embedding.model_in_use() else {
        if embedding.model().is_some() {
            note_lexical();
        }
        return None;
    };
    let text: String = text.chars().take(limits::MAX_QUERY_CHARS).collect();
    // Of the output of a build, paths and boilerplate would outweigh the cause.
    let text = recall_kit_build_log::essence(&text).unwrap_or(text);
    let key = Sha256::digest(&text).into();
    if let Some(known) = embedding.queries.get(&key) {
        return Some(known);
    }
    let vector = match bounded(embedding, embedder.embed_query(&text)).await {
        Ok(vector) => vector,
        Err(error) => {
            log(&error);
            note_lexical();
            return None;
        }
    };
    let embedded = Arc::new(EmbeddedQuery::new(&**embedder, &vector));
    embedding.queries.vectors.insert(key, Arc::clone(&embedded));
    Some(embedded)
}

/// Waits for a vector for at most the `timeout_ms` of the settings.
async fn bounded<T>(
    embedding: &Embedding,
    vector: impl Future<Output = Result<T, EmbedError>>,
) -> Result<T, EmbedError> {
    let most = embedding.query_wait_ms;
    let embedded = tokio::time::timeout(Duration::from_millis(most), vector).await;
    embedded.unwrap_or(Err(EmbedError::Timeout(most)))
}

fn log(error: &EmbedError) {
    match error {
        // Under load this would fill the log.
        EmbedError::Busy(_) => tracing::debug!(error = %error, "searching lexically only"),
        error => warn(error, "searching lexically only"),
    }
}

fn note_lexical() {
    // Fails outside of `noting_lexical`, where the flag is not needed.
    IS_LEXICAL.try_with(|is_lexical| is_lexical.set(true)).ok();
}
