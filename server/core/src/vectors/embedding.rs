//! The embedding model in use, and what is known about the vectors that it has yet to compute.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use recall_kit_embed::{BuiltinEmbedder, Embedder, HttpEmbedder, HttpEndpoint};
use recall_kit_settings::{EmbeddingProvider, EmbeddingSettings};
use recall_kit_store::{Store, StoreError};
use recall_kit_telemetry::metrics::Metrics;
use tokio::sync::{Notify, Semaphore};

use super::{fresh_vectors::FreshVectors, query_vectors::QueryVectors};

/// How many additions wait for their vectors at the same time. Further ones, as in an import, are stored without
/// vectors, and the backfill computes these.
pub(crate) const ENTRIES_AT_ONCE: usize = 4;

/// The embedding model of a server, with its cache and the records that wait for vectors.
pub struct Embedding {
    /// `None` when embeddings are off.
    model: Option<Arc<dyn Embedder>>,
    /// Set when another process switched the database to another model: this server's embeddings can
    /// then no longer be compared with the stored vectors.
    is_replaced: AtomicBool,
    /// Notified when records without a vector arrive for which no task computes one yet.
    missing: Notify,
    /// The submissions whose vectors are being computed.
    pub(crate) fresh: Arc<FreshVectors>,
    /// Limits how many additions wait for their vectors.
    pub(super) addition_permits: Semaphore,
    /// Cache of the vectors of recent queries.
    pub(super) queries: QueryVectors,
    /// How many milliseconds a query waits for its vector.
    pub(super) query_wait_ms: u64,
    /// How long the author of a record waits for its vectors.
    pub(super) record_wait: Duration,
}

impl Embedding {
    /// Creates the state of a model; `None` when embeddings are off.
    pub fn new(
        model: Option<Arc<dyn Embedder>>,
        settings: &EmbeddingSettings,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self {
            model,
            is_replaced: AtomicBool::new(false),
            missing: Notify::new(),
            fresh: Arc::default(),
            addition_permits: Semaphore::new(ENTRIES_AT_ONCE),
            queries: QueryVectors::new(metrics),
            query_wait_ms: settings.timeout_ms,
            record_wait: Duration::from_millis(settings.record_wait_ms),
        }
    }

    /// Returns the model of the settings; `None` when embeddings are off.
    pub fn model(&self) -> Option<&Arc<dyn Embedder>> {
        self.model.as_ref()
    }

    /// Returns the model, unless there is none or the database was switched to another one.
    pub(crate) fn model_in_use(&self) -> Option<&Arc<dyn Embedder>> {
        self.model.as_ref().filter(|_| !self.is_replaced())
    }

    /// Whether the database was switched to another model.
    pub(crate) fn is_replaced(&self) -> bool {
        self.is_replaced.load(Ordering::Relaxed)
    }

    /// Sets whether the database has another model, with which searches are lexical.
    pub fn set_replaced(&self, is_replaced: bool) {
        self.is_replaced.store(is_replaced, Ordering::Relaxed);
    }

    /// Has the backfill compute the vectors of records that were stored without one.
    pub fn request_backfill(&self) {
        self.missing.notify_one();
    }

    /// Waits until vectors are requested from the backfill.
    pub(crate) async fn backfill_requested(&self) {
        self.missing.notified().await;
    }

    /// Returns how many submissions' vectors are being computed.
    pub fn computing(&self) -> usize {
        self.fresh.len()
    }

    /// Checks whether another process switched the database to another model. If so, this process searches
    /// lexically from then on, since its embeddings cannot be compared with the new vectors.
    pub(crate) async fn check_model(&self, store: &dyn Store) -> Result<(), StoreError> {
        let Some(embedder) = self.model_in_use() else {
            return Ok(());
        };
        match store.embedding_model().await? {
            Some(stored) if stored != embedder.model() => {
                tracing::error!(
                    stored,
                    "the vectors are now computed by another model; searching lexically until the next start"
                );
                self.set_replaced(true);
            }
            _ => {}
        }
        Ok(())
    }
}

/// Creates the embedder that the settings choose.
pub fn embedder(settings: &EmbeddingSettings) -> Option<Arc<dyn Embedder>> {
    match settings.provider {
        EmbeddingProvider::Off => None,
        EmbeddingProvider::Builtin => {
            let wait = Duration::from_millis(settings.query_wait_ms);
            let model = BuiltinEmbedder::new().with_query_wait(wait);
            model.warm();
            Some(Arc::new(model))
        }
        EmbeddingProvider::Openai => {
            let from_environment = || std::env::var("OPENAI_API_KEY").unwrap_or_default();
            let configured = settings.api_key.expose();
            Some(Arc::new(HttpEmbedder::new(HttpEndpoint {
                base_url: settings.base_url.clone(),
                api_key: if configured.is_empty() {
                    from_environment()
                } else {
                    configured.to_owned()
                },
                model: settings.model.clone(),
                timeout: Duration::from_millis(settings.timeout_ms),
            })))
        }
    }
}
