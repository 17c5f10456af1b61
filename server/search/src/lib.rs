//! The search index: ranks records for a query, in this process, for every database.
//!
//! Derived data: the database is the truth and the index can be rebuilt from it at any time. It
//! knows nothing of SQL, transports or the model; `core` feeds it records in commit order and
//! hands it query embeddings. A base on disk and a delta in memory answer as one.

mod candidates;
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
        Candidates, LookedFor, Retrieved, Sample, Statistics, Words, WordsLookedFor, query_terms,
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
        parts::Parts,
        turns::{Around, NEIGHBOURS, Turns},
    },
    storage::saved::{SavedError, SavedFrom},
    words::{common_terms::shared_words, language::Language, snippet::Sought},
};

/// Why the index could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// The index folder could not be read or written.
    #[error("the index folder cannot be used")]
    Folder(#[from] std::io::Error),
    /// The text engine failed.
    #[error("the text index failed")]
    Text(#[from] tantivy::TantivyError),
    /// The index folder was not written by this program.
    #[error("the index folder holds something else")]
    Foreign,
    /// Files of the index folder are not as they were written.
    #[error("{files} files of the index folder are torn")]
    Torn {
        /// How many.
        files: usize,
    },
    /// The records are searched by the database.
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
    /// Whether the folder holds something unusable, rather than being out of reach.
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

/// The searchable text of a record; the parts weigh differently.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Text {
    /// The title.
    pub title: String,
    /// Keywords or tags, separated by spaces.
    pub keywords: String,
    /// Everything else.
    pub body: String,
}

/// What the index keeps of a record besides its text.
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
    /// What its rank is made of: a count to which one caller adds little.
    pub popularity: u64,
    /// Its embedding as [`quantize`] writes it.
    pub vector: Option<Vec<u8>>,
    /// What language it is in.
    pub language: Language,
    /// Whether it is not to be found any more; it may come back at a later `seq`.
    pub is_gone: bool,
}

impl Row {
    /// Whether the record is to be found and has no embedding.
    pub fn lacks_vector(&self) -> bool {
        self.vector.is_none() && !self.is_gone
    }
}

/// How often a record was returned, and how popular it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// How often queries returned it.
    pub query_count: u64,
    /// What its rank is made of.
    pub popularity: u64,
}

/// What a start found saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restored {
    /// The `seq` up to which the records are here.
    pub up_to: u64,
    /// Since when query counts may have changed, in seconds since 1970.
    pub counts_as_of: i64,
}

/// Which records a query may find.
#[derive(Clone, Copy, Default)]
pub enum Allowed<'a> {
    /// All of them.
    #[default]
    Everything,
    /// Those that pass; scores and relevances are made as if the others did not exist.
    Scope(&'a (dyn Fn(Uuid) -> bool + Sync)),
    /// Those that pass; the others still count where scores and relevances are made. Cheaper than
    /// [`Self::Scope`] in a large index.
    Filter(&'a (dyn Fn(Uuid) -> bool + Sync)),
}

/// A query, ready to be searched.
#[derive(Clone)]
pub struct Query<'a> {
    /// What the user typed.
    pub text: &'a str,
    /// Its embedding, L2-normalised; none searches lexically only.
    pub embedding: Option<&'a [f32]>,
    /// How much the query is about everyday life, in log odds; 0 where it is not.
    pub everyday: f32,
    /// What language the text is in.
    pub language: Language,
    /// The embedding of what surrounds the query, L2-normalised: records that are like it too are
    /// better answers, and what is found without it is found with it.
    pub context: Option<&'a [f32]>,
    /// What stands around turns of conversations; `None` where no record is one.
    pub turns: Option<Turns<'a>>,
    /// Which records may be found.
    pub allowed: Allowed<'a>,
    /// The moment that recency counts from, in seconds since 1970.
    pub now: i64,
    /// Records to skip.
    pub offset: usize,
    /// Records to return at most.
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

/// The records most like an embedding, and how alike it is to all of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Nearest {
    /// Ids and cosines, best first.
    pub best: Vec<(Uuid, f32)>,
    /// How many records have a vector.
    pub compared: usize,
    /// Mean of all cosines.
    pub mean: f32,
    /// Their standard deviation.
    pub deviation: f32,
}

/// How far the index is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// Records in it.
    pub records: usize,
    /// Of these, records without a vector.
    pub without_vector: usize,
    /// Records whose text is in memory only.
    pub delta_records: usize,
    /// The `seq` up to which the text is on disk.
    pub base_seq: u64,
}

/// A record that matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// Its id.
    pub id: Uuid,
    /// Its place in commit order, which tells its versions apart.
    pub seq: u64,
    /// How often queries returned it.
    pub query_count: u64,
    /// 0–1, the same from query to query and from page to page.
    pub relevance: f32,
}

/// The index of one family of records.
pub struct Index {
    folder: Option<PathBuf>,
    state: RwLock<State>,
    /// Held by whoever extends the base in this process.
    extending: Mutex<()>,
    /// Records in the delta from which it is full.
    delta_most: AtomicUsize,
}

impl Index {
    /// Opens the index in a folder, or one in memory.
    ///
    /// The caller then brings the rows up to [`Index::base_seq`] with [`Index::restore_saved`] and
    /// [`Index::restore`], and the records after it with [`Index::apply`].
    ///
    /// *Errors*: a folder that cannot be used or holds something else; [`Index::erase`] makes room
    /// for a new one.
    pub fn open(folder: Option<PathBuf>) -> Result<Self, IndexError> {
        let state = RwLock::new(State::new(folder.as_deref())?);
        Ok(Self {
            folder,
            state,
            extending: Mutex::new(()),
            delta_most: AtomicUsize::new(grow::DELTA_MOST),
        })
    }

