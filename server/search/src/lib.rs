//! The search index: ranks the records for a query in this process, whatever the database.
//!
//! The index is derived data: the database is the truth, and the index can be rebuilt from it at any time. This
//! crate knows nothing of SQL, transports or the embedding model: `core` passes it records in commit order and
//! query embeddings. An index has a base on disk and a delta in memory, which are searched as one.

mod candidates;
mod query_terms;
mod ranking;
mod scope;
mod state;
mod storage;
mod text;
mod vectors;
mod window;
mod words;

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError,
        atomic::AtomicUsize,
    },
};

use uuid::Uuid;

pub use self::{
    candidates::{
        CandidateQuery, Candidates, Retrieved, Sample, Statistics, TermGroup, Words, query_terms,
        words,
    },
    vectors::{UnfitVector, check_stored, first_passage, passages, quantize},
};
use self::{state::State, vectors::Vectors};
use crate::storage::{
    grow,
    saved::{self, Contents},
};
pub use crate::{
    ranking::{
        alternatives::{Certainty, Fit},
        factors::{Factors, placed},
        parts::Parts,
        turns::{Around, NEIGHBOURS, Turns},
    },
    storage::saved::{SavedError, SavedFrom},
    words::{common_terms::shared_words, language::Language, snippet::SnippetTerms},
};

/// Why an operation of the index failed.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The index folder could not be read or written.
    #[error("the index folder cannot be used")]
    Folder(#[from] std::io::Error),
    /// The text engine failed.
    #[error("the text index failed")]
    Text(#[from] tantivy::TantivyError),
    /// The index folder was not written by this program.
    #[error("the index folder was not written by this program")]
    Foreign,
    /// Files of the index folder do not have the contents that were written.
    #[error("{files} files of the index folder are damaged")]
    Torn {
        /// The number of damaged files.
        files: usize,
    },
    /// The database searches these records, so there is no index.
    #[error("these records are searched by the database and have no index")]
    Elsewhere,
    /// Records that the base should hold are missing from it.
    #[error("the index lacks {missing} of {expected} records")]
    Incomplete {
        /// How many are missing.
        missing: usize,
        /// How many should be there.
        expected: usize,
    },
}

impl IndexError {
    /// Returns whether the contents of the folder are unusable, as opposed to unreachable.
    pub fn is_damage(&self) -> bool {
        use std::io::ErrorKind::{InvalidData, UnexpectedEof};
        use tantivy::{
            TantivyError::{
                DataCorruption, IncompatibleIndex, InternalError, OpenReadError, SchemaError,
            },
            directory::error::OpenReadError::IoError,
        };
        match self {
            Self::Text(OpenReadError(IoError { io_error, .. })) => {
                matches!(io_error.kind(), InvalidData | UnexpectedEof)
            }
            Self::Foreign | Self::Torn { .. } | Self::Incomplete { .. } => true,
            Self::Text(error) => matches!(
                error,
                DataCorruption(_)
                    | IncompatibleIndex(_)
                    | InternalError(_)
                    | OpenReadError(_)
                    | SchemaError(_)
            ),
            Self::Folder(_) | Self::Elsewhere => false,
        }
    }
}

/// The searchable text of a record; the parts have different weights.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text {
    /// The title.
    pub title: String,
    /// Keywords or tags, separated by spaces.
    pub keywords: String,
    /// Everything else.
    pub body: String,
}

/// What the index stores of a record besides its text.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The record's place in commit order.
    pub seq: u64,
    /// Its id.
    pub id: Uuid,
    /// Seconds since 1970.
    pub created_at: i64,
    /// How often queries returned it.
    pub query_count: u64,
    /// The count that popularity is computed from; one caller adds little to it.
    pub popularity: u64,
    /// Its embedding as [`quantize`] writes it.
    pub vector: Option<Vec<u8>>,
    /// The language of its text.
    pub language: Language,
    /// Whether it was hidden or deleted; it may come back with a later `seq`.
    pub is_gone: bool,
}

impl Row {
    /// Whether the record can be found but has no embedding.
    pub fn lacks_vector(&self) -> bool {
        self.vector.is_none() && !self.is_gone
    }
}

/// How often a record was returned, and its popularity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// How often queries returned it.
    pub query_count: u64,
    /// The count that popularity is computed from.
    pub popularity: u64,
}

/// What was restored from a file of saved rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restored {
    /// The `seq` up to which the records were restored.
    pub up_to: u64,
    /// Counts may have changed in the database since this moment, in seconds since 1970.
    pub counts_as_of: i64,
}

