//! The records of the index by slot: what ranking needs besides text and vectors.

use std::collections::HashMap;

use uuid::Uuid;

use super::base::short_id;
use crate::{Counts, Language, Row, ranking::formula::Prior};

/// What ranking needs of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) id: Uuid,
    pub(crate) seq: u64,
    /// Seconds since 1970.
    pub(crate) created_at: i64,
    pub(crate) query_count: u64,
    pub(crate) popularity: u64,
    pub(crate) language: Language,
}

impl From<&Row> for Record {
    fn from(row: &Row) -> Self {
        Self {
            id: row.id,
            seq: row.seq,
            created_at: row.created_at,
            query_count: row.query_count,
            popularity: row.popularity,
            language: row.language,
        }
    }
}

/// The `seq` of a removed record: no text in the base has it.
const GONE: u64 = u64::MAX;

/// All records by slot. A record keeps its slot. The slot of a removed record stays empty until no text in the
/// base refers to it, and is then reused for another record.
#[derive(Default)]
pub(crate) struct Records {
    rows: Vec<Record>,
    /// One for every row.
    priors: Vec<Prior>,
    slot_of_id: HashMap<Uuid, u32>,
    /// Empty slots that no text refers to.
    free: Vec<u32>,
    languages: LanguageCounts,
}

/// How many records are in each language.
#[derive(Default)]
struct LanguageCounts(HashMap<Language, usize>);

impl LanguageCounts {
    fn add(&mut self, language: Language) {
        *self.0.entry(language).or_default() += 1;
    }

    fn remove(&mut self, language: Language) {
        if let Some(count) = self.0.get_mut(&language) {
            *count -= 1;
        }
    }
}

impl Records {
    /// Creates an empty set with capacity for `count` records.
    pub(crate) fn with_capacity(count: usize) -> Self {
        Self {
            rows: Vec::with_capacity(count),
            priors: Vec::with_capacity(count),
            slot_of_id: HashMap::with_capacity(count),
            free: Vec::new(),
            languages: LanguageCounts::default(),
        }
    }

    /// Returns the rows of all slots, including those of removed records.
    pub(crate) fn all(&self) -> &[Record] {
        &self.rows
    }

    /// Returns the records that are not removed, each with its slot.
    pub(crate) fn present(&self) -> impl Iterator<Item = (u32, &Record)> {
        let rows = (0..).zip(&self.rows);
        rows.filter(|(_, row)| row.seq != GONE)
    }

    /// Returns how many records there are.
    pub(crate) fn len(&self) -> usize {
        self.slot_of_id.len()
    }

    /// Returns how many records are in a language.
    pub(crate) fn in_language(&self, language: Language) -> usize {
        self.languages.0.get(&language).copied().unwrap_or(0)
    }

    /// Returns the record in a slot.
    pub(crate) fn get(&self, slot: u32) -> Option<&Record> {
        self.rows.get(slot as usize)
    }

    /// Returns the upper bound that age and popularity set for the record in a slot.
    pub(crate) fn prior(&self, slot: u32) -> Option<Prior> {
        self.priors.get(slot as usize).copied()
    }

    /// Returns the slot of a record.
    pub(crate) fn slot(&self, id: Uuid) -> Option<u32> {
        self.slot_of_id.get(&id).copied()
    }

    /// Adds a record or replaces its earlier version; returns its slot, or `None` if the stored version is as
    /// new or newer.
    pub(crate) fn put(&mut self, record: Record) -> Option<u32> {
        let prior = Prior::of(record.created_at, record.popularity, record.language);
        if let Some(slot) = self.slot_of_id.get(&record.id).copied() {
            let row = self.rows.get_mut(slot as usize)?;
            if row.seq >= record.seq {
                return None;
            }
            self.languages.remove(row.language);
            self.languages.add(record.language);
            *row = record;
            *self.priors.get_mut(slot as usize)? = prior;
            return Some(slot);
        }
        let slot = match self.free.pop() {
            Some(slot) => {
                *self.rows.get_mut(slot as usize)? = record;
                *self.priors.get_mut(slot as usize)? = prior;
                slot
            }
            None => {
                let next =
                    u32::try_from(self.rows.len()).expect("fewer than 2^32 records fit in memory");
                self.rows.push(record);
                self.priors.push(prior);
                next
            }
        };
        self.languages.add(record.language);
        self.slot_of_id.insert(record.id, slot);
        Some(slot)
    }

