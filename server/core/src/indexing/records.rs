//! The searchable records of one family: their index, how far it is up to date, and how they are read from
//! the database.

use std::{path::Path, sync::Arc};

use jiff::Timestamp;
use recall_kit_search::{Index, IndexError, Row, Status, Text};
use recall_kit_shared_types::libraries::DocsMode;
use recall_kit_store::{
    ChunkContent, EntryContent, ExperienceContent, IndexRow, IndexedChunk, IndexedEntry,
    IndexedExperience, NewCount, QueryCount, Store, StoreError,
};

use super::{
    Progress,
    applicability::Applicabilities,
    database_search::DatabaseSearch,
    family::Family,
    labels::{Labels, labels_of},
    open_index,
    popularity::Popularity,
    standings::Standings,
};
use crate::{
    clock::Clock,
    vectors::{Embedding, comparison::compared},
};

/// The engine that searches a family.
pub(crate) enum Engine {
    /// An index in this process.
    Memory(Arc<Index>),
    /// The database.
    Database(Box<DatabaseSearch>),
}

impl Engine {
    /// Opens a family's index in this process; `folder` is the index folder of experiences.
    ///
    /// *Errors*: those of the index.
    pub(crate) fn in_memory(family: Family, folder: &Path) -> Result<Self, IndexError> {
        let index = open_index(&family.folder(folder))?;
        Ok(Self::Memory(Arc::new(index)))
    }
}

/// What records are indexed from. The families share it.
#[derive(Clone)]
pub(crate) struct Source {
    /// The database.
    pub(crate) store: Arc<dyn Store>,
    /// Tells the time.
    pub(crate) clock: Clock,
    /// The model of the vectors.
    pub(crate) embedding: Arc<Embedding>,
    /// The labels of entries, which are updated when entries are read.
    pub(crate) labels: Arc<Labels>,
    /// The standings of experiences.
    pub(crate) standings: Arc<Standings>,
    /// Where experiences apply.
    pub(crate) applicability: Arc<Applicabilities>,
}

/// The records of one family, with their own index.
pub struct Records {
    /// The family.
    pub(crate) family: Family,
    /// Searches them.
    pub(crate) engine: Engine,
    /// How far the index is up to date.
    pub(super) progress: Progress,
    /// How often they were returned or shown, for counts that are not stored yet.
    pub popularity: Popularity,
    /// What they are indexed from.
    pub(crate) source: Source,
}

impl Records {
    /// Creates the state of a family with an engine.
    pub(crate) fn new(family: Family, engine: Engine, source: &Source) -> Arc<Self> {
        Arc::new(Self {
            family,
            engine,
            progress: Progress::default(),
            popularity: Popularity::default(),
            source: source.clone(),
        })
    }

    /// Returns the index in this process.
    ///
    /// *Errors*: [`IndexError::Elsewhere`] if the database searches instead.
    pub fn index(&self) -> Result<&Arc<Index>, IndexError> {
        match &self.engine {
            Engine::Memory(index) => Ok(index),
            Engine::Database(_) => Err(IndexError::Elsewhere),
        }
    }

    /// Returns how many records are searchable and how many of them lack a vector, as last known here.
    pub fn status(&self) -> Status {
        match &self.engine {
            Engine::Memory(index) => index.status(),
            Engine::Database(search) => search.status(),
        }
    }

    /// Returns the labels of entries.
    pub(crate) fn labels(&self) -> &Arc<Labels> {
        &self.source.labels
    }

    pub(crate) async fn head_seq(&self) -> Result<u64, StoreError> {
        let store = &self.source.store;
        match self.family {
            Family::Experiences => store.head_seq().await,
            Family::Entries => store.entry_head_seq().await,
            Family::Chunks => store.chunk_head_seq().await,
        }
    }

    pub(crate) async fn head_seq_and_size(&self) -> Result<(u64, u64), StoreError> {
        let store = &self.source.store;
        match self.family {
            Family::Experiences => store.head_seq_and_size().await,
            Family::Entries => store.entry_head_seq_and_size().await,
            Family::Chunks => store.chunk_head_seq_and_size().await,
        }
    }

    /// Reads rows after one `seq` and up to another, as they are stored.
    pub(crate) async fn stored_rows(
        &self,
        (after, up_to): (u64, u64),
        limit: u32,
    ) -> Result<Vec<IndexRow>, StoreError> {
        let store = &self.source.store;
        match self.family {
            Family::Experiences => store.index_rows(after, up_to, limit).await,
            Family::Entries => store.entry_rows(after, up_to, limit).await,
            Family::Chunks => store.chunk_rows(after, up_to, limit).await,
        }
    }

