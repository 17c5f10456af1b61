//! Keeps the index of each family up to date with the database.
//!
//! A query first compares the index with the head of its family, and indexes what is missing.

pub mod applicability;
pub mod damage;
pub(crate) mod database_search;
pub mod family;
pub mod index_folder;
pub mod index_snapshot;
pub mod labels;
pub mod popularity;
pub(crate) mod project_scope;
mod records;
pub mod search;
pub mod standings;
mod turns;

use std::{
    fs::File,
    path::Path,
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use jiff::Timestamp;
use recall_kit_search::{Index, IndexError, Restored, Row, SavedError, SavedFrom};
use recall_kit_telemetry::chain;
use tokio::task::JoinHandle;

pub use self::records::Records;
pub(crate) use self::records::{Engine, Source};
use self::{family::Family, records::row};
use crate::{
    error::ServiceError,
    vectors::{Embedding, comparison},
};

/// Records read from the database at once.
pub(crate) const BATCH: u32 = 1_000;
/// Interval of log lines while many records are indexed.
const LOG_INTERVAL: Duration = Duration::from_secs(5);
/// Rows that are read from the database although they were saved, to detect a diverged database.
const LAST_ROWS: u64 = 100;

/// Logged when the database has fewer writes than the index.
const AHEAD: &str =
    "the index is ahead of the database, as after a restored backup, and is rebuilt";

/// How far the index is up to date.
#[derive(Default)]
pub(crate) struct Progress {
    /// Locked while records are indexed, so that each is indexed once and in order.
    indexing: tokio::sync::Mutex<()>,
    /// A revision of the database at which the index had every record.
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

    /// Stores a revision. Any of several concurrent callers may be the last, since the index was
    /// complete for each of them.
    fn set_complete_at(&self, revision: Option<u64>) {
        *self
            .complete_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = revision;
    }
}

/// Opens the index in a folder, or in memory if the folder cannot be used.
fn open_index(folder: &Path) -> Result<Index, IndexError> {
    open_on_disk(folder).or_else(|error| {
        tracing::warn!(error = chain(&error), "the index is kept in memory only");
        Index::open(None)
    })
}

/// Opens an index folder. A damaged or foreign one is emptied, since everything in it can be rebuilt
/// from the database.
fn open_on_disk(folder: &Path) -> Result<Index, IndexError> {
    std::fs::create_dir_all(folder)?;
    // Two processes must not create or empty a folder at the same time.
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

/// Brings a newly opened index up to date with the database.
pub(crate) async fn restore(records: &Arc<Records>) -> Result<(), ServiceError> {
    let Source {
        store,
        clock,
        embedding,
        ..
    } = &records.source;
    let index = match &records.engine {
        Engine::Memory(index) => index,
        Engine::Database(_) => return Ok(database_search::restore(records).await?),
    };
    let model = store.embedding_model().await?.unwrap_or_default();
    let model = comparison::space(embedding, model);
    let saved = match restore_saved(index, model.clone()).await {
        Ok(saved) => saved,
        Err(error) => {
            tracing::warn!(
                error = chain(&error),
                "the saved records are not used; the database is read instead"
            );
            None
        }
    };
    records.progress.model.set(model).ok();
    let began = clock.now();
    let counted = saved.and_then(|saved| Timestamp::from_second(saved.counts_as_of).ok());
    records
        .popularity
        .set_counted_up_to(counted.unwrap_or(began));
    restore_after(records, saved.map_or(0, |saved| saved.up_to)).await?;
    if saved.is_some() && !is_complete(records).await? {
        tracing::warn!("the saved records do not match the database, which is read instead");
        index.forget_rows()?;
        records.popularity.set_counted_up_to(began);
        restore_after(records, 0).await?;
    }
    Ok(popularity::refresh(records).await?)
}

/// Loads the rows that an earlier run saved.
async fn restore_saved(index: &Arc<Index>, model: String) -> Result<Option<Restored>, SavedError> {
    let index = Arc::clone(index);
    let restored = tokio::task::spawn_blocking(move || index.restore_saved(&model));
    restored.await.unwrap_or(Ok(None))
}

/// Brings an index that has the rows up to a `seq` up to date with the database.
async fn restore_after(records: &Arc<Records>, seq: u64) -> Result<(), ServiceError> {
    let index = records.index()?;
    let base_seq = index.base_seq();
    if base_seq > records.head_seq().await? {
        tracing::warn!(family = ?records.family, "{AHEAD}");
        index.reset()?;
    } else if base_seq > 0 {
        // The last rows are read in any case: they show whether the database has diverged from the
        // index, as a copy of it may.
        let after = seq.min(base_seq).saturating_sub(LAST_ROWS);
        let rows = rows_between(records, (after, base_seq)).await?;
        if let Err(error) = index.restore(&rows) {
            tracing::warn!(error = %error, "the index is rebuilt");
            index.reset()?;
        }
    }
    index_up_to(records, records.head_seq().await?).await
}

/// Whether the index has as many records as the database.
async fn is_complete(records: &Records) -> Result<bool, ServiceError> {
    let index = records.index()?;
    loop {
        let (head, size) = match records.head_seq_and_size().await {
            // They cannot be counted, and all readable ones are indexed.
            Err(error) if error.is_damage() => return Ok(true),
            counted => counted?,
        };
        index_up_to(records, head).await?;
        // Otherwise there were writes in between, and the check is repeated.
        if index.last_seq() <= head {
            return Ok(index.len() as u64 == size);
        }
    }
}

/// Reads rows after one `seq` and up to another. Mapping vectors takes about as long as reading them, so
/// a batch is mapped on another thread while the next one is read.
async fn rows_between(
    records: &Records,
    (mut after, up_to): (u64, u64),
) -> Result<Vec<Row>, ServiceError> {
    let mut rows: Vec<Row> = Vec::new();
    let mut mapping: Option<JoinHandle<Vec<Row>>> = None;
    loop {
        let batch = damage::rows(records, (after, up_to)).await?;
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
        let embedding = Arc::clone(&records.source.embedding);
        mapping = Some(tokio::task::spawn_blocking(move || {
            batch.into_iter().map(|one| row(&embedding, one)).collect()
        }));
    }
}

/// Writes the part of the index that is only in memory to disk if it is large enough. A failure is
/// logged and tried again the next time.
pub async fn write_down(records: &Records) {
    let Engine::Memory(index) = &records.engine else {
        return;
    };
    extend(index, Index::extend_base).await;
    let counted = records.popularity.counted_up_to();
    let (Some(model), Some(counted)) = (records.progress.model.get(), counted) else {
        return;
    };
    // After a switch of the model, the index may have vectors of both models.
    if records.source.embedding.is_replaced() {
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
        Err(_) => tracing::error!("saving the records stopped unexpectedly"),
    }
}

/// Indexes what was committed since the last time, by this process or another one. The database is
/// queried only if its revision has changed.
pub async fn catch_up(records: &Arc<Records>) -> Result<(), ServiceError> {
    let index = match &records.engine {
        Engine::Memory(index) => index,
        Engine::Database(search) => return Ok(search.catch_up(records).await?),
    };
    // Read before the head: a commit in between shows as another revision next time.
    let revision = records.source.store.revision();
    if revision.is_some() && revision == records.progress.complete_at() {
        return Ok(());
    }
    let had = index.last_seq();
    let head = records.head_seq().await?;
    if head < had {
        start_over(records).await?;
    }
    if index.last_seq() < head {
        // A separate task, so that a cancelled caller does not leave half a batch behind.
        let task_records = Arc::clone(records);
        let indexed = tokio::spawn(async move { index_up_to(&task_records, head).await });
        indexed
            .await
            .map_err(|_| ServiceError::Broken("the index"))??;
    }
    records.progress.set_complete_at(revision);
    Ok(())
}

/// Empties an index that has records which the database lost: a standby took over that did not have
/// everything, or an earlier state was restored.
async fn start_over(records: &Records) -> Result<(), ServiceError> {
    let index = records.index()?;
    let _in_order = records.progress.indexing.lock().await;
    let had = index.last_seq();
    // Another caller may have emptied it meanwhile.
    if records.head_seq().await? < had {
        tracing::warn!(family = ?records.family, "{AHEAD}");
        let index = Arc::clone(index);
        let reset = tokio::task::spawn_blocking(move || index.reset());
        reset
            .await
            .map_err(|_| ServiceError::Broken("the index"))??;
    }
    Ok(())
}

/// Indexes what was committed in the background. No caller has to wait: every query catches up first.
pub fn catch_up_soon(records: &Arc<Records>) {
    if let Engine::Database(_) = &records.engine {
        return database_search::fill_soon(records);
    }
    let records = Arc::clone(records);
    drop(tokio::spawn(async move {
        if let Err(error) = catch_up(&records).await {
            tracing::warn!(
                error = chain(&error),
                "stored records are not indexed yet; the next query tries again"
            );
        }
    }));
}

/// Indexes what was committed up to a `seq`; the last batch may go beyond it.
async fn index_up_to(records: &Records, head: u64) -> Result<(), ServiceError> {
    let (index, progress) = (records.index()?, &records.progress);
    let embedding = &records.source.embedding;
    let _in_order = progress.indexing.lock().await;
    let mut log = ProgressLog::new(records.family, index.last_seq());
    let read = |after| damage::records_after(records, (after, head), BATCH);
    let mut following = Vec::new();
    // Of several callers that wait for the lock, the first indexes everything for all.
    while index.last_seq() < head {
        let batch = match following.is_empty() {
            true => read(index.last_seq()).await?,
            false => std::mem::take(&mut following),
        };
        let Some(last) = batch.last().map(|(row, _)| row.seq) else {
            return Ok(());
        };
        if batch
            .iter()
            .any(|(row, _)| waits_for_backfill(embedding, row))
        {
            embedding.request_backfill();
        }
        // A single record is quickly indexed; a blocking thread is needed only to wait for the lock.
        let is_applied = batch.len() == 1 && index.apply_if_free(&batch);
        if !is_applied {
            let index = Arc::clone(index);
            let applying = tokio::task::spawn_blocking(move || index.apply(&batch));
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
        log.up_to(index.last_seq(), head);
    }
    Ok(())
}

/// Whether a record has no vector and no other task is computing it.
fn waits_for_backfill(embedding: &Embedding, row: &Row) -> bool {
    row.lacks_vector() && !embedding.fresh.are_coming(row.id)
}

/// Logs the progress while many records are indexed.
pub(crate) struct ProgressLog {
    family: Family,
    began_at: u64,
    last: Instant,
}

impl ProgressLog {
    pub(crate) fn new(family: Family, began_at: u64) -> Self {
        Self {
            family,
            began_at,
            last: Instant::now(),
        }
    }

    pub(crate) fn up_to(&mut self, seq: u64, head: u64) {
        if self.last.elapsed() < LOG_INTERVAL {
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

/// Writes the part of the index that is only in memory to disk. A failure is logged and tried again the
/// next time.
async fn extend(index: &Arc<Index>, extend: fn(&Index) -> Result<(), IndexError>) {
    let index = Arc::clone(index);
    let extended = tokio::task::spawn_blocking(move || extend(&index));
    match extended.await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(
            error = chain(&error),
            "the index on disk could not be extended"
        ),
        Err(_) => tracing::error!("extending the index on disk stopped unexpectedly"),
    }
}

#[cfg(test)]
mod tests;
