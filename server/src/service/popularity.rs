//! How often records were returned or shown: counted in memory, stored in batches.
//!
//! Source: seeds contract, "Implementation Notes": counting happens after the reply and never slows
//! it down. Shutdown stores what is left; a crash may lose the last seconds of counts, never records.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use jiff::{Timestamp, ToSpan as _};
use uuid::Uuid;

use crate::{
    app::App,
    error::chain,
    service::family::{Engine, Family},
    store::StoreError,
};

/// How often counts are stored: what a crash may lose of them.
pub const FLUSH_INTERVAL: Duration = Duration::from_secs(1);
/// How far back other processes' counts are read again, for clocks that differ and late commits.
const OVERLAP_SECONDS: i64 = 30;

/// Counts since the last flush.
#[derive(Debug, Default)]
pub struct Popularity {
    pending: Mutex<HashMap<Uuid, u64>>,
    /// Up to when the counts of all processes were taken in.
    read_up_to: Mutex<Option<Timestamp>>,
}

impl Popularity {
    /// Counts one return of each record.
    pub fn count(&self, ids: impl IntoIterator<Item = Uuid>) {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        for id in ids {
            *pending.entry(id).or_insert(0) += 1;
        }
    }

    /// Returns how often a record was counted since the last flush.
    pub fn pending(&self, id: Uuid) -> u64 {
        let pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.get(&id).copied().unwrap_or(0)
    }

    /// Returns how many records' counts wait to be stored.
    pub fn waiting(&self) -> usize {
        let pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.len()
    }

    /// Returns up to when the index has the stored counts.
    pub fn counted_up_to(&self) -> Option<Timestamp> {
        *self.read_up_to()
    }

    /// Notes up to when the index has the stored counts.
    pub fn set_counted_up_to(&self, moment: Timestamp) {
        *self.read_up_to() = Some(moment);
    }

    fn take(&self) -> Vec<(Uuid, u64)> {
        self.pending
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .drain()
            .collect()
    }

    fn put_back(&self, counts: Vec<(Uuid, u64)>) {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        for (id, count) in counts {
            *pending.entry(id).or_insert(0) += count;
        }
    }

    fn read_up_to(&self) -> std::sync::MutexGuard<'_, Option<Timestamp>> {
        self.read_up_to
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stores what was counted; on failure the counts are kept for the next try.
pub async fn flush(app: &Arc<App>, family: Family) -> Result<(), StoreError> {
    let popularity = &app.records(family).popularity;
    let counts = popularity.take();
    if counts.is_empty() {
        return Ok(());
    }
    match family.add_counts(app, &counts).await {
        // What one record cannot keep must not keep those of the others waiting.
        Err(error) if error.is_damage() => store_apart(app, family, counts).await,
        Err(error) => {
            popularity.put_back(counts);
            Err(error)
        }
        Ok(()) => {
            show(app, family, &counts);
            Ok(())
        }
    }
}

/// Adds counts that this process stored to the index; only those of other processes come later.
fn show(app: &App, family: Family, counts: &[(Uuid, u64)]) {
    if let Engine::Memory(index) = &app.records(family).engine {
        index.add_query_counts(counts);
    }
}

/// Stores counts record by record; those of records that are damaged are lost.
async fn store_apart(
    app: &Arc<App>,
    family: Family,
    mut counts: Vec<(Uuid, u64)>,
) -> Result<(), StoreError> {
    while let Some(count) = counts.pop() {
        match family.add_counts(app, &[count]).await {
            Err(error) if error.is_damage() => tracing::warn!(
                record.id = %count.0,
                error = chain(&error),
                "a query count could not be stored: the record is damaged"
            ),
            Err(error) => {
                counts.push(count);
                app.records(family).popularity.put_back(counts);
                return Err(error);
            }
            Ok(()) => show(app, family, &[count]),
        }
    }
    Ok(())
}

/// Takes the stored counts of all processes into the index.
pub async fn refresh(app: &Arc<App>, family: Family) -> Result<(), StoreError> {
    let records = app.records(family);
    let Engine::Memory(index) = &records.engine else {
        // The database has them at hand.
        return Ok(());
    };
    let popularity = &records.popularity;
    let now = app.now();
    // The index starts with the stored counts; only what changes from then on is read.
    // A clock that was set back must not keep them out until it has come so far again.
    let from = popularity.read_up_to().unwrap_or(now).min(now);
    let from = from
        .checked_sub(OVERLAP_SECONDS.seconds())
        .unwrap_or(Timestamp::UNIX_EPOCH);
    let counts = match family.counts_since(app, from).await {
        // Without the counts of others the ranking is a little off, and everything else works.
        Err(error) if error.is_damage() => {
            tracing::warn!(error = chain(&error), "query counts could not be read");
            Vec::new()
        }
        counts => counts?,
    };
    *popularity.read_up_to() = Some(now);
    index.set_query_counts(
        counts
            .into_iter()
            .map(|count| (count.id, count.query_count)),
    );
    Ok(())
}