/// Which records a query may find.
#[derive(Clone, Copy, Default)]
pub enum Allowed<'a> {
    /// All of them.
    #[default]
    Everything,
    /// Those that the function accepts; scores and relevances are computed as if the others did not exist.
    Scope(&'a (dyn Fn(Uuid) -> bool + Sync)),
    /// Those that the function accepts; the others still count in scores and relevances. Cheaper than
    /// [`Self::Scope`] in a large index.
    Filter(&'a (dyn Fn(Uuid) -> bool + Sync)),
}

/// A query with everything that a search needs.
#[derive(Clone)]
pub struct Query<'a> {
    /// What the user typed.
    pub text: &'a str,
    /// Its embedding, L2-normalised; without one, only words are compared.
    pub embedding: Option<&'a [f32]>,
    /// Evidence that the query is about everyday life, in log odds; 0 if it is not.
    pub everyday: f32,
    /// The language of the text.
    pub language: Language,
    /// The embedding of the query's context, L2-normalised. Records that are similar to it rank higher; every
    /// record that is found without it is also found with it.
    pub context: Option<&'a [f32]>,
    /// The neighbours of turns of conversations; `None` if no record is a turn.
    pub turns: Option<Turns<'a>>,
    /// What moves records among others besides their texts; `None` if nothing does.
    pub factors: Option<Factors<'a>>,
    /// Which records may be found.
    pub allowed: Allowed<'a>,
    /// The time from which recency is counted, in seconds since 1970.
    pub now: i64,
    /// The number of records to skip.
    pub offset: usize,
    /// The most records to return.
    pub limit: usize,
}

/// A page of records and how many match in all.
#[derive(Debug, Clone, PartialEq)]
pub struct Hits {
    /// The page, best first.
    pub hits: Vec<Hit>,
    /// How many records match, exactly.
    pub total: u64,
}

/// The records most similar to an embedding, and statistics of the cosines of all records.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Nearest {
    /// Ids and cosines, best first.
    pub best: Vec<(Uuid, f32)>,
    /// The number of records that have a vector.
    pub compared: usize,
    /// Mean of all cosines.
    pub mean: f32,
    /// Their standard deviation.
    pub deviation: f32,
}

/// The state of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// The number of records.
    pub records: usize,
    /// How many of them have no vector.
    pub without_vector: usize,
    /// Records whose text is only in memory.
    pub delta_records: usize,
    /// The `seq` up to which the text is on disk.
    pub base_seq: u64,
}

/// A record that matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Its id.
    pub id: Uuid,
    /// Its place in commit order, which distinguishes its versions.
    pub seq: u64,
    /// How often queries returned it.
    pub query_count: u64,
    /// 0–1; comparable between queries, and independent of limit and offset.
    pub relevance: f32,
}

/// The index of one family of records.
pub struct Index {
    folder: Option<PathBuf>,
    state: RwLock<State>,
    /// Locked while this process extends the base.
    extending: Mutex<()>,
    /// The number of records at which the delta is full.
    delta_most: AtomicUsize,
}

impl Index {
    /// Opens the index in a folder, or creates one in memory.
    ///
    /// The caller then passes the rows up to [`Index::base_seq`] to [`Index::restore_saved`] and
    /// [`Index::restore`], and the records after it to [`Index::apply`].
    ///
    /// *Errors*: the folder cannot be used, or was not written by this program; after [`Index::erase`] a new
    /// index can be created there.
    pub fn open(folder: Option<PathBuf>) -> Result<Self, IndexError> {
        let state = RwLock::new(State::new(folder.as_deref())?);
        Ok(Self {
            folder,
            state,
            extending: Mutex::new(()),
            delta_most: AtomicUsize::new(grow::DELTA_MOST),
        })
    }

