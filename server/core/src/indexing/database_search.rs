//! Searching experiences in the database: filling its search tables, and querying them.
//!
//! The database finds candidates, and this process ranks them with the code that also ranks results of an
//! index in memory. Only a sample of the vectors is kept in this process.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use recall_kit_search::{
    self, Candidates, Hits, IndexError, Parts, Query, Retrieved, Row, Sample, Statistics, Status,
    Text,
};
use recall_kit_store::{
    SearchCandidate, SearchDocument, SearchFor, SearchState, Store, StoreError,
};
use recall_kit_telemetry::chain;

use super::{
    Engine, ProgressLog, Records, Source, damage, family::Family, records::row, waits_for_backfill,
};
use crate::{
    error::ServiceError,
    vectors::comparison::{self, compared},
};

/// Records read at once.
const BATCH: u32 = 256;
/// Passages added in one transaction: each has to be inserted into a graph index, and the next writer
/// waits for all of them.
const PASSAGES: usize = 256;
/// Pause before trying again to create the index of the vectors.
const INDEX_PAUSE: Duration = Duration::from_secs(60);
/// The most missing records for which a query waits until they are added; with more, as after an import,
/// it searches at once.
const AT_ONCE: u64 = 2 * BATCH as u64;
/// A query looks for its rarest words, as long as no more than so many records have one of them.
const WITH_RAREST: u64 = 2_000;
/// The approximate and the maximal number of records in the sample.
const SAMPLE: (f32, u32) = (2_000.0, 4_000);
/// The sample is taken again when one in so many records was added or removed.
const SAMPLE_LASTS: u64 = 50;

/// The state of the database's search, as known to this process.
#[derive(Default)]
pub(crate) struct DatabaseSearch {
    /// How long a query waits at most until missing records are added.
    patience: Duration,
    /// As it was last read.
    state: Mutex<SearchState>,
    sample: tokio::sync::Mutex<Taken>,
    /// Locked while records are added. The first of several waiting tasks adds them for all.
    adding: tokio::sync::Mutex<()>,
    /// Set while a task adds all missing records.
    is_filling: AtomicBool,
    /// Set when the index of the vectors is known to exist.
    is_indexed: AtomicBool,
    /// Set while a task creates that index.
    is_indexing: AtomicBool,
}

/// Clears a flag when it is dropped, however its task ends.
struct FlagGuard<'f>(&'f AtomicBool);

impl<'f> FlagGuard<'f> {
    /// Sets a flag; `None` if it is set already.
    fn set(flag: &'f AtomicBool) -> Option<Self> {
        (!flag.swap(true, Ordering::Relaxed)).then(|| Self(flag))
    }
}

impl Drop for FlagGuard<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// A sample, and the number of vectors when it was taken.
#[derive(Default, Clone)]
struct Taken {
    sample: Arc<Sample>,
    /// How many records had a vector then.
    with_vector: u64,
}

/// The candidates that the database found for a query, with statistics of all records.
pub(super) struct Unranked {
    found: Vec<Retrieved>,
    statistics: Statistics,
    sample: Arc<Sample>,
}

impl Unranked {
    /// Ranks the candidates; also returns the parts of each hit's rank if `with_parts` is set. Some
    /// hundred candidates and thousands of vectors take a while: call it on a blocking thread.
    ///
    /// *Errors*: none in practice; those of an index.
    pub(super) fn ranked(
        self,
        query: &Query<'_>,
        with_parts: bool,
    ) -> Result<(Hits, Vec<Parts>), IndexError> {
        let candidates = Candidates::new(&self.statistics, &self.sample, self.found);
        Ok(match with_parts {
            true => candidates.search_with_parts(query)?,
            false => (candidates.search(query)?, Vec::new()),
        })
    }
}

impl DatabaseSearch {
    /// Prepares the database for searching.
    ///
    /// *Errors*: those of the database.
    pub(crate) async fn prepare(
        store: &dyn Store,
        query_timeout: Duration,
    ) -> Result<Self, StoreError> {
        store.prepare_search().await?;
        Ok(Self {
            // Half of a query's time is left for the search.
            patience: query_timeout / 2,
            ..Self::default()
        })
    }

    /// Returns the last known state of the database's search. All of it is on disk.
    pub(super) fn status(&self) -> Status {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        Status {
            records: count(state.records),
            without_vector: count(state.records.saturating_sub(state.with_vector)),
            delta_records: 0,
            base_seq: state.up_to,
        }
    }

