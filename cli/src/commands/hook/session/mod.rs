//! What is remembered of a session: what was shown in it, and the failures that are not solved yet. It holds ids, hashes and
//! counts, no texts.
//!
//! [`store`] keeps it in a file; every list in it is bounded.

mod store;
#[cfg(test)]
mod tests;

use std::collections::{HashSet, VecDeque};

use serde::{Deserialize, Serialize};

pub(super) use store::Store;

use super::{adoption::Candidate, hash::Hash};

/// The number of calls that are remembered, to recognize them when another hook is told about them.
const MAX_CALLS: usize = 64;
/// How long a call without an id counts as the same one. *Unit*: seconds.
const SAME_CALL: i64 = 5;
/// The number of records that are remembered as shown.
const MAX_SHOWN: usize = 64;
/// The number of errors whose recalls are counted.
const MAX_RECALLS: usize = 64;
/// The number of failures that are not solved yet.
const MAX_OPEN: usize = 4;
/// The number of terms of the session that are remembered.
const MAX_TERMS: usize = 1200;
/// The maximum number of recalls for an error.
const MAX_RECALLS_OF_ERROR: u32 = 2;

/// The state of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Session {
    /// The tokens that were put before the agent.
    pub(super) tokens: usize,
    /// The calls and other events of which a hook was told, with the time. *Unit*: seconds since 1970.
    calls: VecDeque<(Hash, i64)>,
    /// The ids of records that were shown.
    shown: VecDeque<String>,
    /// The errors for which records were looked for, and how often.
    recalls: VecDeque<(Hash, u32)>,
    /// The terms of what was run and written.
    terms: VecDeque<Hash>,
    /// The failures that are not solved yet, the oldest first.
    pub(super) open: VecDeque<Open>,
    /// The record that was shown for what was solved last, about which the user can be asked.
    pub(super) asked_about: Option<String>,
    /// The number of failures that were solved with some effort.
    pub(super) solved: u32,
    /// Whether the user was told how to share.
    pub(super) is_offered: bool,
}

/// A failure that is not solved yet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Open {
    /// The family of the command, and the folder it ran in.
    family: Hash,
    folder: Hash,
    /// The fingerprint of the error.
    pub(super) fingerprint: Hash,
    /// How often it failed with this error.
    pub(super) failures: u32,
    /// What was run and changed since.
    pub(super) steps: u32,
    /// The server's id of the recall, if it has one.
    pub(super) recall_id: Option<String>,
    /// The records that were shown for it.
    pub(super) candidates: Vec<Candidate>,
}

/// The command that a failure or a success is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) family: Hash,
    pub(super) folder: Hash,
}

impl Session {
    /// Records that a hook is told about a call, and returns whether that is new. `is_id` is whether the call has an id of
    /// the host; others count as the same for a few seconds, whichever way the clock goes.
    pub(super) fn is_new(&mut self, call: Hash, is_id: bool, now: i64) -> bool {
        let is_same = |(known, at): &(Hash, i64)| {
            *known == call && (is_id || now.abs_diff(*at) <= SAME_CALL.unsigned_abs())
        };
        if self.calls.iter().any(is_same) {
            return false;
        }
        push(&mut self.calls, (call, now), MAX_CALLS);
        true
    }

    /// Returns whether records may be looked for again for an error, and counts that.
    pub(super) fn may_recall(&mut self, fingerprint: Hash) -> bool {
        let known = self
            .recalls
            .iter_mut()
            .find(|(known, _)| *known == fingerprint);
        match known {
            Some((_, count)) if *count >= MAX_RECALLS_OF_ERROR => false,
            Some((_, count)) => {
                *count += 1;
                true
            }
            None => {
                push(&mut self.recalls, (fingerprint, 1), MAX_RECALLS);
                true
            }
        }
    }

    /// Returns whether a record was shown.
    pub(super) fn has_shown(&self, id: &str) -> bool {
        self.shown.iter().any(|shown| shown == id)
    }

    /// Returns the number of records that were shown.
    pub(super) fn shown(&self) -> usize {
        self.shown.len()
    }

    /// Records that a record was shown.
    pub(super) fn show(&mut self, id: &str) {
        if !self.has_shown(id) {
            push(&mut self.shown, id.to_owned(), MAX_SHOWN);
        }
    }

    /// Records the terms of what was run or written.
    pub(super) fn learn(&mut self, terms: impl IntoIterator<Item = Hash>) {
        for term in terms {
            if !self.terms.contains(&term) {
                push(&mut self.terms, term, MAX_TERMS);
            }
        }
    }

    /// Returns whether a term occurred before.
    pub(super) fn knows(&self, term: Hash) -> bool {
        self.terms.contains(&term)
    }

    /// Records a failure, and returns it.
    pub(super) fn fail(&mut self, place: Place, fingerprint: Hash) -> &mut Open {
        let is_it = |open: &Open| open.is_at(place) && open.fingerprint == fingerprint;
        match self.open.iter().position(is_it) {
            // The latest one is at the end, so that it is not the first to be forgotten.
            Some(at) => {
                let known = self.open.remove(at).unwrap_or_default();
                push(&mut self.open, known, MAX_OPEN);
            }
            None => {
                let new = Open {
                    family: place.family,
                    folder: place.folder,
                    fingerprint,
                    ..Open::default()
                };
                push(&mut self.open, new, MAX_OPEN);
            }
        }
        let open = self.open.back_mut().expect("it was just added");
        open.failures = open.failures.saturating_add(1);
        open
    }

    /// Returns the failures that a success at this place solves, and forgets them. Those whose error the output still shows
    /// stay.
    pub(super) fn succeed(&mut self, place: Place, shown: &HashSet<Hash>) -> Vec<Open> {
        let is_solved = |open: &Open| open.is_at(place) && !shown.contains(&open.fingerprint);
        let (solved, open): (VecDeque<Open>, VecDeque<Open>) =
            self.open.drain(..).partition(is_solved);
        self.open = open;
        solved.into()
    }

    /// Returns the failure with this error at this place.
    pub(super) fn open_at(&mut self, place: Place, fingerprint: Hash) -> Option<&mut Open> {
        let mut open = self.open.iter_mut();
        open.find(|open| open.is_at(place) && open.fingerprint == fingerprint)
    }
}

impl Open {
    fn is_at(&self, place: Place) -> bool {
        self.family == place.family && self.folder == place.folder
    }

    /// Returns whether solving it took some effort.
    pub(super) fn is_effort(&self) -> bool {
        self.failures > 1 || self.steps > 1
    }
}

/// Adds an item at the end, and removes the first ones if there are too many.
fn push<T>(items: &mut VecDeque<T>, item: T, max: usize) {
    items.push_back(item);
    while items.len() > max {
        items.pop_front();
    }
}
