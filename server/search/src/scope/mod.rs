//! The records that exist for a query: for a caller limited to projects, or a search for one type, project or
//! status, there are no others.
//!
//! The scores of such a query depend on nothing outside: neither on how rare a word is there, nor on how similar
//! the vectors there are.

use uuid::Uuid;

use crate::storage::records::Records;

/// The slots of the records that exist for a query.
pub(super) struct Scope {
    /// By slot.
    is_inside: Vec<bool>,
    len: usize,
}

impl Scope {
    /// Asks for every record whether it is inside.
    pub(super) fn of(records: &Records, allows: &dyn Fn(Uuid) -> bool) -> Self {
        let mut is_inside = vec![false; records.all().len()];
        let mut len = 0;
        for (slot, record) in records.present() {
            if let Some(inside) = is_inside.get_mut(slot as usize)
                && allows(record.id)
            {
                *inside = true;
                len += 1;
            }
        }
        Self { is_inside, len }
    }

    /// Returns how many records are inside.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the record in a slot is inside.
    pub(super) fn contains(&self, slot: u32) -> bool {
        self.is_inside.get(slot as usize).copied().unwrap_or(false)
    }

    /// Returns the slots that are inside.
    pub(super) fn slots(&self) -> impl Iterator<Item = u32> {
        let slots = (0..).zip(&self.is_inside);
        slots.filter(|(_, inside)| **inside).map(|(slot, _)| slot)
    }

    /// Sets the cosines of all records outside to `NaN`.
    pub(super) fn mask(&self, cosines: &mut [f32]) {
        for (slot, cosine) in (0..).zip(cosines) {
            if !self.contains(slot) {
                *cosine = f32::NAN;
            }
        }
    }
}

#[cfg(test)]
mod tests;