    /// Returns the last known `seq` up to which records are searchable, and the last known head.
    fn progress(&self) -> (u64, u64) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.up_to, state.head)
    }

    async fn read_state(
        &self,
        store: &dyn Store,
        terms: &[String],
    ) -> Result<SearchState, StoreError> {
        let state = store.search_state(terms).await?;
        let mut known = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.up_to < known.up_to {
            // The search tables were emptied, and the index with them.
            self.is_indexed.store(false, Ordering::Relaxed);
        }
        known.clone_from(&state);
        known.frequencies.clear();
        Ok(state)
    }

    /// Makes committed records searchable. If there are many, or if it takes long, a task continues in
    /// the background, and queries meanwhile find the records that were added.
    pub(super) async fn catch_up(&self, records: &Arc<Records>) -> Result<(), StoreError> {
        let store = records.source.store.as_ref();
        match self.read_state(store, &[]).await?.behind() {
            0 => {}
            1..=AT_ONCE => {
                let shared = Arc::clone(records);
                // A separate task, so that a cancelled query does not undo what was begun.
                let adding = tokio::spawn(async move {
                    let Engine::Database(search) = &shared.engine else {
                        return;
                    };
                    if let Err(error) = search.add_missing(&shared).await {
                        log_failure(&error);
                    }
                });
                // The task continues in any case.
                tokio::time::timeout(self.patience, adding).await.ok();
            }
            _ => fill_soon(records),
        }
        Ok(())
    }

    /// Adds missing records, at most [`AT_ONCE`] and one batch more.
    async fn add_missing(&self, records: &Records) -> Result<(), StoreError> {
        for _ in 0..=AT_ONCE / u64::from(BATCH) {
            if self.add_batch(records).await? {
                break;
            }
        }
        Ok(())
    }

    /// Adds the next batch of records; `true` if nothing is missing any more.
    async fn add_batch(&self, records: &Records) -> Result<bool, StoreError> {
        let source = &records.source;
        let (store, embedding) = (&source.store, &source.embedding);
        let _guard = self.adding.lock().await;
        let state = self.read_state(store.as_ref(), &[]).await?;
        if state.behind() == 0 {
            return Ok(true);
        }
        let from = (state.up_to, state.head);
        let records = damage::records_after(records, from, BATCH).await?;
        if records.is_empty() {
            // A standby has not replicated them yet.
            return Ok(true);
        }
        if records
            .iter()
            .any(|(row, _)| waits_for_backfill(embedding, row))
        {
            embedding.request_backfill();
        }
        let model = model_of_others(source).await?;
        let documents = tokio::task::spawn_blocking(move || {
            let records = records.into_iter().map(|(row, text)| match &model {
                Some(model) => (comparison::compared_by_others(row, model), text),
                None => (row, text),
            });
            records.map(document).collect()
        });
        let documents: Vec<SearchDocument> = documents.await.map_err(|_| StoreError::BrokenOff)?;
        let mut after = state.up_to;
        for part in parts(&documents) {
            // If another server was quicker, the next read of the state shows it.
            if !store.take_into_search(after, part).await? {
                break;
            }
            after = part.last().map_or(after, |last| last.seq);
        }
        Ok(false)
    }

    /// Adds all missing records, and logs the progress.
    async fn fill(&self, records: &Records) -> Result<(), StoreError> {
        let store = records.source.store.as_ref();
        let began_at = self.read_state(store, &[]).await?.up_to;
        let mut progress = ProgressLog::new(Family::Experiences, began_at);
        while !self.add_batch(records).await? {
            let (up_to, head) = self.progress();
            progress.up_to(up_to, head);
        }
        Ok(())
    }

    /// Creates the index of the vectors if it is missing and there are vectors.
    async fn index(&self, store: &dyn Store) {
        let status = self.status();
        let is_due =
            status.records > status.without_vector && !self.is_indexed.load(Ordering::Relaxed);
        let Some(_flag) = is_due.then(|| FlagGuard::set(&self.is_indexing)).flatten() else {
            return;
        };
        match store.index_search_vectors().await {
            Ok(is_indexed) => self.is_indexed.store(is_indexed, Ordering::Relaxed),
            Err(error) => log_failure(&error),
        }
        if !self.is_indexed.load(Ordering::Relaxed) {
            tokio::time::sleep(INDEX_PAUSE).await;
        }
    }

    /// Has the database find the candidates for a query.
    ///
    /// *Errors*: those of the database.
    pub(super) async fn found(
        &self,
        source: &Source,
        query: &Query<'_>,
    ) -> Result<Unranked, ServiceError> {
        let store = source.store.as_ref();
        let state = self
            .read_state(store, &recall_kit_search::query_terms(query.text))
            .await?;
        let statistics = Statistics {
            records: state.records,
            length: state.length,
            with_vector: state.with_vector,
            frequencies: state.frequencies,
        };
        let wanted = query.looked_for(&statistics, WITH_RAREST)?;
        let words = wanted.words.into_iter();
        let wanted = SearchFor {
            words: words.map(|words| (words.terms, words.weight)).collect(),
            embeddings: wanted.embeddings,
        };
        let found = store.search_candidates(&wanted).await?;
        let sample = self.sample(source, &statistics, state.head).await?;
        Ok(Unranked {
            found: found
                .into_iter()
                .map(|one| retrieved(source, one))
                .collect(),
            statistics,
            sample,
        })
    }

    /// Returns a sample of all vectors; takes a new one if their number changed much.
    async fn sample(
        &self,
        source: &Source,
        now: &Statistics,
        head: u64,
    ) -> Result<Arc<Sample>, StoreError> {
        let mut taken = self.sample.lock().await;
        let changed = now.with_vector.abs_diff(taken.with_vector);
        if changed > now.with_vector / SAMPLE_LASTS {
            let (records, most) = SAMPLE;
            // Relative to all records, not only to searchable ones: each record had a write.
            let share = records / head.max(1) as f32;
            let stored = source.store.sample_vectors(share.min(1.0), most).await?;
            *taken = Taken {
                sample: Arc::new(Sample::of(stored.into_iter().filter_map(|stored| {
                    let (vector, language) = compared(&source.embedding, Some(stored));
                    Some((vector?, language))
                }))),
                with_vector: now.with_vector,
            };
        }
        Ok(Arc::clone(&taken.sample))
    }
}

