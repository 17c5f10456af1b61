//! Keeping the index of each family in step with the database.
//!
//! A query first compares the index with the head of its family, and indexes what is missing.

pub mod damage;
pub mod database_search;
pub mod family;
pub mod index_folder;
pub mod index_snapshot;
pub mod popularity;

use std::{
    fs::File,
    path::Path,
    sync::{Arc, Mutex, OnceLock, PoisonError, atomic::Ordering},
    time::{Duration, Instant},
};

use jiff::Timestamp;
use recall_kit_search::{Index, IndexError, Restored, Row, SavedError, SavedFrom};
use recall_kit_telemetry::chain;
use tokio::task::JoinHandle;

use crate::{
    app::App,
    error::ServiceError,
    indexing::family::{Engine, Family, row},
    vectors::comparison,
};

/// Records read from the database at once.
pub(crate) const BATCH: u32 = 1_000;
/// How often the log hears of a long intake.
const TELL_EVERY: Duration = Duration::from_secs(5);
/// Rows that are read from the database though they were saved.
const LAST_ROWS: u64 = 100;

/// What the log says when the database has less than was taken in.
const AHEAD: &str =
    "the index is ahead of the database, as after a restored backup, and is rebuilt";

/// How far the index has come.
#[derive(Default)]
pub struct Progress {
    /// Held while records are taken in, so that they come in once and in order.
    taking_in: tokio::sync::Mutex<()>,
    /// A revision of the database of which the index has every record.
    complete_at: Mutex<Option<u64>>,
    /// The model of the vectors when the program started; empty without one.
    model: OnceLock<String>,
}

