//! How many of something may be open at once, in all and for one caller.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::rate::Counted;

/// Counts what is open, and whose it is. No caller but this machine itself may hold more than half of
/// the places, so that one alone cannot shut the others out.
#[derive(Debug, Clone, Default)]
pub(in crate::transports) struct Room(Arc<Mutex<Taken>>);

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    by: HashMap<Counted, usize>,
}

/// One open thing; makes room when dropped.
#[derive(Debug)]
pub(in crate::transports) struct Place {
    room: Room,
    holder: Counted,
}

impl Room {
    /// Takes a place; `None` when as many as the limit are open, or the caller's share of them.
    pub(in crate::transports) fn enter(&self, limit: u32, holder: Counted) -> Option<Place> {
        let limit = limit as usize;
        let share = if holder.is_this_machine() {
            limit
        } else {
            limit.div_ceil(2)
        };
        let mut taken = self.taken();
        let held = taken.by.get(&holder).copied().unwrap_or_default();
        if taken.all >= limit || held >= share {
            return None;
        }
        taken.all += 1;
        taken.by.insert(holder, held + 1);
        drop(taken);
        Some(Place {
            room: self.clone(),
            holder,
        })
    }

    /// Returns how many are open.
    pub(in crate::transports) fn open(&self) -> usize {
        self.taken().all
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.room.taken();
        taken.all -= 1;
        if let Some(held) = taken.by.get_mut(&self.holder) {
            *held -= 1;
            if *held == 0 {
                taken.by.remove(&self.holder);
            }
        }
    }
}

#[cfg(test)]
mod tests;
