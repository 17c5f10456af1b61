//! The application state that every use case works with, built once at start.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use arc_swap::ArcSwap;
use jiff::{Timestamp, ToSpan as _};
use recall_kit_catalogue::{Catalogue, Entries};
use recall_kit_documents::sandbox::{Sandbox, SandboxLimits};
use recall_kit_embed::{BuiltinEmbedder, Embedder, HttpEmbedder, HttpEndpoint};
use recall_kit_fair_queue::FairQueue;
use recall_kit_settings::{
    AccessMode, EmbeddingProvider, EmbeddingSettings, LibrarySettings, LimitSettings, SearchEngine,
    Settings, private_files,
};
use recall_kit_store::Store;
use recall_kit_telemetry::metrics::Metrics;
use tokio::sync::{Mutex, Notify};
use uuid::Uuid;

use crate::{
    access::{api_keys::ApiKeys, people::People},
    admission::QUERIES_AT_ONCE,
    chat::Chat,
    error::OpenError,
    experiences::{insights::QueryLog, row_cache::RowCache},
    indexing::{
        self,
        database_search::DatabaseSearch,
        family::{Engine, Family, Records},
        index_folder::FolderUse,
    },
    knowledge::labels::Labels,
    vectors::{fresh_vectors::FreshVectors, query_vectors::QueryVectors},
};

/// The folder of the index of entries, beside that of experiences; the number is the format version.
const ENTRIES: &str = "entries-2";
/// The folder of the index of chunks.
const CHUNKS: &str = "chunks-3";

/// Days after which deleted and replaced records are removed permanently.
const KEPT_DELETED_DAYS: i64 = 30;

/// Returns the current time; tests inject their own clock.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The application state that every use case works with.
pub struct App {
    /// The settings the server was started with.
    pub settings: Settings,
    /// The database.
    pub store: Arc<dyn Store>,
    /// What clients may do without a key.
    pub access: AccessMode,
    /// Verification of API keys.
    pub keys: ApiKeys,
    /// Reads risky files in a separate process.
    pub sandbox: Sandbox,
    /// State about signing in, and how long sessions last.
    pub people: People,
    /// The embedding model; none when embeddings are off.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// The model that writes texts; none when it is off.
    pub chat: Option<Chat>,
    /// The experiences as searchable records.
    pub experiences: Records,
    /// The entries of the knowledge base as searchable records.
    pub entries: Records,
    /// The chunks of documentation as searchable records.
    pub chunks: Records,
    /// The labels by which searches filter entries.
    pub labels: Labels,
    /// Prevents a repair of the index folder while this server uses it.
    pub index_use: FolderUse,
    /// Cache of rows that were returned recently.
    pub rows: RowCache,
    /// Cache of the vectors of recent queries.
    pub query_vectors: QueryVectors,
    /// Queries for the insights that are not stored yet.
    pub query_log: QueryLog,
    /// Limits how many queries are answered at once, with the same share for every caller.
    pub query_turns: FairQueue,
    /// Limits how many large responses are built and written at once.
    pub answer_turns: FairQueue,
    /// Locked while suggestions are made, so that concurrent calls see each other's suggestions.
    pub suggesting: Mutex<()>,
    /// The submissions whose vectors are being computed.
    pub fresh_vectors: FreshVectors,
    /// Notified when records without a vector arrive for which no task computes one yet.
    pub vectors_missing: Notify,
    /// Set when another process switched the database to another model: this server's embeddings can
    /// then no longer be compared with the stored vectors.
    pub model_replaced: AtomicBool,
    /// The current limits on what clients may send and keep open.
    pub limits: ArcSwap<LimitSettings>,
    /// The server's own tools, resources and prompts together with those from the settings.
    pub catalogue: Catalogue,
    /// The server's metrics.
    pub metrics: Metrics,
    /// Returns the current time.
    pub clock: Clock,
}

impl App {
    /// Opens the database and the index and prepares the model.
    ///
    /// *Errors*: [`OpenError`], with messages for the person who starts the program.
    pub async fn open(settings: Settings) -> Result<Arc<Self>, OpenError> {
        let options = settings.store_options()?;
        private_files::tighten(&settings.data_dir()?, options.url.sqlite_path());
        let store = recall_kit_store::open(&options)
            .await
            .map_err(|source| OpenError::Open {
                url: options.url.to_string(),
                source,
            })?;
        let embedder = embedder(&settings.embeddings);
        Self::with(settings, store, embedder, Arc::new(Timestamp::now)).await
    }

