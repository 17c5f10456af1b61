//! The state of this crate, and its housekeeping.

use std::{sync::Arc, time::Duration};

use recall_kit_core::{access::Caller, app::App, purge};
use recall_kit_documents::sandbox::{Sandbox, SandboxLimits};
use recall_kit_settings::LibrarySettings;
use recall_kit_shared_types::libraries::EmbeddingProgress;
use recall_kit_store::StoreError;
use recall_kit_telemetry::chain;
use tokio::{sync::Mutex, task::JoinHandle};
use tokio_util::sync::CancellationToken;

use crate::{
    ingest::Means,
    jobs::Jobs,
    view::{CachedView, LibraryView},
};

/// How often rows of replaced documentation are looked for.
const PURGE_INTERVAL: Duration = Duration::from_secs(60);
/// Rows removed in one transaction.
const PURGE_BATCH: u32 = 2_000;

/// The state of the documentation libraries, over an application.
pub struct Libraries {
    pub(crate) app: Arc<App>,
    /// Reads risky files in a separate process.
    sandbox: Sandbox,
    view: CachedView,
    /// Locked while documentation is ingested for a client: one source at a time.
    pub(crate) ingesting: Mutex<()>,
    pub(crate) jobs: Jobs,
}

impl Libraries {
    /// Creates the state for an application.
    pub fn new(app: Arc<App>) -> Arc<Self> {
        Arc::new(Self {
            sandbox: sandbox(&app.settings.libraries),
            app,
            view: CachedView::default(),
            ingesting: Mutex::new(()),
            jobs: Jobs::default(),
        })
    }

    /// Returns the application.
    pub fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// Returns the ingest jobs of the web pages.
    pub fn jobs(&self) -> &Jobs {
        &self.jobs
    }

    /// Returns all libraries as they are in the database now.
    ///
    /// *Errors*: those of the database.
    pub async fn view(&self) -> Result<Arc<LibraryView>, StoreError> {
        self.view.current(self.app.store.as_ref()).await
    }

    /// Returns all libraries as they were last read, without asking the database.
    pub fn cached_view(&self) -> Arc<LibraryView> {
        self.view.cached()
    }

    /// Returns whether the database still has what a view shows.
    ///
    /// *Errors*: those of the database.
    pub async fn is_current(&self, view: &LibraryView) -> Result<bool, StoreError> {
        Ok(self.app.store.library_edition().await? == view.edition())
    }

    /// Returns how many chunks have their vectors; `None` if all have, or if embeddings are off.
    pub fn embedding_progress(&self) -> Option<EmbeddingProgress> {
        self.app.embedding.model()?;
        let status = self.app.chunks.status();
        (status.without_vector > 0).then(|| EmbeddingProgress {
            embedded: status.records.saturating_sub(status.without_vector) as u64,
            total: status.records as u64,
        })
    }

    /// Removes rows of chunks that were replaced or removed long ago, a bounded number at a time; returns how
    /// many.
    ///
    /// *Errors*: those of the database.
    pub async fn purge(&self) -> Result<u64, StoreError> {
        let (now, store) = (self.app.clock.now(), &self.app.store);
        purge::purge(now, PURGE_BATCH, |before, most| {
            store.purge_chunks(before, most)
        })
        .await
    }

    /// Returns what ingesting needs, for a caller.
    pub(crate) fn means<'a>(&'a self, by: &'a Caller) -> Means<'a> {
        let describes = self.app.settings.ai.describe_examples;
        Means {
            store: self.app.store.as_ref(),
            chat: self.app.chat.as_deref().filter(|_| describes),
            sandbox: &self.sandbox,
            now: self.app.clock.now(),
            by,
        }
    }

    /// Starts the housekeeping. When `stop` is cancelled, the jobs are cancelled, and the task ends when they have
    /// ended; the database must stay open until then.
    pub fn spawn_housekeeping(self: &Arc<Self>, stop: &CancellationToken) -> JoinHandle<()> {
        let (libraries, stop) = (Arc::clone(self), stop.clone());
        tokio::spawn(async move {
            stop.run_until_cancelled(libraries.purge_at_intervals())
                .await;
            libraries.jobs.end().await;
        })
    }

    async fn purge_at_intervals(&self) {
        loop {
            tokio::time::sleep(PURGE_INTERVAL).await;
            match self.purge().await {
                Ok(0) => {}
                Ok(purged) => {
                    tracing::info!(purged, "replaced documentation was removed permanently");
                }
                Err(error) => tracing::warn!(
                    error = chain(&error),
                    "replaced documentation could not be removed"
                ),
            }
        }
    }
}

/// Creates the sandbox with the limits from the settings.
pub fn sandbox(settings: &LibrarySettings) -> Sandbox {
    let limits = SandboxLimits {
        memory_mb: settings.reader_memory_mb,
        cpu_seconds: settings.reader_cpu_seconds,
        timeout: Duration::from_millis(settings.reader_timeout_ms),
    };
    Sandbox::new(settings.reader_program.clone(), limits)
}
