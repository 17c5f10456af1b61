//! How many of something may be open at once.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// Counts what is open.
#[derive(Debug, Clone, Default)]
pub(in crate::transports) struct Room(Arc<AtomicUsize>);

/// One open thing; makes room when dropped.
#[derive(Debug)]
pub(in crate::transports) struct Place(Arc<AtomicUsize>);

impl Room {
    /// Takes a place; `None` when as many as the limit are open.
    pub(in crate::transports) fn enter(&self, limit: u32) -> Option<Place> {
        let below = |open: usize| (open < limit as usize).then_some(open + 1);
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, below)
            .ok()?;
        Some(Place(Arc::clone(&self.0)))
    }

    /// Returns how many are open.
    pub(in crate::transports) fn open(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