impl Progress {
    fn complete_at(&self) -> Option<u64> {
        *self
            .complete_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a revision; of several callers any may come last, as each one's index was complete.
    fn set_complete_at(&self, revision: Option<u64>) {
        *self
            .complete_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = revision;
    }
}

/// Opens the index in a folder, or in memory where the folder cannot be used.
pub fn open_index(folder: &Path) -> Result<Index, IndexError> {
    open_on_disk(folder).or_else(|error| {
        tracing::warn!(error = chain(&error), "the index is kept in memory only");
        Index::open(None)
    })
}

/// Opens an index folder; one that is damaged or foreign is emptied, as everything in it can be made
/// again from the database.
fn open_on_disk(folder: &Path) -> Result<Index, IndexError> {
    std::fs::create_dir_all(folder)?;
    // Two processes that create or empty a folder at once would get in each other's way.
    let lock = File::create(folder.with_extension("lock"))?;
    lock.lock()?;
    match Index::open(Some(folder.to_owned())) {
        Err(error) if error.is_damage() => {
            tracing::warn!(
                error = chain(&error),
                "the index folder is unusable and is rebuilt"
            );
            Index::erase(folder)?;
            Index::open(Some(folder.to_owned()))
        }
        opened => opened,
    }
}

/// Brings a freshly opened index up to the database's state.
pub async fn restore(app: &Arc<App>, family: Family) -> Result<(), ServiceError> {
    let records = app.records(family);
    let index = match &records.engine {
        Engine::Memory(index) => index,
        Engine::Database(_) => return Ok(database_search::restore(app).await?),
    };
    let model = app.store.embedding_model().await?.unwrap_or_default();
    let model = comparison::space(app, model);
    let saved = match restore_saved(index, model.clone()).await {
        Ok(saved) => saved,
        Err(error) => {
            tracing::warn!(
                error = chain(&error),
                "the saved records are not used, the database is read instead"
            );
            None
        }
    };
    records.progress.model.set(model).ok();
    let began = app.now();
    let counted = saved.and_then(|saved| Timestamp::from_second(saved.counts_as_of).ok());
    records
        .popularity
        .set_counted_up_to(counted.unwrap_or(began));
    restore_after(app, family, saved.map_or(0, |saved| saved.up_to)).await?;
    if saved.is_some() && !is_complete(app, family).await? {
        tracing::warn!("the saved records are not the database's, which is read instead");
        index.forget_rows()?;
        records.popularity.set_counted_up_to(began);
        restore_after(app, family, 0).await?;
    }
    Ok(popularity::refresh(app, family).await?)
}

/// Takes in what an earlier run saved.
async fn restore_saved(index: &Arc<Index>, model: String) -> Result<Option<Restored>, SavedError> {
    let index = Arc::clone(index);
    let restored = tokio::task::spawn_blocking(move || index.restore_saved(&model));
    restored.await.unwrap_or(Ok(None))
}

/// Brings an index up to the database's state that has the rows up to a `seq`.
async fn restore_after(app: &Arc<App>, family: Family, seq: u64) -> Result<(), ServiceError> {
    let index = app.records(family).index()?;
    let base_seq = index.base_seq();
    if base_seq > family.head_seq(app).await? {
        tracing::warn!(family = ?family, "{AHEAD}");
        index.reset()?;
    } else if base_seq > 0 {
        // The last rows are read in any case: where the database went another way than the index,
        // as a copy does, it shows in them.
        let after = seq.min(base_seq).saturating_sub(LAST_ROWS);
        let rows = rows_between(app, family, (after, base_seq)).await?;
        if let Err(error) = index.restore(&rows) {
            tracing::warn!(error = %error, "the index is rebuilt");
            index.reset()?;
        }
    }
    take_in(app, family, family.head_seq(app).await?).await
}

/// Whether the index has as many records as the database.
async fn is_complete(app: &Arc<App>, family: Family) -> Result<bool, ServiceError> {
    let index = app.records(family).index()?;
    loop {
        let (head, size) = match family.head_seq_and_size(app).await {
            // Nobody can count them, and what can be read of them is there.
            Err(error) if error.is_damage() => return Ok(true),
            counted => counted?,
        };
        take_in(app, family, head).await?;
        // Otherwise others wrote in between, and it is looked at again.
        if index.last_seq() <= head {
            return Ok(index.len() as u64 == size);
        }
    }
}

/// Reads rows after one `seq` and up to another. Mapping vectors takes about as long as reading them, so
/// a batch is mapped on another thread while the next one is read.
async fn rows_between(
    app: &Arc<App>,
    family: Family,
    (mut after, up_to): (u64, u64),
) -> Result<Vec<Row>, ServiceError> {
    let mut rows: Vec<Row> = Vec::new();
    let mut mapping: Option<JoinHandle<Vec<Row>>> = None;
    loop {
        let batch = damage::rows(app, family, (after, up_to)).await?;
        if let Some(mapped) = mapping.take() {
            rows.extend(
                mapped
                    .await
                    .map_err(|_| ServiceError::Broken("the index"))?,
            );
        }
        let Some(last) = batch.last() else {
            return Ok(rows);
        };
        after = last.seq;
        let app = Arc::clone(app);
        mapping = Some(tokio::task::spawn_blocking(move || {
            batch.into_iter().map(|one| row(&app, one)).collect()
        }));
    }
}

/// Brings what grew in memory to the disk, where it is worth it; what fails is logged and tried
/// again the next time.
pub async fn write_down(app: &Arc<App>, family: Family) {
    let records = app.records(family);
    let Engine::Memory(index) = &records.engine else {
        return;
    };
    extend(index, Index::extend_base).await;
    let counted = records.popularity.counted_up_to();
    let (Some(model), Some(counted)) = (records.progress.model.get(), counted) else {
        return;
    };
    // Of a model that replaced this one there may be vectors here that are not told apart.
    if app.model_replaced.load(Ordering::Relaxed) {
        return;
    }
    let from = SavedFrom {
        model: model.clone(),
        counts_as_of: counted.as_second(),
    };
    let index = Arc::clone(index);
    let saved = tokio::task::spawn_blocking(move || index.save(&from));
    match saved.await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => {
            tracing::warn!(error = chain(&error), "the records could not be saved");
        }
        Err(_) => tracing::error!("saving the records broke down"),
    }
}

/// Takes in what was committed since the last time, by this process or another one. The database
/// is asked only when its revision is another than at the last time.
pub async fn catch_up(app: &Arc<App>, family: Family) -> Result<(), ServiceError> {
    let records = app.records(family);
    let index = match &records.engine {
        Engine::Memory(index) => index,
        Engine::Database(search) => return Ok(search.catch_up(app).await?),
    };
    // Read before the head is: what is committed in between shows as another revision next time.
    let revision = app.store.revision();
    if revision.is_some() && revision == records.progress.complete_at() {
        return Ok(());
    }
    let had = index.last_seq();
    let head = family.head_seq(app).await?;
    if head < had {
        start_over(app, family).await?;
    }
    if index.last_seq() < head {
        // A task of its own: a caller that gives up must not leave half a batch behind.
        let app = Arc::clone(app);
        let taken = tokio::spawn(async move { take_in(&app, family, head).await });
        taken
            .await
            .map_err(|_| ServiceError::Broken("the index"))??;
    }
    records.progress.set_complete_at(revision);
    Ok(())
}

