//! Limits on how much of something may be in use at once, in total and for each caller.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::rate::Counted;

/// Counts what is in use, by caller.
#[derive(Debug, Clone, Default)]
pub(in crate::transports) struct Capacity(Arc<Mutex<Usage>>);

#[derive(Debug, Default)]
struct Usage {
    total: usize,
    by_caller: HashMap<Counted, usize>,
}

/// How much of a capacity is in use.
#[derive(Debug, Clone, Copy)]
pub(in crate::transports) struct Used {
    /// By all callers.
    pub(in crate::transports) total: usize,
    /// By the caller that requests more.
    pub(in crate::transports) own: usize,
}

/// A caller's reservation of a capacity; freed when dropped.
#[derive(Debug)]
pub(in crate::transports) struct Reservation {
    capacity: Capacity,
    holder: Counted,
    amount: usize,
}

impl Capacity {
    /// Reserves one unit; `None` when the limit, or the caller's share of it, is reached. No caller but
    /// this machine may use more than half of the limit, so that one caller cannot block all others.
    pub(in crate::transports) fn reserve(
        &self,
        limit: u32,
        holder: Counted,
    ) -> Option<Reservation> {
        let share = share(limit, holder) as usize;
        self.reserve_if(holder, 1, |used| {
            used.total < limit as usize && used.own < share
        })
    }

    /// Reserves an amount if `is_allowed` returns true for the current use.
    pub(in crate::transports) fn reserve_if(
        &self,
        holder: Counted,
        amount: usize,
        is_allowed: impl FnOnce(Used) -> bool,
    ) -> Option<Reservation> {
        let mut usage = self.usage();
        let own = usage.by_caller.get(&holder).copied().unwrap_or_default();
        let used = Used {
            total: usage.total,
            own,
        };
        if !is_allowed(used) {
            return None;
        }
        usage.total += amount;
        usage.by_caller.insert(holder, own + amount);
        drop(usage);
        Some(Reservation {
            capacity: self.clone(),
            holder,
            amount,
        })
    }

    /// Returns how much is in use by all callers.
    pub(in crate::transports) fn in_use(&self) -> usize {
        self.usage().total
    }

    fn usage(&self) -> MutexGuard<'_, Usage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns how much of a limit one caller may use.
pub(in crate::transports) fn share(limit: u32, holder: Counted) -> u32 {
    if holder.is_this_machine() {
        limit
    } else {
        limit.div_ceil(2)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut usage = self.capacity.usage();
        usage.total -= self.amount;
        if let Some(own) = usage.by_caller.get_mut(&self.holder) {
            *own -= self.amount;
            if *own == 0 {
                usage.by_caller.remove(&self.holder);
            }
        }
    }
}

#[cfg(test)]
mod tests;
