//! The delta: postings in memory of what was written since the base was last extended.

use std::collections::HashMap;

use super::base::{TermDocument, length_id};

/// Postings of the newest records, by term.
#[derive(Default)]
pub(super) struct Delta {
    documents: HashMap<u32, TermDocument>,
    /// Term → (slot, term frequency, length id).
    postings: HashMap<String, Vec<(u32, u32, u8)>>,
    /// Per slot: whether it is here; asked once per posting of the base.
    present: Vec<bool>,
    tokens: u64,
}

impl Delta {
    /// Returns how many records the delta holds.
    pub(super) fn len(&self) -> usize {
        self.documents.len()
    }

    /// Returns how many weighted terms the delta holds.
    pub(super) fn token_count(&self) -> u64 {
        self.tokens
    }

    /// Returns whether the newest version of a record is in the delta.
    pub(super) fn contains(&self, slot: u32) -> bool {
        self.present.get(slot as usize).copied().unwrap_or(false)
    }

    /// Returns the postings of a term: slot, term frequency, length id.
    pub(super) fn postings(&self, term: &str) -> &[(u32, u32, u8)] {
        self.postings.get(term).map_or(&[], Vec::as_slice)
    }

    /// Adds a record or replaces its earlier version.
    pub(super) fn put(&mut self, slot: u32, document: TermDocument) {
        self.remove(slot);
        let length = length_id(u32::try_from(document.terms.len()).unwrap_or(u32::MAX));
        for (term, frequency) in frequencies(&document.terms) {
            match self.postings.get_mut(term) {
                Some(list) => list.push((slot, frequency, length)),
                None => {
                    self.postings
                        .insert(term.to_owned(), vec![(slot, frequency, length)]);
                }
            }
        }
        self.tokens += document.terms.len() as u64;
        self.mark(slot, true);
        self.documents.insert(slot, document);
    }

    /// Returns the records on their way into the base, in commit order.
    pub(super) fn in_commit_order(&self) -> Vec<TermDocument> {
        let mut documents: Vec<TermDocument> = self.documents.values().cloned().collect();
        documents.sort_unstable_by_key(|document| document.seq);
        documents
    }

    /// Drops what the base now holds: everything up to a `seq`.
    pub(super) fn drop_up_to(&mut self, seq: u64) {
        let Self { documents, .. } = std::mem::take(self);
        for (slot, document) in documents.into_iter().filter(|(_, d)| d.seq > seq) {
            self.put(slot, document);
        }
    }

    fn remove(&mut self, slot: u32) {
        let Some(removed) = self.documents.remove(&slot) else {
            return;
        };
        for (term, _) in frequencies(&removed.terms) {
            if let Some(list) = self.postings.get_mut(term) {
                list.retain(|(other, ..)| *other != slot);
                if list.is_empty() {
                    self.postings.remove(term);
                }
            }
        }
        self.tokens -= removed.terms.len() as u64;
        self.mark(slot, false);
    }

    fn mark(&mut self, slot: u32, present: bool) {
        let slot = slot as usize;
        if self.present.len() <= slot {
            self.present.resize(slot + 1, false);
        }
        if let Some(mark) = self.present.get_mut(slot) {
            *mark = present;
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
