//! Keeping the index in step with the database.

use std::{
    fs::File,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    app::App,
    error::{ServiceError, chain},
    search::{Index, IndexError, Row, Text},
    store::{ExperienceContent, IndexRow, IndexedExperience},
};

/// Records read from the database at once.
const BATCH: u32 = 1_000;

/// How far the index has come.
#[derive(Default)]
pub struct Progress {
    /// Held while records are taken in, so that they come in once and in order.
    taking_in: tokio::sync::Mutex<()>,
    /// A revision of the database of which the index has every record.
    complete_at: Mutex<Option<u64>>,
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
    let base_seq = app.experiences.base_seq();
    if base_seq > app.store.head_seq().await? {
        tracing::warn!(
            "the index is ahead of the database, as after a restored backup, and is rebuilt"
        );
        app.experiences.reset()?;
    } else if base_seq > 0 {
        let rows = rows_up_to(app, base_seq).await?;
        if let Err(error) = app.experiences.restore(&rows) {
            tracing::warn!(error = %error, "the index is rebuilt");
            app.experiences.reset()?;
        }
    }
    take_in(app, app.store.head_seq().await?).await
}

async fn rows_up_to(app: &Arc<App>, seq: u64) -> Result<Vec<Row>, crate::store::StoreError> {
    let mut rows: Vec<Row> = Vec::new();
    loop {
        let after = rows.last().map_or(0, |row| row.seq);
        let batch = app.store.index_rows(after, seq, BATCH).await?;
        if batch.is_empty() {
            return Ok(rows);
        }
        rows.extend(batch.into_iter().map(row));
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
