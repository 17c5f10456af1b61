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
    Start(#[from] OpenError),
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

/// Gives a vector to every record, entry and piece of documentation that has none of the configured
/// model, unless another process is at it. A record that the model refuses is passed over; the next
/// pass tries it again.
///
/// *Errors*: what the database said.
pub async fn backfill(app: &Arc<App>, refusals: &mut Refusals) -> Result<(), BackfillError> {
    let Some(embedder) = vectors::model_in_use(app) else {
        return Ok(());
    };
    let folder = app::index_folder(&app.settings, app.store.database_id().await?)?;
    let Some(_turn) = Turn::take(&folder) else {
        return Ok(());
    };
    let mut pass = Pass::new(embedder.as_ref(), refusals).passing_over(&app.fresh_vectors);
    entry_vectors::backfill(app, &mut pass).await?;
    let (mut logged, mut logged_at) = (0, Instant::now());
    let log = |records: u64| {
        let left = app.experiences.status().without_vector;
        tracing::info!(records, left, "records got their vectors");
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
    // Last, as there may be many: what agents shared is looked for first.
    Ok(chunk_vectors::backfill(app, &mut pass).await?)
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
    let mut refusals = Refusals::default();
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
        let mut pass = Pass::new(embedder, &mut refusals);
        let mut left = |made: u64| heard(missing.saturating_sub(made));
        let made = embed_missing(store, &mut pass, &mut left).await?;
        let and_entries = |entries: u64| left(made + entries);
        let made = made + entry_vectors::embed_missing(store, &mut pass, and_entries).await?;
        match pass.into_failure() {
            Some(source) if made == 0 => return Err(BackfillError::Embed { missing, source }),
            _ => {}
        }
    }
}

/// Embeds every record that has no vector of the model and returns how many got one; `heard` hears
/// after each batch how many these are so far.
///
/// *Errors*: what the database said.
pub(crate) async fn embed_missing(
    store: &dyn Store,
    pass: &mut Pass<'_>,
    mut heard: impl FnMut(u64),
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
        heard(made);
    }
    Ok(made)
}

#[cfg(test)]
mod tests;
