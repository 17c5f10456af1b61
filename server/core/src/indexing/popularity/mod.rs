//! Counts how often records are returned or shown, and their popularity: in memory, stored in batches.
//!
//! Ranking uses a record's popularity. One caller adds to it at most once an hour, see `voices`.
//!
//! Counting must never slow a response down, so counts are stored later. Shutdown stores what is left; a
//! crash may lose the last seconds of counts, but never records.

mod voices;

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use jiff::{Timestamp, ToSpan as _};
use recall_kit_fair_queue::flow::Voice;
use recall_kit_search::Counts;
use recall_kit_store::{NewCount, StoreError};
use recall_kit_telemetry::chain;
use uuid::Uuid;

pub use self::voices::Exposure;
use self::voices::Voices;
use super::{Engine, Records};

/// How often counts are stored; a crash may lose those of this time.
pub(crate) const FLUSH_INTERVAL: Duration = Duration::from_secs(1);
/// How far back other processes' counts are read again, to allow for differing clocks and late commits.
const OVERLAP_SECONDS: i64 = 30;

/// Counts since the last flush.
#[derive(Debug, Default)]
pub struct Popularity {
    unstored: Mutex<HashMap<Uuid, Counts>>,
    voices: Mutex<Voices>,
    /// The time up to which the index has the counts of all processes.
    read_up_to: Mutex<Option<Timestamp>>,
}

impl Popularity {
    /// Counts that each record was returned or shown to a caller.
    pub fn count(
        &self,
        ids: impl IntoIterator<Item = Uuid>,
        exposure: Exposure,
        voice: Voice,
        now: Timestamp,
    ) {
        let mut voices = self.voices.lock().unwrap_or_else(PoisonError::into_inner);
        let mut unstored = self.unstored();
        for id in ids {
            let counts = unstored.entry(id).or_default();
            counts.query_count += 1;
            counts.popularity += voices.hear(voice, id, exposure, now);
        }
    }

    /// Adds to the popularity of a record that was opened on a page; its query count stays the same.
    pub fn open(&self, id: Uuid, voice: Voice, now: Timestamp) {
        let mut voices = self.voices.lock().unwrap_or_else(PoisonError::into_inner);
        let more = voices.hear(voice, id, Exposure::Opened, now);
        drop(voices);
        if more > 0 {
            self.unstored().entry(id).or_default().popularity += more;
        }
    }

    /// Returns how often a record was counted since the last flush.
    pub fn pending(&self, id: Uuid) -> u64 {
        let unstored = self.unstored();
        unstored.get(&id).map_or(0, |counts| counts.query_count)
    }

    /// Returns how many records' counts wait to be stored.
    pub fn waiting(&self) -> usize {
        self.unstored().len()
    }

    /// Returns the time up to which the index has the stored counts.
    pub(super) fn counted_up_to(&self) -> Option<Timestamp> {
        *self.read_up_to()
    }

    /// Sets the time up to which the index has the stored counts.
    pub(super) fn set_counted_up_to(&self, time: Timestamp) {
        *self.read_up_to() = Some(time);
    }

    fn take(&self) -> Vec<NewCount> {
        let counts = std::mem::take(&mut *self.unstored());
        let counts = counts.into_iter().map(|(id, counts)| NewCount {
            id,
            count: counts.query_count,
            popularity: counts.popularity,
        });
        counts.collect()
    }

    fn put_back(&self, counts: Vec<NewCount>) {
        let mut unstored = self.unstored();
        for new in counts {
            let counts = unstored.entry(new.id).or_default();
            counts.query_count += new.count;
            counts.popularity += new.popularity;
        }
    }

    fn unstored(&self) -> MutexGuard<'_, HashMap<Uuid, Counts>> {
        self.unstored.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read_up_to(&self) -> MutexGuard<'_, Option<Timestamp>> {
        self.read_up_to
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stores the counts; on failure they are kept for the next try.
pub async fn flush(records: &Records) -> Result<(), StoreError> {
    let popularity = &records.popularity;
    let counts = popularity.take();
    if counts.is_empty() {
        return Ok(());
    }
    match records.add_counts(&counts).await {
        // A damaged record must not block the counts of the others.
        Err(error) if error.is_damage() => store_one_by_one(records, counts).await,
        Err(error) => {
            popularity.put_back(counts);
            Err(error)
        }
        Ok(()) => {
            add_to_index(records, &counts);
            Ok(())
        }
    }
}

/// Adds counts that this process stored to the index; those of other processes follow with [`refresh`].
fn add_to_index(records: &Records, counts: &[NewCount]) {
    if let Engine::Memory(index) = &records.engine {
        index.add_counts(counts.iter().map(|new| {
            let counts = Counts {
                query_count: new.count,
                popularity: new.popularity,
            };
            (new.id, counts)
        }));
    }
}

/// Stores counts record by record; those of damaged records are lost.
async fn store_one_by_one(records: &Records, mut counts: Vec<NewCount>) -> Result<(), StoreError> {
    while let Some(count) = counts.pop() {
        match records.add_counts(&[count]).await {
            Err(error) if error.is_damage() => tracing::warn!(
                record.id = %count.id,
                error = chain(&error),
                "a query count could not be stored: the record is damaged"
            ),
            Err(error) => {
                counts.push(count);
                records.popularity.put_back(counts);
                return Err(error);
            }
            Ok(()) => add_to_index(records, &[count]),
        }
    }
    Ok(())
}

/// Copies the stored counts of all processes to the index.
pub(crate) async fn refresh(records: &Records) -> Result<(), StoreError> {
    let Engine::Memory(index) = &records.engine else {
        // The database uses its own counts.
        return Ok(());
    };
    let popularity = &records.popularity;
    let now = records.source.clock.now();
    // The index starts with the stored counts; only later changes are read. `min`: after a clock was
    // set back, changes must not be ignored until it reaches the old time again.
    let from = popularity.read_up_to().unwrap_or(now).min(now);
    let from = from
        .checked_sub(OVERLAP_SECONDS.seconds())
        .unwrap_or(Timestamp::UNIX_EPOCH);
    let counts = match records.counts_since(from).await {
        // Without the counts of other processes only the ranking is slightly off.
        Err(error) if error.is_damage() => {
            tracing::warn!(error = chain(&error), "query counts could not be read");
            Vec::new()
        }
        counts => counts?,
    };
    *popularity.read_up_to() = Some(now);
    index.set_counts(counts.into_iter().map(|count| {
        let counts = Counts {
            query_count: count.query_count,
            popularity: count.popularity,
        };
        (count.id, counts)
    }));
    Ok(())
}
