//! Computes vectors for records that have none: by servers in the background, and by a command that
//! waits until every record has its vectors.
//!
//! One process at a time does it, so that no vector is computed twice; the others try again later.
//! Meanwhile searches find such records by their words.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use recall_kit_embed::{EmbedError, Embedder};
use recall_kit_store::{ExperienceVector, Store, StoreError, Unembedded};
use uuid::Uuid;

use super::{
    BATCH,
    embedding_pass::{Pass, Refusals},
    entry_vectors,
    turn::Turn,
};
use crate::vectors;

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
