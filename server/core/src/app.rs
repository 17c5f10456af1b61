//! The application: what every use case works with, built once at start.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use arc_swap::ArcSwap;
use jiff::Timestamp;
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
    catalogue::{Catalogue, Entries},
    chat::Chat,
    error::OpenError,
    experiences::{QUERIES_AT_ONCE, insights::Asked, row_cache::RowCache},
    indexing::{
        self,
        database_search::DatabaseSearch,
        family::{Engine, Family, Records},
        index_folder::FolderUse,
    },
    knowledge::labels::Labels,
    libraries::{KnownShelf, jobs::Jobs},
    vectors::{fresh_vectors::FreshVectors, query_vectors::QueryVectors},
};

/// The folder of the index of entries, beside that of experiences; the number is the format's.
const ENTRIES: &str = "entries-2";
/// That of the index of chunks.
const CHUNKS: &str = "chunks-3";

/// Tells the time; tests inject their own.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// What every use case works with.
pub struct App {
    /// The settings the server was started with.
    pub settings: Settings,
    /// The database.
    pub store: Arc<dyn Store>,
    /// What clients may do without a key.
    pub access: AccessMode,
    /// The keys that let clients in.
    pub keys: ApiKeys,
    /// Reads files that could crash a reader, in a process of its own.
    pub sandbox: Sandbox,
    /// What is remembered of people who sign in.
    pub people: People,
    /// The model; none when embeddings are off.
    pub embedder: Option<Arc<dyn Embedder>>,
    /// What writes texts; none when nothing is to.
    pub chat: Option<Chat>,
    /// Experiences, ready to be searched.
    pub experiences: Records,
    /// The entries of the knowledge base, ready to be searched.
    pub entries: Records,
    /// Pieces of documentation, ready to be searched.
    pub chunks: Records,
    /// Which of them belong to which library.
    pub shelf: KnownShelf,
    /// What searches filter entries by.
    pub labels: Labels,
    /// Keeps the index folder from being repaired meanwhile.
    pub index_use: FolderUse,
    /// Rows of records that were returned lately.
    pub rows: RowCache,
    /// Vectors of queries that were asked lately.
    pub query_vectors: QueryVectors,
    /// What was asked and is not stored yet.
    pub asked: Asked,
    /// Places for queries that are being answered, the same share for every caller.
    pub query_turns: FairQueue,
    /// Places for large answers that are being written.
    pub answer_turns: FairQueue,
    /// Held while suggestions are made, so that they see each other.
    pub suggesting: Mutex<()>,
    /// Held while documentation is read in for a client: one source at a time.
    pub ingesting: Mutex<()>,
    /// Documentation that is read in for people.
    pub jobs: Jobs,
    /// The submissions whose vectors are being made.
    pub fresh_vectors: FreshVectors,
    /// Rung when records without a vector came in that nobody embeds yet.
    pub vectors_missing: Notify,
    /// Set when another process gave the database another model: embeddings of this one would be
    /// compared with vectors of the other.
    pub model_replaced: AtomicBool,
    /// Bounds on what clients may send and hold open, as they are now.
    pub limits: ArcSwap<LimitSettings>,
    /// What the settings add to the server's own tools, resources and prompts.
    pub catalogue: Catalogue,
    /// What the server counts about itself.
    pub metrics: Metrics,
    /// Tells the time.
    pub clock: Clock,
}

impl App {
    /// Opens the database and the index and prepares the model.
    ///
    /// *Errors*: [`OpenError`], in words for the person who started the program.
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
                "there is no API key, so nobody can come in; \
                 make one with `recall-kit-server keys create --name NAME`"
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
            shelf: KnownShelf::default(),
            labels: Labels::default(),
            index_use,
            rows: RowCache::default(),
            query_vectors: QueryVectors::default(),
            asked: Asked::default(),
            query_turns: FairQueue::new(QUERIES_AT_ONCE),
            answer_turns: FairQueue::of_half_the_cores(),
            suggesting: Mutex::new(()),
            ingesting: Mutex::new(()),
            jobs: Jobs::default(),
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

    /// Returns the bounds as they are now.
    pub fn limits(&self) -> Arc<LimitSettings> {
        self.limits.load_full()
    }

    /// Returns the present moment, as the database keeps it.
    pub fn now(&self) -> Timestamp {
        recall_kit_store::rounded_time((self.clock)())
    }
}

/// Returns the present moment, as the database keeps it, where there is no [`App`].
pub fn now() -> Timestamp {
    recall_kit_store::rounded_time(Timestamp::now())
}

/// Opens an index in this process.
fn in_memory(family: Family, folder: &Path) -> Result<Engine, OpenError> {
    let index = indexing::open_index(&folder_of(family, folder))?;
    Ok(Engine::Memory(Arc::new(index)))
}

/// Prepares the database to search.
async fn in_database(store: &dyn Store) -> Result<Engine, OpenError> {
    store.prepare_search().await.map_err(OpenError::Search)?;
    Ok(Engine::Database(DatabaseSearch::default()))
}

/// Makes what the settings ask for.
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
            let given = settings.api_key.expose();
            Some(Arc::new(HttpEmbedder::new(HttpEndpoint {
                base_url: settings.base_url.clone(),
                api_key: if given.is_empty() {
                    from_environment()
                } else {
                    given.to_owned()
                },
                model: settings.model.clone(),
                timeout: Duration::from_millis(settings.timeout_ms),
            })))
        }
    }
}

/// Makes the sandbox with the limits from the settings.
pub fn sandbox(settings: &LibrarySettings) -> Sandbox {
    let limits = SandboxLimits {
        memory_mb: settings.reader_memory_mb,
        cpu_seconds: settings.reader_cpu_seconds,
        timeout: Duration::from_millis(settings.reader_timeout_ms),
    };
    Sandbox::new(settings.reader_program.clone(), limits)
}

/// Returns the folder of one database's index of experiences; the number is the format's.
///
/// *Errors*: [`OpenError::Settings`] where the data directory is unknown.
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
