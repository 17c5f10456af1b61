//! How much of something may be open at once, in all and for one caller.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::rate::Counted;

/// Counts what is open, and whose it is.
#[derive(Debug, Clone, Default)]
pub(in crate::transports) struct Room(Arc<Mutex<Places>>);

#[derive(Debug, Default)]
struct Places {
    all: usize,
    by: HashMap<Counted, usize>,
}

/// What is taken of a room.
#[derive(Debug, Clone, Copy)]
pub(in crate::transports) struct Taken {
    /// By everybody.
    pub(in crate::transports) all: usize,
    /// By the caller who asks for more.
    pub(in crate::transports) own: usize,
}

/// What one caller holds of a room; makes room when dropped.
#[derive(Debug)]
pub(in crate::transports) struct Place {
    room: Room,
    holder: Counted,
    amount: usize,
}

impl Room {
    /// Takes a place; `None` when as many as the limit are open, or the caller's share of them. No
    /// caller but this machine itself may hold more than half of the places, so that one alone cannot
    /// shut the others out.
    pub(in crate::transports) fn enter(&self, limit: u32, holder: Counted) -> Option<Place> {
        let share = share(limit, holder) as usize;
        self.take(holder, 1, |taken| {
            taken.all < limit as usize && taken.own < share
        })
    }

    /// Takes some of the room if `may` says so of what is taken.
    pub(in crate::transports) fn take(
        &self,
        holder: Counted,
        amount: usize,
        may: impl FnOnce(Taken) -> bool,
    ) -> Option<Place> {
        let mut places = self.places();
        let held = places.by.get(&holder).copied().unwrap_or_default();
        let taken = Taken {
            all: places.all,
            own: held,
        };
        if !may(taken) {
            return None;
        }
        places.all += amount;
        places.by.insert(holder, held + amount);
        drop(places);
        Some(Place {
            room: self.clone(),
            holder,
            amount,
        })
    }

    /// Returns how many are open.
    pub(in crate::transports) fn open(&self) -> usize {
        self.places().all
    }

    fn places(&self) -> MutexGuard<'_, Places> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns how many places of a limit one caller may hold.
pub(in crate::transports) fn share(limit: u32, holder: Counted) -> u32 {
    if holder.is_this_machine() {
        limit
    } else {
        limit.div_ceil(2)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut places = self.room.places();
        places.all -= self.amount;
        if let Some(held) = places.by.get_mut(&self.holder) {
            *held -= self.amount;
            if *held == 0 {
                places.by.remove(&self.holder);
            }
        }
    }
}

#[cfg(test)]
mod tests;
