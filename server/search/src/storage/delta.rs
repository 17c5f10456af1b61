//! The delta: postings in memory of the records that were written since the base was last extended.

use std::collections::HashMap;

use super::base::{NO_SLOT, TermDocument, length_id};
use crate::window::Postings;

/// The delta is rebuilt without replaced versions when they outnumber its records by more than this.
const DEAD_LIMIT: usize = 1_000;

/// The number of bits in a word of the set of slots.
const WORD: usize = u64::BITS as usize;

/// Postings of the newest records, by term. Documents are numbered in the order in which they were added.
#[derive(Default)]
pub(crate) struct Delta {
    /// `None` for a document that was replaced.
    documents: Vec<Option<TermDocument>>,
    /// Slot of every document, or [`NO_SLOT`].
    slots: Vec<u32>,
    lengths: Vec<u8>,
    number_of_slot: HashMap<u32, u32>,
    postings: HashMap<String, TermPostings>,
    /// Slots of records that were removed, each with the `seq` of the removal.
    gone: HashMap<u32, u64>,
    /// One bit per slot: whether the delta has the record or knows that it is gone. Read once per document of
    /// the base.
    present: Vec<u64>,
    tokens: u64,
}

#[derive(Default)]
struct TermPostings {
    documents: Vec<u32>,
    frequencies: Vec<u32>,
    /// The number of documents that are not replaced.
    alive: u64,
}

impl Delta {
    /// Returns how many records the delta holds.
    pub(crate) fn len(&self) -> usize {
        self.number_of_slot.len()
    }

    /// Returns how many weighted terms the delta holds.
    pub(crate) fn token_count(&self) -> u64 {
        self.tokens
    }

    /// Returns whether the delta overrides the base for a record: it has the newest version, or knows that the
    /// record is gone.
    pub(crate) fn contains(&self, slot: u32) -> bool {
        let word = self.present.get(slot as usize / WORD).copied();
        word.unwrap_or(0) >> (slot as usize % WORD) & 1 == 1
    }

    /// Returns how many records contain a term.
    pub(crate) fn document_frequency(&self, term: &str) -> u64 {
        self.postings.get(term).map_or(0, |postings| postings.alive)
    }

    /// Returns the postings of a term.
    pub(crate) fn postings(&self, term: &str) -> Option<Postings<'_>> {
        self.postings.get(term).map(|postings| Postings::Delta {
            documents: &postings.documents,
            frequencies: &postings.frequencies,
        })
    }

    /// Returns the slot of a document, unless it was replaced.
    pub(crate) fn slot(&self, document: u32) -> Option<u32> {
        let slot = self.slots.get(document as usize).copied();
        slot.filter(|slot| *slot != NO_SLOT)
    }

    /// Returns the length id of every document.
    pub(crate) fn lengths(&self) -> &[u8] {
        &self.lengths
    }

    /// Adds a record or replaces its earlier version.
    pub(crate) fn put(&mut self, slot: u32, document: TermDocument) {
        self.remove(slot);
        let number = u32::try_from(self.documents.len())
            .expect("a delta is moved into the base long before that");
        for (term, frequency) in frequencies(&document.terms) {
            let postings = match self.postings.get_mut(term) {
                Some(postings) => postings,
                None => self.postings.entry(term.to_owned()).or_default(),
            };
            postings.documents.push(number);
            postings.frequencies.push(frequency);
            postings.alive += 1;
        }
        let length = u32::try_from(document.terms.len()).unwrap_or(u32::MAX);
        self.tokens += document.terms.len() as u64;
        self.mark(slot, true);
        self.number_of_slot.insert(slot, number);
        self.slots.push(slot);
        self.lengths.push(length_id(length));
        self.documents.push(Some(document));
        if self.documents.len() > 2 * self.len() + DEAD_LIMIT {
            drop(self.retain(|_| true));
        }
    }

    /// Hides a record, here and in the base, until the base is complete up to a `seq`.
    pub(crate) fn hide(&mut self, slot: u32, seq: u64) {
        self.remove(slot);
        self.gone.insert(slot, seq);
        self.mark(slot, true);
    }

    /// Returns the records in commit order, to be written into the base.
    pub(crate) fn in_commit_order(&self) -> Vec<TermDocument> {
        let mut documents: Vec<TermDocument> = self.documents.iter().flatten().cloned().collect();
        documents.sort_unstable_by_key(|document| document.seq);
        documents
    }

    /// Drops everything up to a `seq`, which the base now holds. Returns the slots that no text refers to any
    /// more, and the replaced postings, because dropping them takes a while.
    pub(crate) fn drop_up_to(&mut self, seq: u64) -> (Vec<u32>, Self) {
        let free = self.gone.extract_if(|_, gone_at| *gone_at <= seq);
        let free = free.map(|(slot, _)| slot).collect();
        (free, self.retain(|document| document.seq > seq))
    }

    /// Retains some of the records, and no replaced versions; returns the previous contents.
    fn retain(&mut self, keep: impl Fn(&TermDocument) -> bool) -> Self {
        let mut before = std::mem::take(self);
        for (slot, seq) in before.gone.drain() {
            self.hide(slot, seq);
        }
        for (slot, document) in before.slots.iter().zip(before.documents.drain(..)) {
            if let Some(document) = document.filter(&keep) {
                self.put(*slot, document);
            }
        }
        before
    }

    fn remove(&mut self, slot: u32) {
        let Some(number) = self.number_of_slot.remove(&slot) else {
            return;
        };
        let number = number as usize;
        if let Some(place) = self.slots.get_mut(number) {
            *place = NO_SLOT;
        }
        let Some(removed) = self.documents.get_mut(number).and_then(Option::take) else {
            return;
        };
        for (term, _) in frequencies(&removed.terms) {
            if let Some(postings) = self.postings.get_mut(term) {
                postings.alive -= 1;
            }
        }
        self.tokens -= removed.terms.len() as u64;
        self.mark(slot, false);
    }

    fn mark(&mut self, slot: u32, present: bool) {
        let (place, bit) = (slot as usize / WORD, 1 << (slot as usize % WORD));
        if self.present.len() <= place {
            self.present.resize(place + 1, 0);
        }
        if let Some(word) = self.present.get_mut(place) {
            *word = if present { *word | bit } else { *word & !bit };
        }
    }
}

/// Counts each distinct term.
fn frequencies(terms: &[String]) -> HashMap<&str, u32> {
    let mut counts = HashMap::with_capacity(terms.len());
    for term in terms {
        *counts.entry(term.as_str()).or_insert(0) += 1;
    }
    counts
}