    /// Builds the application from its parts.
    pub async fn with(
        settings: Settings,
        store: Arc<dyn Store>,
        embedder: Option<Arc<dyn Embedder>>,
        clock: Clock,
    ) -> Result<Arc<Self>, OpenError> {
        let has_active_key = store.has_active_api_key(clock()).await?;
        let access = settings.access_mode(has_active_key)?;
        if access == AccessMode::Required && !has_active_key {
            tracing::warn!(
                "there is no API key, so no client can connect; \
                create one with `recall-kit-server keys create --name NAME`"
            );
        }
        if let Some(embedder) = &embedder {
            store.claim_embedding_model(embedder.model()).await?;
        }
        let catalogue = Catalogue::new(Entries::of(&settings)?);
        let folder = index_folder(&settings, store.database_id().await?)?;
        let index_use = FolderUse::shared(&folder).await;
        let experiences = Records::new(match settings.search.engine {
            SearchEngine::Memory => in_memory(Family::Experiences, &folder)?,
            SearchEngine::Postgres => in_database(store.as_ref()).await?,
        });
        let app = Arc::new(Self {
            limits: ArcSwap::from_pointee(settings.limits.clone()),
            chat: Chat::of(&settings.ai),
            sandbox: sandbox(&settings.libraries),
            access,
            keys: ApiKeys::new(Arc::clone(&store)),
            people: People::new(&settings.web),
            settings,
            store,
            embedder,
            experiences,
            entries: Records::new(in_memory(Family::Entries, &folder)?),
            chunks: Records::new(in_memory(Family::Chunks, &folder)?),
            labels: Labels::default(),
            index_use,
            rows: RowCache::default(),
            query_vectors: QueryVectors::default(),
            query_log: QueryLog::default(),
            query_turns: FairQueue::new(QUERIES_AT_ONCE),
            answer_turns: FairQueue::of_half_the_cores(),
            suggesting: Mutex::new(()),
            fresh_vectors: FreshVectors::default(),
            vectors_missing: Notify::new(),
            model_replaced: AtomicBool::new(false),
            catalogue,
            metrics: Metrics::default(),
            clock,
        });
        indexing::damage::load_labels(&app).await?;
        for family in Family::ALL {
            indexing::restore(&app, family).await?;
        }
        Ok(app)
    }

    /// Returns the records of a family.
    pub fn records(&self, family: Family) -> &Records {
        match family {
            Family::Experiences => &self.experiences,
            Family::Entries => &self.entries,
            Family::Chunks => &self.chunks,
        }
    }

    /// Returns the current limits.
    pub fn limits(&self) -> Arc<LimitSettings> {
        self.limits.load_full()
    }

    /// Returns the time before which deleted and replaced records are purged; `None` if it is out of range.
    pub fn purge_before(&self) -> Option<Timestamp> {
        let hours = KEPT_DELETED_DAYS * 24;
        self.now().checked_sub(hours.hours()).ok()
    }

    /// Returns the current time, rounded as the database stores it.
    pub fn now(&self) -> Timestamp {
        recall_kit_store::rounded_time((self.clock)())
    }
}

/// Returns the current time, rounded as the database stores it, for code without an [`App`].
pub fn now() -> Timestamp {
    recall_kit_store::rounded_time(Timestamp::now())
}

/// Opens an index in this process.
fn in_memory(family: Family, folder: &Path) -> Result<Engine, OpenError> {
    let index = indexing::open_index(&folder_of(family, folder))?;
    Ok(Engine::Memory(Arc::new(index)))
}

/// Prepares the database for searching.
async fn in_database(store: &dyn Store) -> Result<Engine, OpenError> {
    store.prepare_search().await.map_err(OpenError::Search)?;
    Ok(Engine::Database(DatabaseSearch::default()))
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

/// Creates the sandbox with the limits from the settings.
pub fn sandbox(settings: &LibrarySettings) -> Sandbox {
    let limits = SandboxLimits {
        memory_mb: settings.reader_memory_mb,
        cpu_seconds: settings.reader_cpu_seconds,
        timeout: Duration::from_millis(settings.reader_timeout_ms),
    };
    Sandbox::new(settings.reader_program.clone(), limits)
}

/// Returns the folder of a database's index of experiences; the number is the format version.
///
/// *Errors*: [`OpenError::Settings`] if the data directory is unknown.
pub fn index_folder(settings: &Settings, database: Uuid) -> Result<PathBuf, OpenError> {
    Ok(settings
        .data_dir()?
        .join("index")
        .join(database.to_string())
        .join("experiences-3"))
}

/// Returns the folder of a family's index, beside that of experiences.
pub fn folder_of(family: Family, experiences: &Path) -> PathBuf {
    match family {
        Family::Experiences => experiences.to_owned(),
        Family::Entries => experiences.with_file_name(ENTRIES),
        Family::Chunks => experiences.with_file_name(CHUNKS),
    }
}
