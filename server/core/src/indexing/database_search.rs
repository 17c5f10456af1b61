//! Experiences searched by the database: what it has to know of each, and queries of it.
//!
//! The database finds candidates; they are ranked here, by the code that ranks what an index in memory
//! finds. Nothing of the records stays here but a sample of their vectors.

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
use recall_kit_store::{SearchCandidate, SearchDocument, SearchFor, SearchState, StoreError};
use recall_kit_telemetry::chain;

use super::family::{self, Family};
use crate::{
    app::App,
    error::ServiceError,
    indexing::{Told, damage, waits_for_backfill},
    vectors::{
        comparison::{self, compared},
        model_in_use,
    },
};

/// Records read at once.
const BATCH: u32 = 256;
/// Passages taken in at once: each has to find its place in a graph, and all of them hold up whoever
/// takes in the next.
const PASSAGES: usize = 256;
/// Before it is looked again whether the index of the vectors can be made.
const INDEX_PAUSE: Duration = Duration::from_secs(60);
/// Records that a query takes in before it searches; it does not wait for more, as after an import.
const AT_ONCE: u64 = 2 * BATCH as u64;
/// Records that have one of the rarest words of a query at most, of those that are looked at.
const WITH_RAREST: u64 = 2_000;
/// Records in the sample, about, and at most.
const SAMPLE: (f32, u32) = (2_000.0, 4_000);
/// The sample is taken anew when so many times fewer records than there are came or went.
const SAMPLE_LASTS: u64 = 50;

/// What this process knows of the database's search.
#[derive(Default)]
pub struct DatabaseSearch {
    /// As of the last look.
    state: Mutex<SearchState>,
    sample: tokio::sync::Mutex<Taken>,
    /// Held while records are taken in: of those who wait the first does it for all.
    taking_in: tokio::sync::Mutex<()>,
    /// Set while a task takes in everything that there is.
    is_filling: AtomicBool,
    /// Set when the vectors are known to have their index.
    is_indexed: AtomicBool,
    /// Set while a task makes it.
    is_indexing: AtomicBool,
}

/// Clears a flag when its task is over, whichever way.
struct Cleared<'f>(&'f AtomicBool);

impl<'f> Cleared<'f> {
    /// Sets a flag; none where it was set.
    fn set(flag: &'f AtomicBool) -> Option<Self> {
        (!flag.swap(true, Ordering::Relaxed)).then(|| Self(flag))
    }
}

impl Drop for Cleared<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// A sample, and when it was taken.
#[derive(Default, Clone)]
struct Taken {
    sample: Arc<Sample>,
    /// How many records had a vector then.
    with_vector: u64,
}

/// What the database found for a query, and what is known of all records.
pub struct Unranked {
    found: Vec<Retrieved>,
    statistics: Statistics,
    sample: Arc<Sample>,
}

