//! The families of searchable records, with the operations that they have in common. They differ in the
//! tables in which the database stores them.

use std::sync::Arc;

use jiff::Timestamp;
use recall_kit_search::{Index, IndexError, Row, Status, Text};
use recall_kit_shared_types::libraries::DocsMode;
use recall_kit_store::{
    ChunkContent, EntryContent, ExperienceContent, IndexRow, IndexedChunk, IndexedEntry,
    IndexedExperience, NewCount, QueryCount, StoreError,
};

use super::{database_search::DatabaseSearch, popularity::Popularity};
use crate::{
    app::App, indexing::Progress, knowledge::labels::labels_of, vectors::comparison::compared,
};

/// Records of one kind, with their own index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Solved problems.
    Experiences,
    /// The knowledge base.
    Entries,
    /// Chunks of documentation.
    Chunks,
}

/// The engine that searches a family.
pub enum Engine {
    /// An index in this process.
    Memory(Arc<Index>),
    /// The database.
    Database(DatabaseSearch),
}

/// The in-process state of one family's records.
pub struct Records {
    /// Searches them.
    pub engine: Engine,
    /// How far the index is up to date.
    pub progress: Progress,
    /// How often they were returned or shown, for counts that are not stored yet.
    pub popularity: Popularity,
}

impl Records {
    /// Creates the state with an engine.
    pub fn new(engine: Engine) -> Self {
        Self {
            engine,
            progress: Progress::default(),
            popularity: Popularity::default(),
        }
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
}

impl Family {
    /// Every family.
    pub const ALL: [Self; 3] = [Self::Experiences, Self::Entries, Self::Chunks];

    pub(crate) async fn head_seq(self, app: &App) -> Result<u64, StoreError> {
        match self {
            Self::Experiences => app.store.head_seq().await,
            Self::Entries => app.store.entry_head_seq().await,
            Self::Chunks => app.store.chunk_head_seq().await,
        }
    }

    pub(crate) async fn head_seq_and_size(self, app: &App) -> Result<(u64, u64), StoreError> {
        match self {
            Self::Experiences => app.store.head_seq_and_size().await,
            Self::Entries => app.store.entry_head_seq_and_size().await,
            Self::Chunks => app.store.chunk_head_seq_and_size().await,
        }
    }

    /// Reads rows after one `seq` and up to another, as they are stored.
    pub(crate) async fn rows(
        self,
        app: &App,
        (after, up_to): (u64, u64),
        limit: u32,
    ) -> Result<Vec<IndexRow>, StoreError> {
        match self {
            Self::Experiences => app.store.index_rows(after, up_to, limit).await,
            Self::Entries => app.store.entry_rows(after, up_to, limit).await,
            Self::Chunks => app.store.chunk_rows(after, up_to, limit).await,
        }
    }

    /// Reads records after a `seq`; also stores the labels of entries, by which searches filter.
    pub(crate) async fn records_after(
        self,
        app: &App,
        seq: u64,
        limit: u32,
    ) -> Result<Vec<(Row, Text)>, StoreError> {
        match self {
            Self::Experiences => {
                let records = app.store.experiences_after(seq, limit).await?;
                Ok(records
                    .into_iter()
                    .map(|one| indexed_experience(app, one))
                    .collect())
            }
            Self::Entries => {
                let entries = app.store.entries_after(seq, limit).await?;
                app.labels.put(entries.iter().map(labels_of));
                Ok(entries
                    .into_iter()
                    .map(|one| indexed_entry(app, one))
                    .collect())
            }
            Self::Chunks => {
                let chunks = app.store.chunks_after(seq, limit).await?;
                Ok(chunks
                    .into_iter()
                    .map(|one| indexed_chunk(app, one))
                    .collect())
            }
        }
    }

    pub(crate) async fn add_counts(self, app: &App, counts: &[NewCount]) -> Result<(), StoreError> {
        let now = app.now();
        match self {
            Self::Experiences => app.store.add_query_counts(counts, now).await,
            Self::Entries => app.store.add_access_counts(counts, now).await,
            // A chunk that is returned often is not a better answer to other queries.
            Self::Chunks => Ok(()),
        }
    }

    pub(crate) async fn counts_since(
        self,
        app: &App,
        since: Timestamp,
    ) -> Result<Vec<QueryCount>, StoreError> {
        match self {
            Self::Experiences => app.store.query_counts_since(since).await,
            Self::Entries => app.store.access_counts_since(since).await,
            Self::Chunks => Ok(Vec::new()),
        }
    }
}

fn indexed_experience(app: &App, record: IndexedExperience) -> (Row, Text) {
    let row = row(app, record.row);
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

fn indexed_entry(app: &App, entry: IndexedEntry) -> (Row, Text) {
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
    (row(app, entry.row), text)
}

/// Converts a chunk. A removed chunk has no words, so that no query finds it. Headings above its own go
/// into the body, since all chunks of a page share them.
fn indexed_chunk(app: &App, chunk: IndexedChunk) -> (Row, Text) {
    let row = row(app, chunk.row);
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

pub(crate) fn row(app: &App, row: IndexRow) -> Row {
    let (vector, language) = compared(app, row.vector);
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
