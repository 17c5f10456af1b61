//! Writes what grew in memory to disk: the delta into the base, and the rows into a file beside it.

use std::sync::atomic::Ordering;

use super::{
    base::{Base, BaseHandle, Snapshot},
    records::SlotsBySeq,
    saved,
};
use crate::{Contents, Index, IndexError, SavedError, SavedFrom};

/// The number of records in the delta from which extending the base pays off.
pub(crate) const DELTA_LIMIT: usize = 2_000;
/// The number of records in the delta, about 150 MB, at which no more should be added.
pub(crate) const DELTA_MOST: usize = 50_000;
/// Rows are saved again when one record in this many is new since the last time: a start reads those from the
/// database.
const SAVED_SHARE: usize = 8;

impl Index {
    /// Sets the number of records at which the delta is full, so that a test can fill it.
    pub fn set_delta_most(&self, records: usize) {
        self.delta_most.store(records, Ordering::Relaxed);
    }

    /// Moves the delta into the base if it is large enough, or loads what another process moved. Blocking and
    /// slow, but searches go on meanwhile.
    pub fn extend_base(&self) -> Result<(), IndexError> {
        match self.extending.try_lock() {
            Ok(_extending) => self.extend_from(DELTA_LIMIT),
            Err(_) => Ok(()),
        }
    }

    /// Returns whether the delta is so large that [`Index::make_room`] should be called before more is added.
    pub fn is_full(&self) -> bool {
        self.read().delta.len() >= self.delta_most.load(Ordering::Relaxed)
    }

    /// Like [`Index::extend_base`], but only if the delta is full, and waits if another thread is extending the
    /// base.
    pub fn make_room(&self) -> Result<(), IndexError> {
        let _extending = self.extending.lock();
        self.extend_from(self.delta_most.load(Ordering::Relaxed))
    }

    /// Moves a delta of at least `least` records into the base.
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

    /// Opens the state on disk and finds the record of each of its documents. Slow, but searches and writes go
    /// on meanwhile: their changes are newer than the documents and override them.
    pub(crate) fn prepare(&self, handle: &BaseHandle) -> Result<Option<Snapshot>, IndexError> {
        // Never an older state, as after another program emptied the folder, and never one newer than the
        // records here.
        let Some(mut snapshot) = handle.newer(self.last_seq())? else {
            return Ok(None);
        };
        let records = self.read().records.up_to(snapshot.seq());
        snapshot.map_slots(&SlotsBySeq::of(records.into_iter()))?;
        Ok(Some(snapshot))
    }

    /// Replaces the base by a prepared snapshot, unless the index was emptied meanwhile.
    pub(crate) fn show(&self, handle: &BaseHandle, snapshot: Snapshot) {
        let mut state = self.write();
        if state.base.seq() != handle.seq() || state.last_seq < snapshot.seq() {
            return;
        }
        let replaced = state.show(snapshot);
        // Dropping the replaced parts takes longer than the rest, so it happens outside the lock.
        drop(state);
        drop(replaced);
    }

    /// Saves the rows beside the base if enough are new since the last time; returns whether it did. Blocking
    /// and slow, but searches and writes go on meanwhile.
    pub fn save(&self, from: &SavedFrom) -> Result<bool, SavedError> {
        let Some(folder) = &self.folder else {
            return Ok(false);
        };
        let Ok(_extending) = self.extending.try_lock() else {
            return Ok(false);
        };
        let saved = saved::read_header(folder).filter(|(_, saved)| saved.model == from.model);
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
