//! Records when keys were last used: collected in memory and stored in batches. A crash may lose the
//! uses of the last minute.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

/// Least time between two batches: a busy key is written once in this time.
const INTERVAL: SignedDuration = SignedDuration::from_mins(1);

/// Uses since the last batch; at most one for each key of the database.
#[derive(Debug, Default)]
pub(super) struct Uses {
    pending: Mutex<Pending>,
}

#[derive(Debug, Default)]
struct Pending {
    last: HashMap<Uuid, Timestamp>,
    stored_at: Option<Timestamp>,
}

impl Uses {
    /// Records one use.
    pub(super) fn note(&self, id: Uuid, at: Timestamp) {
        let mut pending = self.pending();
        let last = pending.last.entry(id).or_insert(at);
        *last = at.max(*last);
    }

    /// Returns whether it is time for the next batch.
    pub(super) fn are_due(&self, now: Timestamp) -> bool {
        // The absolute difference: a clock that was set back must not delay the batches.
        let stored_at = self.pending().stored_at;
        stored_at.is_none_or(|at| now.duration_since(at).abs() >= INTERVAL)
    }

    /// Removes and returns the uses to store.
    pub(super) fn take(&self) -> Vec<(Uuid, Timestamp)> {
        self.pending().last.drain().collect()
    }

    /// Records that the uses from [`Self::take`] were stored.
    pub(super) fn stored(&self, at: Timestamp) {
        self.pending().stored_at = Some(at);
    }

    /// Puts back uses that could not be stored.
    pub(super) fn put_back(&self, uses: Vec<(Uuid, Timestamp)>) {
        for (id, at) in uses {
            self.note(id, at);
        }
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
