//! Computes vectors for records that have none: by servers in the background, and by a command that
//! waits until every record has its vectors.
//!
//! One process at a time does it, so that no vector is computed twice; the others try again later.
//! Meanwhile searches find such records by their words.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use recall_kit_embed::{EmbedError, Embedder};
use recall_kit_store::{ExperienceVector, Store, StoreError, Unembedded};
use uuid::Uuid;

use super::{
    chunk_vectors,
    embedding_pass::{Pass, Refusals},
    entry_vectors,
};
use crate::{
    app::{self, App},
    error::OpenError,
    indexing::index_folder::Turn,
    vectors::{self, BATCH},
};

/// How often progress is logged.
const LOG_INTERVAL: Duration = Duration::from_secs(10);
/// How often the remaining records are counted while another process works. The pause is at least
/// [`COUNT_SHARE`] times as long as counting takes, since counting reads the whole table.
const COUNT_INTERVAL: Duration = Duration::from_millis(500);
const COUNT_SHARE: u32 = 10;

/// Why not every record got its vectors; the computed ones are stored.
#[derive(Debug, thiserror::Error)]
pub enum BackfillError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The folder of the lock between processes is unknown.
    #[error(transparent)]
    Start(#[from] OpenError),
    /// The model failed on records.
    #[error("{missing} records are left without a vector")]
    Embed {
        /// The number of records without a vector.
        missing: u64,
        /// The model's last error.
        #[source]
        source: EmbedError,
    },
}

/// Computes vectors for every experience, entry and chunk that has none of the configured model, unless
/// another process is doing so. A record that the model rejects is skipped; the next pass tries it
/// again.
///
/// *Errors*: those of the database.
pub async fn backfill(app: &Arc<App>, refusals: &mut Refusals) -> Result<(), BackfillError> {
    let Some(embedder) = vectors::model_in_use(app) else {
        return Ok(());
    };
    let folder = app::index_folder(&app.settings, app.store.database_id().await?)?;
    let Some(_turn) = Turn::try_take(&folder) else {
        return Ok(());
    };
    let mut pass = Pass::new(embedder.as_ref(), refusals).passing_over(&app.fresh_vectors);
    entry_vectors::backfill(app, &mut pass).await?;
    let (mut logged, mut logged_at) = (0, Instant::now());
    let log = |records: u64| {
        let left = app.experiences.status().without_vector;
        tracing::info!(records, left, "vectors of records computed");
    };
    let made = embed_missing(app.store.as_ref(), &mut pass, |made| {
        if logged_at.elapsed() >= LOG_INTERVAL {
            log(made - logged);
            (logged, logged_at) = (made, Instant::now());
        }
    })
    .await?;
    if made > logged {
        log(made - logged);
    }
    // Chunks come last since there may be many, and experiences and entries are searched first.
    Ok(chunk_vectors::backfill(app, &mut pass).await?)
}

/// Waits until every record and every entry has vectors of the model: computes them, or waits for the
/// process that is computing them. `progress` is called repeatedly with the number of those without.
///
/// *Errors*: those of the database, or the model's error if it fails on every record that is left.
pub async fn complete(
    store: &dyn Store,
    embedder: &dyn Embedder,
    folder: &Path,
    mut progress: impl FnMut(u64),
) -> Result<(), BackfillError> {
    let mut refusals = Refusals::default();
    loop {
        let started = Instant::now();
        let vectors::Missing {
            records, entries, ..
        } = vectors::missing(store, embedder.model()).await?;
        let missing = records + entries;
        let pause = COUNT_INTERVAL.max(started.elapsed() * COUNT_SHARE);
        progress(missing);
        if missing == 0 {
            return Ok(());
        }
        let Some(_turn) = Turn::try_take(folder) else {
            tokio::time::sleep(pause).await;
            continue;
        };
        let mut pass = Pass::new(embedder, &mut refusals);
        let mut left = |made: u64| progress(missing.saturating_sub(made));
        let made = embed_missing(store, &mut pass, &mut left).await?;
        let and_entries = |entries: u64| left(made + entries);
        let made = made + entry_vectors::embed_missing(store, &mut pass, and_entries).await?;
        match pass.into_failure() {
            Some(source) if made == 0 => return Err(BackfillError::Embed { missing, source }),
            _ => {}
        }
    }
}

/// Embeds every record that has no vector of the model and returns how many got one; `progress` is
/// called after each batch with the number so far.
///
/// *Errors*: those of the database.
pub(crate) async fn embed_missing(
    store: &dyn Store,
    pass: &mut Pass<'_>,
    mut progress: impl FnMut(u64),
) -> Result<u64, StoreError> {
    let model = pass.embedder.model();
    let (mut after, mut made) = (Uuid::nil(), 0);
    while !pass.is_over() {
        let records = store.without_vector(model, after, BATCH).await?;
        let Some(last) = records.last() else { break };
        after = last.experience.id;
        let mut batch = Vec::with_capacity(records.len());
        let wanted = records.iter();
        for record in wanted.filter(|record| !pass.passes_over(record.experience.id)) {
            let Unembedded {
                experience,
                version,
            } = record;
            let vector = vectors::stored_vectors(pass.embedder, &experience.content).await;
            let of_version = |vector| ExperienceVector {
                id: experience.id,
                version: *version,
                vector,
            };
            batch.push((experience.id, vector.map(of_version)));
        }
        let embedded = pass.embedded("experience", batch).await;
        if embedded.is_empty() {
            continue;
        }
        let new: Vec<_> = embedded.into_iter().map(|(_, vector)| vector).collect();
        made += store.put_vectors(model, &new).await?;
        progress(made);
    }
    Ok(made)
}

#[cfg(test)]
mod tests;
