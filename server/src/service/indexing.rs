//! Keeping the index in step with the database.

use std::{
    fs::File,
    path::Path,
    sync::{Arc, Mutex, OnceLock, PoisonError, atomic::Ordering},
};

use jiff::Timestamp;

use crate::{
    app::App,
    error::{ServiceError, chain},
    search::{Index, IndexError, Restored, Row, SavedError, SavedFrom, Text},
    service::popularity,
    store::{ExperienceContent, IndexRow, IndexedExperience},
};

/// Records read from the database at once.
const BATCH: u32 = 1_000;
/// Rows that are read from the database though they were saved.
const LAST_ROWS: u64 = 100;

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
pub async fn restore(app: &Arc<App>) -> Result<(), ServiceError> {
    let model = app.store.embedding_model().await?.unwrap_or_default();
    let saved = match restore_saved(app, model.clone()).await {
        Ok(saved) => saved,
        Err(error) => {
            tracing::warn!(
                error = chain(&error),
                "the saved records are not used, the database is read instead"
            );
            None
        }
    };
    app.progress.model.set(model).ok();
    let began = app.now();
    let counted = saved.and_then(|saved| Timestamp::from_second(saved.counts_as_of).ok());
    app.popularity.set_counted_up_to(counted.unwrap_or(began));
    restore_after(app, saved.map_or(0, |saved| saved.up_to)).await?;
    if saved.is_some() && !is_complete(app).await? {
        tracing::warn!("the saved records are not the database's, which is read instead");
        app.experiences.forget_rows()?;
        app.popularity.set_counted_up_to(began);
        restore_after(app, 0).await?;
    }
    Ok(popularity::refresh(app).await?)
}

/// Takes in what an earlier run saved.
async fn restore_saved(app: &Arc<App>, model: String) -> Result<Option<Restored>, SavedError> {
    let app = Arc::clone(app);
    let restored = tokio::task::spawn_blocking(move || app.experiences.restore_saved(&model));
    restored.await.unwrap_or(Ok(None))
}

/// Brings an index up to the database's state that has the rows up to a `seq`.
async fn restore_after(app: &Arc<App>, seq: u64) -> Result<(), ServiceError> {
    let base_seq = app.experiences.base_seq();
    if base_seq > app.store.head_seq().await? {
        tracing::warn!(
            "the index is ahead of the database, as after a restored backup, and is rebuilt"
        );
        app.experiences.reset()?;
    } else if base_seq > 0 {
        // The last rows are read in any case: where the database went another way than the index,
        // as a copy does, it shows in them.
        let rows = rows_between(app, seq.min(base_seq).saturating_sub(LAST_ROWS), base_seq).await?;
        if let Err(error) = app.experiences.restore(&rows) {
            tracing::warn!(error = %error, "the index is rebuilt");
            app.experiences.reset()?;
        }
    }
    take_in(app, app.store.head_seq().await?).await
}

/// Whether the index has as many records as the database.
async fn is_complete(app: &Arc<App>) -> Result<bool, ServiceError> {
    loop {
        let (head, size) = app.store.head_seq_and_size().await?;
        take_in(app, head).await?;
        // Otherwise others wrote in between, and it is looked at again.
        if app.experiences.last_seq() <= head {
            return Ok(app.experiences.len() as u64 == size);
        }
    }
}

async fn rows_between(
    app: &Arc<App>,
    after: u64,
    up_to: u64,
) -> Result<Vec<Row>, crate::store::StoreError> {
    let mut rows: Vec<Row> = Vec::new();
    loop {
        let after = rows.last().map_or(after, |row| row.seq);
        let batch = app.store.index_rows(after, up_to, BATCH).await?;
        if batch.is_empty() {
            return Ok(rows);
        }
        rows.extend(batch.into_iter().map(row));
    }
}

/// Brings what grew in memory to the disk, where it is worth it; what fails is logged and tried
/// again the next time.
pub async fn write_down(app: &Arc<App>) {
    let index = Arc::clone(app);
    match tokio::task::spawn_blocking(move || index.experiences.extend_base()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(
            error = chain(&error),
            "the index on disk could not be extended"
        ),
        Err(_) => tracing::error!("extending the index on disk broke down"),
    }
    let (Some(model), Some(counted)) = (app.progress.model.get(), app.popularity.counted_up_to())
    else {
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
    let index = Arc::clone(app);
    match tokio::task::spawn_blocking(move || index.experiences.save(&from)).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => {
            tracing::warn!(error = chain(&error), "the records could not be saved");
        }
        Err(_) => tracing::error!("saving the records broke down"),
    }
}

/// Takes in what was committed since the last time, by this process or another one. The database
/// is asked only when its revision is another than at the last time.
pub async fn catch_up(app: &Arc<App>) -> Result<(), ServiceError> {
    // Read before the head is: what is committed in between shows as another revision next time.
    let revision = app.store.revision();
    if revision.is_some() && revision == app.progress.complete_at() {
        return Ok(());
    }
    let head = app.store.head_seq().await?;
    if app.experiences.last_seq() < head {
        // A task of its own: a caller that gives up must not leave half a batch behind.
        let app = Arc::clone(app);
        let taken = tokio::spawn(async move { take_in(&app, head).await });
        taken
            .await
            .map_err(|_| ServiceError::Broken("the index"))??;
    }
    app.progress.set_complete_at(revision);
    Ok(())
}

/// Takes in what was committed up to a `seq`, and what came with it.
async fn take_in(app: &Arc<App>, head: u64) -> Result<(), ServiceError> {
    let _in_order = app.progress.taking_in.lock().await;
    // Of many who wait here the first takes in what all of them wait for.
    while app.experiences.last_seq() < head {
        let batch = app
            .store
            .experiences_after(app.experiences.last_seq(), BATCH)
            .await?;
        if batch.is_empty() {
            return Ok(());
        }
        if batch.iter().any(|record| record.row.vector.is_none()) {
            app.vectors_missing.notify_one();
        }
        let records: Vec<(Row, Text)> = batch.into_iter().map(indexed).collect();
        if records.len() == 1 {
            app.experiences.apply(&records);
        } else {
            let app = Arc::clone(app);
            let applied = tokio::task::spawn_blocking(move || app.experiences.apply(&records));
            applied
                .await
                .map_err(|_| ServiceError::Broken("the index"))?;
        }
    }
    Ok(())
}

fn indexed(record: IndexedExperience) -> (Row, Text) {
    let ExperienceContent {
        title,
        problem_description,
        root_cause,
        solution,
        context,
        keywords,
    } = record.content;
    let mut body = String::new();
    // A description that repeats the title says nothing new and must not count twice.
    let description = Some(problem_description).filter(|text| *text != title);
    for part in [description, root_cause, Some(solution), context]
        .into_iter()
        .flatten()
    {
        body.push_str(&part);
        body.push('\n');
    }
    (
        row(record.row),
        Text {
            title,
            keywords: keywords.join(" "),
            body,
        },
    )
}

fn row(row: IndexRow) -> Row {
    Row {
        seq: row.seq,
        id: row.id,
        created_at: row.created_at.as_second(),
        query_count: row.query_count,
        vector: row.vector,
    }
}

#[cfg(test)]
mod tests;