    /// Removes what an index folder holds.
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

    /// Returns how many records are on disk, replaced versions included.
    pub fn base_len(&self) -> u64 {
        self.read().base.len()
    }

    /// Returns the `seq` of the last record taken in.
    pub fn last_seq(&self) -> u64 {
        self.read().last_seq
    }

    /// Returns how many records the index holds.
    pub fn len(&self) -> usize {
        self.read().records.len()
    }

    /// Returns whether the index holds no record.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how far the index is.
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

    /// Takes in the rows that [`Index::save`] wrote and whose text is in the base; none if there
    /// are none, or their vectors are of another model. What the database changed since is not
    /// known here.
    ///
    /// *Errors*: a file that cannot be read or is not what was written; nothing is taken in then.
    pub fn restore_saved(&self, model: &str) -> Result<Option<Restored>, SavedError> {
        let Some(folder) = &self.folder else {
            return Ok(None);
        };
        let mut state = self.write();
        // A record that was written again later may be saved with a text that is no more.
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

    /// Takes in the rows whose text is in the base already.
    ///
    /// *Errors*: [`IndexError::Incomplete`] when the base lacks some of them.
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

    /// Takes in records in commit order; they are found by the next search. Waits for searches that
    /// are running.
    pub fn apply(&self, records: &[(Row, Text)]) {
        let analysed = analysed(records);
        self.write().take_in(records, analysed);
    }

    /// Takes in records as [`Index::apply`] does if nobody has to be waited for; says whether it did.
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

    /// Sets how often records were returned, and how popular they are.
    pub fn set_counts(&self, counts: impl IntoIterator<Item = (Uuid, Counts)>) {
        let mut state = self.write();
        for (id, counts) in counts {
            state.records.set_counts(id, counts);
        }
    }

    /// Adds to how often records were returned, and to their popularity.
    pub fn add_counts(&self, counts: impl IntoIterator<Item = (Uuid, Counts)>) {
        let mut state = self.write();
        for (id, more) in counts {
            state.records.add_counts(id, more);
        }
    }

    /// Returns how often each of some records was returned, as far as it is known here.
    pub fn query_counts(&self, ids: impl IntoIterator<Item = Uuid>) -> Vec<u64> {
        let state = self.read();
        let count = |id| Some(state.records.get(state.records.slot(id)?)?.query_count);
        let ids = ids.into_iter();
        ids.map(|id| count(id).unwrap_or(0)).collect()
    }

    /// Answers a query: a page of the best records, and how many match in all.
    pub fn search(&self, query: &Query<'_>) -> Result<Hits, IndexError> {
        self.read().search(query)
    }

    /// Answers a query as [`Index::search`] does, and says of each hit what places it.
    pub fn search_with_parts(&self, query: &Query<'_>) -> Result<(Hits, Vec<Parts>), IndexError> {
        self.read().search_with_parts(query)
    }

    /// Answers a query as [`Index::search`] does if that takes well under a millisecond and nobody
    /// is writing; `None` otherwise.
    pub fn search_if_quick(&self, query: &Query<'_>) -> Option<Result<Hits, IndexError>> {
        let state = match self.state.try_read() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(state)) => state.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        state.is_quick(query).then(|| state.search(query))
    }

    /// Returns the cosine of every record to an L2-normalised embedding, or what is to be expected of
    /// those far from the first, in no useful order and `NaN` where there is none: the first step of
    /// a search, for measuring it.
    pub fn cosines(&self, embedding: &[f32]) -> Vec<f32> {
        let mut cosines = Vec::new();
        let wanted = std::iter::empty();
        let state = self.read();
        state.vectors.cosines(embedding, wanted, &mut cosines);
        cosines
    }

    /// Returns the records whose vectors are most like an L2-normalised embedding, with their
    /// cosines, best first: one pass over all vectors. Those that are not `allowed` are passed over, and
    /// in a [`Allowed::Scope`] they do not count for mean and deviation either.
    pub fn nearest(&self, embedding: &[f32], count: usize, allowed: Allowed<'_>) -> Nearest {
        self.read().nearest(embedding, count, allowed)
    }

    /// Returns the embeddings of the first passages of some records, L2-normalised; of those that
    /// have one.
    pub fn first_passages(&self, ids: &[Uuid]) -> Vec<(Uuid, Vec<f32>)> {
        let state = self.read();
        let first = |id: &Uuid| Some((*id, state.first_passage(*id)?));
        ids.iter().filter_map(first).collect()
    }

    /// Forgets the rows, but nothing on disk, so that they can be taken in anew.
    pub fn forget_rows(&self) -> Result<(), IndexError> {
        *self.write() = State::new(self.folder.as_deref())?;
        Ok(())
    }

    /// Forgets everything, on disk too, so that the records can be taken in anew.
    pub fn reset(&self) -> Result<(), IndexError> {
        // Nobody writes into the folder meanwhile what is being forgotten.
        let _extending = self.extending.lock();
        if let Some(folder) = &self.folder {
            Self::erase(folder)?;
        }
        *self.write() = State::new(self.folder.as_deref())?;
        Ok(())
    }

    // A panic while the lock was held cannot leave half a record behind that a search would trip
    // over: every reader checks its slots. So a poisoned lock is taken as it is.
    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The terms of records.
fn analysed(records: &[(Row, Text)]) -> Vec<Arc<[String]>> {
    let terms = records.iter().map(|(_, text)| text::record_terms(text));
    terms.map(Into::into).collect()
}

#[cfg(test)]
mod tests;