impl Unranked {
    /// Ranks; says what places each hit where that is wanted. Some hundred candidates and thousands of
    /// vectors take a while: this is for a thread on which nobody else waits.
    ///
    /// *Errors*: none in practice; those of an index.
    pub fn ranked(
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
    /// Tells how far the database was when it was last looked at. All of it is on disk.
    pub fn status(&self) -> Status {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        Status {
            records: count(state.records),
            without_vector: count(state.records.saturating_sub(state.with_vector)),
            delta_records: 0,
            base_seq: state.up_to,
        }
    }

    /// Returns up to which `seq` records were found at the last look, and the last one there was.
    fn progress(&self) -> (u64, u64) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.up_to, state.head)
    }

    async fn look(&self, app: &App, terms: &[String]) -> Result<SearchState, StoreError> {
        let state = app.store.search_state(terms).await?;
        let mut known = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.up_to < known.up_to {
            // Emptied, and the index with it.
            self.is_indexed.store(false, Ordering::Relaxed);
        }
        known.clone_from(&state);
        known.frequencies.clear();
        Ok(state)
    }

    /// Lets the database find what was committed. Where that is much, or takes long, a task goes on with
    /// it, and whoever asks meanwhile finds what is there.
    pub(crate) async fn catch_up(&self, app: &Arc<App>) -> Result<(), StoreError> {
        match self.look(app, &[]).await?.behind() {
            0 => {}
            1..=AT_ONCE => {
                let shared = Arc::clone(app);
                // A task of its own: a query that ends must not undo what was begun.
                let taking_in = tokio::spawn(async move {
                    let family::Engine::Database(search) = &shared.experiences.engine else {
                        return;
                    };
                    if let Err(error) = search.take_in(&shared).await {
                        tell(&error);
                    }
                });
                // Half of a query's time is left to search; the records are taken in all the same.
                let patience = app.settings.query_timeout() / 2;
                tokio::time::timeout(patience, taking_in).await.ok();
            }
            _ => fill_soon(app),
        }
        Ok(())
    }

    /// Takes in what is missing, which is a batch or two.
    async fn take_in(&self, app: &App) -> Result<(), StoreError> {
        for _ in 0..=AT_ONCE / u64::from(BATCH) {
            if self.take_in_batch(app).await? {
                break;
            }
        }
        Ok(())
    }

    /// Takes in the next records; `true` when nothing is missing any more.
    async fn take_in_batch(&self, app: &App) -> Result<bool, StoreError> {
        let _alone = self.taking_in.lock().await;
        let state = self.look(app, &[]).await?;
        if state.behind() == 0 {
            return Ok(true);
        }
        let from = (state.up_to, state.head);
        let records = damage::records_after(app, Family::Experiences, from, BATCH).await?;
        if records.is_empty() {
            // A standby is not so far yet.
            return Ok(true);
        }
        if records.iter().any(|(row, _)| waits_for_backfill(app, row)) {
            app.vectors_missing.notify_one();
        }
        let model = model_of_others(app).await?;
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
            // Where another server was quicker the next look tells.
            if !app.store.take_into_search(after, part).await? {
                break;
            }
            after = part.last().map_or(after, |last| last.seq);
        }
        Ok(false)
    }

    /// Takes in everything, and tells the log; at the end there is an index of the vectors.
    async fn fill(&self, app: &App) -> Result<(), StoreError> {
        let began_at = self.look(app, &[]).await?.up_to;
        let mut told = Told::new(Family::Experiences, began_at);
        while !self.take_in_batch(app).await? {
            let (up_to, head) = self.progress();
            told.up_to(up_to, head);
        }
        Ok(())
    }

    /// Makes the index of the vectors, where it is due.
    async fn index(&self, app: &App) {
        let status = self.status();
        let is_due =
            status.records > status.without_vector && !self.is_indexed.load(Ordering::Relaxed);
        let Some(_cleared) = is_due.then(|| Cleared::set(&self.is_indexing)).flatten() else {
            return;
        };
        match app.store.index_search_vectors().await {
            Ok(is_indexed) => self.is_indexed.store(is_indexed, Ordering::Relaxed),
            Err(error) => tell(&error),
        }
        if !self.is_indexed.load(Ordering::Relaxed) {
            tokio::time::sleep(INDEX_PAUSE).await;
        }
    }

    /// Has the database find what is to be ranked for a query.
    ///
    /// *Errors*: what the database said.
    pub async fn found(&self, app: &App, query: &Query<'_>) -> Result<Unranked, ServiceError> {
        let state = self
            .look(app, &recall_kit_search::query_terms(query.text))
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
        let found = app.store.search_candidates(&wanted).await?;
        let sample = self.sample(app, &statistics, state.head).await?;
        Ok(Unranked {
            found: found.into_iter().map(|one| retrieved(app, one)).collect(),
            statistics,
            sample,
        })
    }

    /// Returns vectors that stand for all, taken anew where there are many more or fewer by now.
    async fn sample(
        &self,
        app: &App,
        now: &Statistics,
        head: u64,
    ) -> Result<Arc<Sample>, StoreError> {
        let mut taken = self.sample.lock().await;
        let changed = now.with_vector.abs_diff(taken.with_vector);
        if changed > now.with_vector / SAMPLE_LASTS {
            let (records, most) = SAMPLE;
            // Of all records, not only of those that are found by now: each had a write.
            let share = records / head.max(1) as f32;
            let stored = app.store.sample_vectors(share.min(1.0), most).await?;
            *taken = Taken {
                sample: Arc::new(Sample::of(stored.into_iter().filter_map(|stored| {
                    let (vector, language) = compared(app, Some(stored));
                    Some((vector?, language))
                }))),
                with_vector: now.with_vector,
            };
        }
        Ok(Arc::clone(&taken.sample))
    }
}

/// Begins to take in what a start finds.
///
/// *Errors*: what the database said.
pub(crate) async fn restore(app: &Arc<App>) -> Result<(), StoreError> {
    let state = app.store.search_state(&[]).await?;
    if state.behind() > 0 {
        tracing::info!(
            found = state.records,
            missing = state.behind(),
            "the database takes in experiences to search them; queries find those that it has"
        );
    }
    fill_soon(app);
    Ok(())
}

/// Takes in everything in a task of its own, unless one is at it; what fails is logged, and tried again
/// by the next query or round of housekeeping. Another task makes the index of the vectors afterwards.
pub(crate) fn fill_soon(app: &Arc<App>) {
    let app = Arc::clone(app);
    drop(tokio::spawn(async move {
        let family::Engine::Database(search) = &app.experiences.engine else {
            return;
        };
        // Twice: whoever came after the last look of the first time found the task at work.
        for _ in 0..2 {
            let Some(_cleared) = Cleared::set(&search.is_filling) else {
                return;
            };
            if let Err(error) = search.fill(&app).await {
                return tell(&error);
            }
        }
        search.index(&app).await;
    }));
}

fn tell(error: &StoreError) {
    tracing::warn!(
        error = chain(error),
        "the database could not take in what it is to search"
    );
}

/// Cuts what is to be taken in into parts of not too many passages.
fn parts(documents: &[SearchDocument]) -> impl Iterator<Item = &[SearchDocument]> {
    let mut passages = 0;
    documents.chunk_by(move |one, next| {
        passages += one.passages.len();
        let fits = passages + next.passages.len() <= PASSAGES;
        if !fits {
            passages = 0;
        }
        fits
    })
}

/// Returns the model of the database's vectors where this server has none in use. Servers that have
/// it read what this one takes in.
async fn model_of_others(app: &App) -> Result<Option<String>, StoreError> {
    match model_in_use(app) {
        Some(_) => Ok(None),
        None => app.store.embedding_model().await,
    }
}

/// What the database has to know of a record.
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

fn retrieved(app: &App, candidate: SearchCandidate) -> Retrieved {
    Retrieved {
        row: family::row(app, candidate.row),
        frequencies: candidate.frequencies,
        length: candidate.length,
    }
}