/// Begins to add the records that are missing when the server starts.
///
/// *Errors*: those of the database.
pub(super) async fn restore(records: &Arc<Records>) -> Result<(), StoreError> {
    let state = records.source.store.search_state(&[]).await?;
    if state.behind() > 0 {
        tracing::info!(
            found = state.records,
            missing = state.behind(),
            "experiences are being added to the database's search; queries find those that were added"
        );
    }
    fill_soon(records);
    Ok(())
}

/// Adds all missing records in a separate task, unless one is running, and then creates the index of the
/// vectors. A failure is logged, and the next query or round of housekeeping tries again.
pub(super) fn fill_soon(records: &Arc<Records>) {
    let records = Arc::clone(records);
    drop(tokio::spawn(async move {
        let Engine::Database(search) = &records.engine else {
            return;
        };
        // Twice: a call between the last check of the first round and its end found the task running.
        for _ in 0..2 {
            let Some(_flag) = FlagGuard::set(&search.is_filling) else {
                return;
            };
            if let Err(error) = search.fill(&records).await {
                return log_failure(&error);
            }
        }
        search.index(records.source.store.as_ref()).await;
    }));
}

fn log_failure(error: &StoreError) {
    tracing::warn!(
        error = chain(error),
        "records could not be added to the database's search"
    );
}

/// Splits documents into parts of at most [`PASSAGES`] passages.
fn parts(documents: &[SearchDocument]) -> impl Iterator<Item = &[SearchDocument]> {
    let mut passages = 0;
    documents.chunk_by(move |one, next| {
        passages += one.passages.len();
        let same_part = passages + next.passages.len() <= PASSAGES;
        if !same_part {
            passages = 0;
        }
        same_part
    })
}

/// Returns the model of the database's vectors if this server uses none. Servers that have the model
/// search the vectors that this one adds.
async fn model_of_others(source: &Source) -> Result<Option<String>, StoreError> {
    match source.embedding.model_in_use() {
        Some(_) => Ok(None),
        None => source.store.embedding_model().await,
    }
}

/// Converts a record to the document for the database's search.
fn document((row, text): (Row, Text)) -> SearchDocument {
    let words = recall_kit_search::words(&text);
    SearchDocument {
        seq: row.seq,
        id: row.id,
        terms: words.terms,
        frequencies: words.frequencies,
        length: words.length,
        passages: row
            .vector
            .as_deref()
            .map_or(Vec::new(), recall_kit_search::passages),
        is_gone: row.is_gone,
    }
}

fn retrieved(source: &Source, candidate: SearchCandidate) -> Retrieved {
    Retrieved {
        row: row(&source.embedding, candidate.row),
        frequencies: candidate.frequencies,
        length: candidate.length,
    }
}
