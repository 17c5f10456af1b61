//! Bringing to disk what grew in memory: the delta into the base, the rows beside it.

use std::sync::atomic::Ordering;

use super::{
    base::{Base, BaseHandle, Snapshot},
    records::SlotsBySeq,
    saved,
};
use crate::{Contents, Index, IndexError, SavedError, SavedFrom};

/// Records in the delta from which extending the base pays.
pub(crate) const DELTA_LIMIT: usize = 2_000;
/// Records in the delta, some 150 MB, from which no more should be taken in.
pub(crate) const DELTA_MOST: usize = 50_000;
/// Rows are saved anew when one in so many came since: a start reads those from the database.
const SAVED_SHARE: usize = 8;

impl Index {
    /// Sets from how many records in the delta it is full, so that a test can fill it.
    pub fn set_delta_most(&self, records: usize) {
        self.delta_most.store(records, Ordering::Relaxed);
    }

    /// Moves the delta into the base when it has grown enough, or takes in what another process
    /// moved. Blocking and slow: searches go on meanwhile.
    pub fn extend_base(&self) -> Result<(), IndexError> {
        match self.extending.try_lock() {
            Ok(_extending) => self.extend_from(DELTA_LIMIT),
            Err(_) => Ok(()),
        }
    }

    /// Returns whether the delta has grown so much that [`Index::make_room`] should come first.
    pub fn is_full(&self) -> bool {
        self.read().delta.len() >= self.delta_most.load(Ordering::Relaxed)
    }

    /// Does what [`Index::extend_base`] does, or waits until it is done, when the delta is full.
    pub fn make_room(&self) -> Result<(), IndexError> {
        let _extending = self.extending.lock();
        self.extend_from(self.delta_most.load(Ordering::Relaxed))
    }

    /// Moves a delta of at least so many records into the base.
    fn extend_from(&self, least: usize) -> Result<(), IndexError> {
        let (handle, documents, seq) = {
            let state = self.read();
            if state.delta.len() < least {
                return Ok(());
            }
            (
                state.base.handle(&state.delta)?,
                state.delta.in_commit_order(),
                state.last_seq,
            )
        };
        Base::extend(&handle, &documents, seq)?;
        if let Some(snapshot) = self.prepare(&handle)? {
            self.show(&handle, snapshot);
        }
        Ok(())
    }

    /// Opens what is on disk now, and finds the record of each of its documents. Slow: searches and
    /// writes go on meanwhile. What they change is newer than the documents, and hides them.
    pub(crate) fn prepare(&self, handle: &BaseHandle) -> Result<Option<Snapshot>, IndexError> {
        // Never back, as after another program emptied the folder, and never past what is here.
        let Some(mut snapshot) = handle.newer(self.last_seq())? else {
            return Ok(None);
        };
        let records = self.read().records.up_to(snapshot.seq());
        snapshot.map_slots(&SlotsBySeq::of(records.into_iter()))?;
        Ok(Some(snapshot))
    }

    /// Shows what was prepared, unless the index was emptied meanwhile.
    pub(crate) fn show(&self, handle: &BaseHandle, snapshot: Snapshot) {
        let mut state = self.write();
        if state.base.seq() != handle.seq() || state.last_seq < snapshot.seq() {
            return;
        }
        let replaced = state.show(snapshot);
        // Dropping takes longer than the rest, so it happens outside the lock.
        drop(state);
        drop(replaced);
    }

    /// Saves the rows beside the base when enough came since the last time; returns whether it did.
    /// Blocking and slow: searches and writes go on meanwhile.
    pub fn save(&self, from: &SavedFrom) -> Result<bool, SavedError> {
        let Some(folder) = &self.folder else {
            return Ok(false);
        };
        let Ok(_extending) = self.extending.try_lock() else {
            return Ok(false);
        };
        let saved = saved::glance(folder).filter(|(_, saved)| saved.model == from.model);
        let saved_seq = saved.map_or(0, |(seq, _)| seq);
        let contents = {
            let state = self.read();
            let news = state.base.seq().saturating_sub(saved_seq);
            let enough = DELTA_LIMIT.max(state.records.len() / SAVED_SHARE);
            if news < enough as u64 {
                return Ok(false);
            }
            Contents {
                seq: state.last_seq,
                from: from.clone(),
                records: state.records.all().to_vec(),
                vectors: state.vectors.image(),
            }
        };
        saved::write(folder, &contents)?;
        Ok(true)
    }
}
