//! Giving vectors to records that have none: by servers in the background, and by a command that
//! waits until all have theirs.
//!
//! One process at a time does it, so that none makes what another has already begun; the others
//! look again later. Searches go on meanwhile and find such records by their words.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use uuid::Uuid;

use super::{
    chunk_vectors, entry_vectors,
    index_folder::Turn,
    vectors::{self, ReembedError},
};
use crate::{
    app::{self, App},
    embed::{EmbedError, Embedder},
    error::StartError,
    store::{NewVector, Store, StoreError},
};

/// Records embedded between two writes.
const BATCH: u32 = 32;
/// How often the log says how far the vectors are.
const LOG_INTERVAL: Duration = Duration::from_secs(10);
/// How often it is counted what others still have to do, and how many times longer than counting
/// takes at least, as it reads the whole table.
const COUNT_INTERVAL: Duration = Duration::from_millis(500);
const COUNT_SHARE: u32 = 10;

/// Why not every record got its vector; those that were made are kept.
#[derive(Debug, thiserror::Error)]
pub enum BackfillError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The place where processes take turns is unknown.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The model failed on records.
    #[error("{missing} records are left without a vector")]
    Embed {
        /// How many have none.
        missing: u64,
        /// What the model said last.
        #[source]
        source: EmbedError,
    },
}

/// What one walk through the records did.
struct Pass {
    /// Records that got a vector.
    made: u64,
    /// What the model said last where it failed.
    failure: Option<EmbedError>,
}

/// Gives a vector to every record, entry and piece of documentation that has none of the configured model, unless another
/// process is at it. A record that the model fails on is passed over; the next round tries it again.
///
/// *Errors*: what the database said.
pub async fn backfill(app: &Arc<App>) -> Result<(), BackfillError> {
    let Some(embedder) = vectors::model_in_use(app) else {
        return Ok(());
    };
    let folder = app::index_folder(&app.settings, app.store.database_id().await?)?;
    let Some(_turn) = Turn::take(&folder) else {
        return Ok(());
    };
    entry_vectors::backfill(app, embedder).await?;
    let (mut logged, mut logged_at) = (0, Instant::now());
    let log = |records: u64| {
        let left = app.experiences.status().without_vector;
        tracing::info!(records, left, "records got their vectors");
    };
    let pass = pass(app.store.as_ref(), embedder.as_ref(), |made| {
        if logged_at.elapsed() >= LOG_INTERVAL {
            log(made - logged);
            (logged, logged_at) = (made, Instant::now());
        }
    })
    .await?;
    if pass.made > logged {
        log(pass.made - logged);
    }
    // Last, as there may be many: what agents shared is looked for first.
    Ok(chunk_vectors::backfill(app, embedder.as_ref()).await?)
}

/// Waits until every record and every entry has a vector of the model: makes them, or lets the process
/// go on that is at it. `heard` hears how many have none, again and again.
///
/// *Errors*: what the database said, or the model when it fails on every record that is left.
pub async fn complete(
    store: &dyn Store,
    embedder: &dyn Embedder,
    folder: &Path,
    mut heard: impl FnMut(u64),
) -> Result<(), BackfillError> {
    loop {
        let asked = Instant::now();
        let vectors::Missing {
            records, entries, ..
        } = vectors::missing(store, embedder.model()).await?;
        let missing = records + entries;
        let pause = COUNT_INTERVAL.max(asked.elapsed() * COUNT_SHARE);
        heard(missing);
        if missing == 0 {
            return Ok(());
        }
        let Some(_turn) = Turn::take(folder) else {
            tokio::time::sleep(pause).await;
            continue;
        };
        let pass = pass(store, embedder, |made| heard(missing.saturating_sub(made))).await?;
        match pass.failure {
            Some(source) if pass.made == 0 => return Err(BackfillError::Embed { missing, source }),
            _ => {}
        }
        let left = missing.saturating_sub(pass.made);
        let heard = |made: usize| heard(left.saturating_sub(made as u64));
        let embedded = entry_vectors::embed_missing(store, embedder, heard).await;
        embedded.map_err(|error| match error {
            ReembedError::Store(error) => error.into(),
            ReembedError::Embed(source) => BackfillError::Embed {
                missing: left,
                source,
            },
        })?;
    }
}

/// Walks through the records once, a batch at a time; ends early when the model fails on a whole
/// batch. `heard` hears after each batch how many got their vector.
async fn pass(
    store: &dyn Store,
    embedder: &dyn Embedder,
    mut heard: impl FnMut(u64),
) -> Result<Pass, StoreError> {
    let mut pass = Pass {
        made: 0,
        failure: None,
    };
    let mut after = Uuid::nil();
    loop {
        let records = store.without_vector(embedder.model(), after, BATCH).await?;
        let Some(last) = records.last() else {
            return Ok(pass);
        };
        after = last.id;
        let mut made = Vec::with_capacity(records.len());
        for record in &records {
            match vectors::stored_vectors(embedder, &record.content).await {
                Ok(vector) => made.push(NewVector {
                    id: record.id,
                    vector,
                }),
                Err(error) => {
                    vectors::warn(&error, "the record stays without a vector for now");
                    pass.failure = Some(error);
                }
            }
        }
        if made.is_empty() {
            return Ok(pass);
        }
        store.put_vectors(embedder.model(), &made).await?;
        pass.made += made.len() as u64;
        heard(pass.made);
    }
}

#[cfg(test)]
mod tests;