    /// Makes empty slots that no text refers to available for new records.
    pub(crate) fn reuse(&mut self, slots: Vec<u32>) {
        self.free.extend(slots);
    }

    /// Removes a record as of a `seq`; returns the slot that it had, or `None` if there is none or the stored
    /// version is as new or newer.
    pub(crate) fn remove(&mut self, id: Uuid, seq: u64) -> Option<u32> {
        let slot = self.slot(id)?;
        let row = self.rows.get_mut(slot as usize)?;
        if row.seq >= seq {
            return None;
        }
        row.seq = GONE;
        self.languages.remove(row.language);
        self.slot_of_id.remove(&id);
        Some(slot)
    }

    /// Sets the counts of a record; ignores a record that is not in the index, since a record is added with its
    /// counts.
    pub(crate) fn set_counts(&mut self, id: Uuid, counts: Counts) {
        if let Some(slot) = self.slot_of_id.get(&id)
            && let Some(row) = self.rows.get_mut(*slot as usize)
        {
            row.query_count = counts.query_count;
            row.popularity = counts.popularity;
            if let Some(prior) = self.priors.get_mut(*slot as usize) {
                *prior = Prior::of(row.created_at, row.popularity, row.language);
            }
        }
    }

    /// Adds to the counts of a record.
    pub(crate) fn add_counts(&mut self, id: Uuid, more: Counts) {
        if let Some(known) = self.slot(id).and_then(|slot| self.get(slot)) {
            let counts = Counts {
                query_count: known.query_count.saturating_add(more.query_count),
                popularity: known.popularity.saturating_add(more.popularity),
            };
            self.set_counts(id, counts);
        }
    }

    /// Returns `seq`, [`short_id`] and slot of each record up to a `seq`, unsorted.
    pub(crate) fn up_to(&self, seq: u64) -> Vec<(u64, u64, u32)> {
        let slots = (0_u32..).zip(&self.rows).filter(|(_, row)| row.seq <= seq);
        let slots = slots.map(|(slot, row)| (row.seq, short_id(row.id), slot));
        slots.collect()
    }
}

/// Slots, sorted by `seq` and [`short_id`].
pub(crate) struct SlotsBySeq(Vec<(u64, u64, u32)>);

impl SlotsBySeq {
    /// Creates it from `seq`, [`short_id`] and slot of each record.
    pub(crate) fn of(slots: impl Iterator<Item = (u64, u64, u32)>) -> Self {
        let mut slots: Vec<(u64, u64, u32)> = slots.collect();
        slots.sort_unstable();
        Self(slots)
    }

    /// Returns the number of slots.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Starts a series of lookups, which are fastest in the order of `seq`.
    pub(crate) fn lookup(&self) -> SlotLookup<'_> {
        SlotLookup {
            all: &self.0,
            next: 0,
        }
    }
}

/// A series of slot lookups.
pub(crate) struct SlotLookup<'a> {
    all: &'a [(u64, u64, u32)],
    /// The position after the last one that was found.
    next: usize,
}

impl SlotLookup<'_> {
    /// Returns the slot of the record with this `seq` and [`short_id`].
    pub(crate) fn slot(&mut self, seq: u64, id: u64) -> Option<u32> {
        let is_here = |at: &usize| {
            let found = self.all.get(*at);
            found.is_some_and(|(s, i, _)| (*s, *i) == (seq, id))
        };
        let at = Some(self.next).filter(is_here).or_else(|| {
            let found = self
                .all
                .binary_search_by_key(&(seq, id), |(s, i, _)| (*s, *i));
            found.ok()
        })?;
        self.next = at + 1;
        self.all.get(at).map(|(.., slot)| *slot)
    }
}
