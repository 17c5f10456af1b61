//! The knowledge base: entries, links between them, suggestions, generalizations and stale entries.

pub(crate) mod backfill;
pub mod entries;
pub mod generalize;
pub mod graph;
pub mod links;
mod projects;
pub mod recall;
pub mod stale;
pub mod suggestions;
mod values;

use std::sync::Arc;

use recall_kit_settings::Settings;
use recall_kit_store::Store;
use tokio::sync::Mutex;

pub use self::values::new_id;
use crate::{
    admission::Admission,
    chat::Chat,
    clock::Clock,
    experiences::Experiences,
    indexing::{Records, Source, labels::Labels},
    vectors::Embedding,
};

/// The knowledge base, and what searching and changing it needs.
pub struct Knowledge {
    /// The entries as searchable records.
    pub records: Arc<Records>,
    /// The labels by which searches filter entries.
    pub labels: Arc<Labels>,
    /// Locked while suggestions are made, so that concurrent calls see each other's suggestions.
    suggesting: Mutex<()>,
    /// Experiences are searched along with entries if the settings say so, and are promoted to entries.
    pub(crate) experiences: Arc<Experiences>,
    /// The model that writes generalizations; `None` when it is off.
    chat: Option<Arc<Chat>>,
    settings: Arc<Settings>,
    store: Arc<dyn Store>,
    embedding: Arc<Embedding>,
    pub(crate) admission: Arc<Admission>,
    clock: Clock,
}

impl Knowledge {
    /// Creates the state of the knowledge base over its searchable records.
    pub(crate) fn new(
        records: Arc<Records>,
        experiences: &Arc<Experiences>,
        chat: Option<Arc<Chat>>,
        settings: &Arc<Settings>,
    ) -> Arc<Self> {
        let Source {
            store,
            clock,
            embedding,
            labels,
            ..
        } = records.source.clone();
        Arc::new(Self {
            records,
            labels,
            suggesting: Mutex::new(()),
            experiences: Arc::clone(experiences),
            chat,
            settings: Arc::clone(settings),
            store,
            embedding,
            admission: Arc::clone(&experiences.admission),
            clock,
        })
    }
}