    /// Deletes an index folder with all its files.
    pub fn erase(folder: &Path) -> Result<(), IndexError> {
        match std::fs::remove_dir_all(folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Returns the `seq` up to which the text is on disk.
    pub fn base_seq(&self) -> u64 {
        self.read().base.seq()
    }

    /// Returns how many records are on disk, including replaced versions.
    pub fn base_len(&self) -> u64 {
        self.read().base.len()
    }

    /// Returns the `seq` of the last record that was added.
    pub fn last_seq(&self) -> u64 {
        self.read().last_seq
    }

    /// Returns the number of records.
    pub fn len(&self) -> usize {
        self.read().records.len()
    }

    /// Returns whether the index has no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the state of the index.
    pub fn status(&self) -> Status {
        let state = self.read();
        let records = state.records.len();
        Status {
            records,
            without_vector: records.saturating_sub(state.vectors.count()),
            delta_records: state.delta.len(),
            base_seq: state.base.seq(),
        }
    }

    /// Loads the rows that [`Index::save`] wrote and whose text is in the base. Returns `None` if there is no
    /// file or its vectors are of another model. What changed in the database since is not known here.
    ///
    /// *Errors*: the file cannot be read or is damaged; then nothing is loaded.
    pub fn restore_saved(&self, model: &str) -> Result<Option<Restored>, SavedError> {
        let Some(folder) = &self.folder else {
            return Ok(None);
        };
        let mut state = self.write();
        // If a record was written again later, the version that was saved may no longer have a text.
        let texts = state.base.documents()?;
        let Some(loaded) = saved::read(folder, model, &texts)? else {
            return Ok(None);
        };
        state.records = loaded.records;
        state.vectors = Vectors::of(loaded.vectors);
        Ok(Some(Restored {
            up_to: loaded.seq.min(state.base.seq()),
            counts_as_of: loaded.counts_as_of,
        }))
    }

    /// Loads rows whose text is already in the base.
    ///
    /// *Errors*: [`IndexError::Incomplete`] if the base lacks some of them.
    pub fn restore(&self, rows: &[Row]) -> Result<(), IndexError> {
        let mut state = self.write();
        for row in rows {
            state.put_row(row);
        }
        let (expected, mapped) = state.map_base()?;
        state.last_seq = state.last_seq.max(state.base.seq());
        if mapped < expected {
            return Err(IndexError::Incomplete {
                missing: expected - mapped,
                expected,
            });
        }
        Ok(())
    }

    /// Adds records in commit order; the next search finds them. Waits for searches that are running.
    pub fn apply(&self, records: &[(Row, Text)]) {
        let analysed = analysed(records);
        self.write().take_in(records, analysed);
    }

    /// Adds records like [`Index::apply`] unless it would have to wait for a lock; returns whether it added
    /// them.
    pub fn apply_if_free(&self, records: &[(Row, Text)]) -> bool {
        let analysed = analysed(records);
        let mut state = match self.state.try_write() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(state)) => state.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        state.take_in(records, analysed);
        true
    }

    /// Sets how often records were returned, and their popularity.
    pub fn set_counts(&self, counts: impl IntoIterator<Item = (Uuid, Counts)>) {
        let mut state = self.write();
        for (id, counts) in counts {
            state.records.set_counts(id, counts);
        }
    }

    /// Increases how often records were returned, and their popularity.
    pub fn add_counts(&self, counts: impl IntoIterator<Item = (Uuid, Counts)>) {
        let mut state = self.write();
        for (id, more) in counts {
            state.records.add_counts(id, more);
        }
    }

    /// Returns how often each of the records was returned, as far as the index knows.
    pub fn query_counts(&self, ids: impl IntoIterator<Item = Uuid>) -> Vec<u64> {
        let state = self.read();
        let count = |id| Some(state.records.get(state.records.slot(id)?)?.query_count);
        let ids = ids.into_iter();
        ids.map(|id| count(id).unwrap_or(0)).collect()
    }

    /// Searches: returns a page of the best records and the number of all that match.
    pub fn search(&self, query: &Query<'_>) -> Result<Hits, IndexError> {
        self.read().search(query)
    }

    /// Searches like [`Index::search`], and returns for each hit what its rank consists of.
    pub fn search_with_parts(&self, query: &Query<'_>) -> Result<(Hits, Vec<Parts>), IndexError> {
        self.read().search_with_parts(query)
    }

    /// Searches like [`Index::search`] if that takes well under a millisecond and no writer holds the lock;
    /// returns `None` otherwise.
    pub fn search_if_quick(&self, query: &Query<'_>) -> Option<Result<Hits, IndexError>> {
        let state = match self.state.try_read() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(state)) => state.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        state.is_quick(query).then(|| state.search(query))
    }

    /// Returns the cosine of every record to an L2-normalised embedding, in no useful order and `NaN` for
    /// records without a vector. For records far from the best ones it is the value expected from an estimate.
    /// This is the first step of a search, public so that it can be measured.
    pub fn cosines(&self, embedding: &[f32]) -> Vec<f32> {
        let mut cosines = Vec::new();
        let wanted = std::iter::empty();
        let state = self.read();
        state.vectors.cosines(embedding, wanted, &mut cosines);
        cosines
    }

    /// Returns the records whose vectors are most similar to an L2-normalised embedding, with their cosines,
    /// best first: one pass over all vectors. Records that are not `allowed` are skipped; with
    /// [`Allowed::Scope`] they do not count for mean and deviation either.
    pub fn nearest(&self, embedding: &[f32], count: usize, allowed: Allowed<'_>) -> Nearest {
        self.read().nearest(embedding, count, allowed)
    }

    /// Returns the embeddings of the first passages of records, L2-normalised; records without one are left out.
    pub fn first_passages(&self, ids: &[Uuid]) -> Vec<(Uuid, Vec<f32>)> {
        let state = self.read();
        let first = |id: &Uuid| Some((*id, state.first_passage(*id)?));
        ids.iter().filter_map(first).collect()
    }

    /// Removes the rows from memory but keeps the files, so that the rows can be loaded again.
    pub fn forget_rows(&self) -> Result<(), IndexError> {
        *self.write() = State::new(self.folder.as_deref())?;
        Ok(())
    }

    /// Removes everything, also on disk, so that all records can be added again.
    pub fn reset(&self) -> Result<(), IndexError> {
        // While this lock is held, this process does not write into the folder that is being deleted.
        let _extending = self.extending.lock();
        if let Some(folder) = &self.folder {
            Self::erase(folder)?;
        }
        *self.write() = State::new(self.folder.as_deref())?;
        Ok(())
    }

    // A panic under the lock cannot leave a record in a state that makes a search panic, since every reader
    // checks its slots. So a poisoned lock is used as it is.
    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the terms of each record.
fn analysed(records: &[(Row, Text)]) -> Vec<Arc<[String]>> {
    let terms = records.iter().map(|(_, text)| text::record_terms(text));
    terms.map(Into::into).collect()
}

#[cfg(test)]
mod tests;