    /// Reads records after a `seq`; also stores the labels of entries, by which searches filter.
    pub(crate) async fn records_after(
        &self,
        seq: u64,
        limit: u32,
    ) -> Result<Vec<(Row, Text)>, StoreError> {
        let (store, embedding) = (&self.source.store, &self.source.embedding);
        match self.family {
            Family::Experiences => {
                let records = store.experiences_after(seq, limit).await?.into_iter();
                let records = records.map(|one| indexed_experience(embedding, one));
                Ok(records.collect())
            }
            Family::Entries => {
                let entries = store.entries_after(seq, limit).await?;
                self.source.labels.put(entries.iter().map(labels_of));
                let entries = entries.into_iter();
                let entries = entries.map(|one| indexed_entry(embedding, one));
                Ok(entries.collect())
            }
            Family::Chunks => {
                let chunks = store.chunks_after(seq, limit).await?.into_iter();
                let chunks = chunks.map(|one| indexed_chunk(embedding, one));
                Ok(chunks.collect())
            }
        }
    }

    pub(crate) async fn add_counts(&self, counts: &[NewCount]) -> Result<(), StoreError> {
        let (store, now) = (&self.source.store, self.source.clock.now());
        match self.family {
            Family::Experiences => store.add_query_counts(counts, now).await,
            Family::Entries => store.add_access_counts(counts, now).await,
            // A chunk that is returned often is not a better answer to other queries.
            Family::Chunks => Ok(()),
        }
    }

    pub(crate) async fn counts_since(
        &self,
        since: Timestamp,
    ) -> Result<Vec<QueryCount>, StoreError> {
        let store = &self.source.store;
        match self.family {
            Family::Experiences => store.query_counts_since(since).await,
            Family::Entries => store.access_counts_since(since).await,
            Family::Chunks => Ok(Vec::new()),
        }
    }
}

fn indexed_experience(embedding: &Embedding, record: IndexedExperience) -> (Row, Text) {
    let row = row(embedding, record.row);
    let Some(content) = record.content else {
        return (row, Text::default());
    };
    let ExperienceContent {
        title,
        problem_description,
        root_cause,
        solution,
        context,
        keywords,
        applies: _,
    } = content;
    // A description that repeats the title must not count twice.
    let description = Some(problem_description).filter(|text| *text != title);
    let body = body([description, root_cause, Some(solution), context]);
    let keywords = keywords.join(" ");
    let text = Text {
        title,
        keywords,
        body,
    };
    (row, text)
}

fn indexed_entry(embedding: &Embedding, entry: IndexedEntry) -> (Row, Text) {
    let EntryContent {
        title,
        content,
        tags,
        context,
        ..
    } = entry.content;
    let body = body([Some(content), context]);
    let keywords = tags.join(" ");
    let text = Text {
        title,
        keywords,
        body,
    };
    (row(embedding, entry.row), text)
}

/// Converts a chunk. A removed chunk has no words, so that no query finds it. Headings above its own go
/// into the body, since all chunks of a page share them.
fn indexed_chunk(embedding: &Embedding, chunk: IndexedChunk) -> (Row, Text) {
    let row = row(embedding, chunk.row);
    let Some(content) = chunk.content else {
        return (row, Text::default());
    };
    let ChunkContent {
        kind,
        title,
        description,
        language,
        text,
        ..
    } = content;
    let (above, own) = title.rsplit_once(" > ").unwrap_or(("", title.as_str()));
    let mut headings = own.to_owned();
    // A chunk of several small sections contains their headings.
    if kind == DocsMode::Info && text.starts_with('#') {
        for heading in text.lines().filter(|line| line.starts_with('#')) {
            headings.push(' ');
            headings.push_str(heading.trim_start_matches('#'));
        }
    }
    let text = Text {
        title: headings,
        keywords: language.unwrap_or_default(),
        body: body([description, Some(text), Some(above.to_owned())]),
    };
    (row, text)
}

fn body<const PARTS: usize>(parts: [Option<String>; PARTS]) -> String {
    let mut body = String::new();
    for part in parts.into_iter().flatten() {
        body.push_str(&part);
        body.push('\n');
    }
    body
}

/// Converts a stored row; its vector gets the form in which the search compares it.
pub(super) fn row(embedding: &Embedding, row: IndexRow) -> Row {
    let (vector, language) = compared(embedding, row.vector);
    Row {
        seq: row.seq,
        id: row.id,
        created_at: row.created_at.as_second(),
        query_count: row.query_count,
        popularity: row.popularity,
        vector,
        language,
        is_gone: row.is_gone,
    }
}