/// Empties an index that has what the database has lost: a standby took over that had not everything,
/// or an earlier state was restored.
async fn start_over(app: &Arc<App>, family: Family) -> Result<(), ServiceError> {
    let records = app.records(family);
    let index = records.index()?;
    let _in_order = records.progress.taking_in.lock().await;
    let had = index.last_seq();
    // Another one may have seen to it.
    if family.head_seq(app).await? < had {
        tracing::warn!(family = ?family, "{AHEAD}");
        let index = Arc::clone(index);
        let reset = tokio::task::spawn_blocking(move || index.reset());
        reset
            .await
            .map_err(|_| ServiceError::Broken("the index"))??;
    }
    Ok(())
}

/// Takes in what was committed, while nobody waits for it: every query catches up first.
pub fn catch_up_soon(app: &Arc<App>, family: Family) {
    if let Engine::Database(_) = &app.records(family).engine {
        return database_search::fill_soon(app);
    }
    let app = Arc::clone(app);
    drop(tokio::spawn(async move {
        if let Err(error) = catch_up(&app, family).await {
            tracing::warn!(
                error = chain(&error),
                "what was stored is not yet in the index; the next query tries again"
            );
        }
    }));
}

/// Takes in what was committed up to a `seq`, and what came with it.
async fn take_in(app: &Arc<App>, family: Family, head: u64) -> Result<(), ServiceError> {
    let records = app.records(family);
    let (index, progress) = (records.index()?, &records.progress);
    let _in_order = progress.taking_in.lock().await;
    let mut told = Told::new(family, index.last_seq());
    let read = |after| damage::records_after(app, family, (after, head), BATCH);
    let mut following = Vec::new();
    // Callers that wait here find that the first of them took in everything.
    while index.last_seq() < head {
        let records = match following.is_empty() {
            true => read(index.last_seq()).await?,
            false => std::mem::take(&mut following),
        };
        let Some(last) = records.last().map(|(row, _)| row.seq) else {
            return Ok(());
        };
        if records.iter().any(|(row, _)| waits_for_backfill(app, row)) {
            app.vectors_missing.notify_one();
        }
        // One is quickly taken in; only who would have to wait needs a thread to do so.
        let is_taken_in = records.len() == 1 && index.apply_if_free(&records);
        if !is_taken_in {
            let index = Arc::clone(index);
            let applying = tokio::task::spawn_blocking(move || index.apply(&records));
            // The next records are read meanwhile.
            let next = match last < head {
                true => read(last).await,
                false => Ok(Vec::new()),
            };
            applying
                .await
                .map_err(|_| ServiceError::Broken("the index"))?;
            following = next?;
        }
        if index.is_full() {
            extend(index, Index::make_room).await;
        }
        told.up_to(index.last_seq(), head);
    }
    Ok(())
}

/// Whether nobody makes the vectors of a record that has none.
pub(crate) fn waits_for_backfill(app: &App, row: &Row) -> bool {
    row.lacks_vector() && !app.fresh_vectors.are_coming(row.id)
}

/// Tells the log how far a long intake has come.
pub(crate) struct Told {
    family: Family,
    began_at: u64,
    last: Instant,
}

impl Told {
    pub(crate) fn new(family: Family, began_at: u64) -> Self {
        Self {
            family,
            began_at,
            last: Instant::now(),
        }
    }

    pub(crate) fn up_to(&mut self, seq: u64, head: u64) {
        if self.last.elapsed() < TELL_EVERY {
            return;
        }
        self.last = Instant::now();
        tracing::info!(
            family = ?self.family,
            taken_in = seq.saturating_sub(self.began_at),
            of = head.saturating_sub(self.began_at),
            "the index is being filled"
        );
    }
}

/// Brings what grew in memory to the disk; what fails is logged and tried again the next time.
async fn extend(index: &Arc<Index>, extend: fn(&Index) -> Result<(), IndexError>) {
    let index = Arc::clone(index);
    let extended = tokio::task::spawn_blocking(move || extend(&index));
    match extended.await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(
            error = chain(&error),
            "the index on disk could not be extended"
        ),
        Err(_) => tracing::error!("extending the index on disk broke down"),
    }
}

#[cfg(test)]
mod tests;
