//! The application: the state of each noun, built and connected once at start.
//!
//! A use case takes the state of its noun, not the application. What holds the application is what serves all of
//! it: the transports, the pages, the commands and the background tasks.

use std::{path::Path, sync::Arc};

use recall_kit_catalogue::{Catalogue, Entries};
use recall_kit_embed::Embedder;
use recall_kit_settings::{SearchEngine, Settings, private_files};
use recall_kit_store::Store;
use recall_kit_telemetry::metrics::Metrics;

use crate::{
    access::Access,
    admission::Admission,
    chat::Chat,
    clock::Clock,
    error::OpenError,
    experiences::{
        Experiences,
        insights::{Insights, QueryLog, recalls::RecallLog},
        outcomes::Outcomes,
    },
    indexing::{
        self, Engine, Records, Source,
        applicability::Applicabilities,
        damage::load_labels,
        database_search::DatabaseSearch,
        family::Family,
        index_folder::{FolderUse, index_folder},
        labels::Labels,
        standings::Standings,
    },
    knowledge::Knowledge,
    vectors::{Embedding, embedder},
};

/// The state of a server.
pub struct App {
    /// The settings the server was started with.
    pub settings: Arc<Settings>,
    /// The database.
    pub store: Arc<dyn Store>,
    /// Tells the time.
    pub clock: Clock,
    /// The server's metrics.
    pub metrics: Arc<Metrics>,
    /// Who may call the server.
    pub access: Arc<Access>,
    /// The queues in which calls wait, and the limits of clients.
    pub admission: Arc<Admission>,
    /// The embedding model.
    pub embedding: Arc<Embedding>,
    /// Experiences.
    pub experiences: Arc<Experiences>,
    /// Outcomes of experiences.
    pub outcomes: Arc<Outcomes>,
    /// The queries of agents.
    pub insights: Arc<Insights>,
    /// The knowledge base.
    pub knowledge: Arc<Knowledge>,
    /// The chunks of documentation as searchable records.
    pub chunks: Arc<Records>,
    /// The server's own tools, resources and prompts together with those from the settings.
    pub catalogue: Catalogue,
    /// The model that writes texts; none when it is off.
    pub chat: Option<Arc<Chat>>,
    /// Prevents a repair of the index folder while this server uses it.
    index_use: FolderUse,
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
        Self::with(settings, store, embedder, Clock::system()).await
    }

    /// Builds the application from its parts.
    pub async fn with(
        settings: Settings,
        store: Arc<dyn Store>,
        embedder: Option<Arc<dyn Embedder>>,
        clock: Clock,
    ) -> Result<Arc<Self>, OpenError> {
        let settings = Arc::new(settings);
        let access = Access::new(&settings, &store, &clock).await?;
        if let Some(embedder) = &embedder {
            store.claim_embedding_model(embedder.model()).await?;
        }
        let catalogue = Catalogue::new(Entries::of(&settings)?);
        let database_id = store.database_id().await?;
        let folder = index_folder(&settings, database_id)?;
        let index_use = FolderUse::shared(&folder).await;
        let metrics = Arc::new(Metrics::default());
        let embedding = Embedding::new(embedder, &settings.embeddings, Arc::clone(&metrics));
        let source = Source {
            store,
            clock,
            embedding: Arc::new(embedding),
            labels: Arc::new(Labels::default()),
            standings: Arc::new(Standings::default()),
            applicability: Arc::new(Applicabilities::default()),
        };
        let engine = experiences_engine(&settings, source.store.as_ref(), &folder).await?;
        let records = Records::new(Family::Experiences, engine, &source);
        let entries = in_memory(Family::Entries, &folder, &source)?;
        let chunks = in_memory(Family::Chunks, &folder, &source)?;

        let admission = Arc::new(Admission::new(&settings));
        let keep_days = settings.insights.keep_days;
        let query_log = Arc::new(QueryLog::new(keep_days, source.clock.clone()));
        let recall_log = Arc::new(RecallLog::new(keep_days));
        let experiences = Experiences::new(records, &admission, &query_log, &metrics);
        let outcomes = Outcomes::new(&experiences, &recall_log, database_id);
        let insights = Insights::new(
            (query_log, recall_log),
            Arc::clone(&entries),
            &admission,
            keep_days,
        );
        let chat = Chat::of(&settings.ai).map(Arc::new);
        let knowledge = Knowledge::new(entries, &experiences, chat.clone(), &settings);

        let app = Arc::new(Self {
            settings,
            store: source.store,
            clock: source.clock,
            metrics,
            access,
            admission,
            embedding: source.embedding,
            experiences,
            outcomes,
            insights,
            knowledge,
            chunks,
            catalogue,
            chat,
            index_use,
        });
        load_labels(&app.knowledge.records).await?;
        app.outcomes.refresh().await?;
        let applicability = &app.experiences.records.source.applicability;
        applicability.refresh(app.store.as_ref()).await?;
        for records in app.searchable() {
            indexing::restore(records).await?;
        }
        Ok(app)
    }

    /// Returns the searchable records of every family.
    pub(crate) fn searchable(&self) -> [&Arc<Records>; 3] {
        Family::ALL.map(|family| self.records(family))
    }

    /// Returns the searchable records of a family.
    pub fn records(&self, family: Family) -> &Arc<Records> {
        match family {
            Family::Experiences => &self.experiences.records,
            Family::Entries => &self.knowledge.records,
            Family::Chunks => &self.chunks,
        }
    }

    /// Returns the index folder of experiences, beside which the others are.
    pub(crate) fn index_folder(&self) -> &Path {
        self.index_use.folder()
    }
}

/// Prepares the engine that the settings choose for searching experiences.
async fn experiences_engine(
    settings: &Settings,
    store: &dyn Store,
    folder: &Path,
) -> Result<Engine, OpenError> {
    match settings.search.engine {
        SearchEngine::Memory => Ok(Engine::in_memory(Family::Experiences, folder)?),
        SearchEngine::Postgres => {
            let search = DatabaseSearch::prepare(store, settings.query_timeout()).await;
            Ok(Engine::Database(Box::new(
                search.map_err(OpenError::Search)?,
            )))
        }
    }
}

/// Opens the index of a family in this process.
fn in_memory(family: Family, folder: &Path, source: &Source) -> Result<Arc<Records>, OpenError> {
    let engine = Engine::in_memory(family, folder)?;
    Ok(Records::new(family, engine, source))
}
