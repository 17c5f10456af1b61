//! What is remembered of a session: what was shown in it, and the failures that are not solved yet. It holds ids,
//! hashes, counts, names of well-known programs, and names and versions of public packages, no other texts.
//!
//! [`store`] keeps it in a file; every list in it is bounded.

mod episode;
mod place;
mod store;
#[cfg(test)]
mod tests;

use std::collections::{HashSet, VecDeque};

use serde::{Deserialize, Serialize};

pub(super) use episode::EndedEpisode;
pub(super) use place::{Part, Place};
pub(super) use store::Store;

use super::{
    adoption::{Candidate, Seen, Use},
    hash::Hash,
};
use episode::Episode;
#[cfg(test)]
use place::{MAX_ITEMS, MAX_PARTS};
use recall_kit_client::{applicability::Environment, outcomes::OutcomeKind};

/// The number of calls that are remembered, to recognize them when another hook is told about them.
const MAX_CALLS: usize = 64;
/// How long a call without an id counts as the same one. *Unit*: seconds.
const SAME_CALL: i64 = 5;
/// The number of records that are remembered as shown.
const MAX_SHOWN: usize = 64;
/// The number of errors whose recalls are counted.
const MAX_RECALLS: usize = 64;
/// The number of errors whose first recall is remembered, for episodes.
const MAX_FIRST_SHOWN: usize = 16;
/// The number of failures that are not solved yet.
const MAX_OPEN: usize = 4;
/// The number of terms of the session that are remembered.
const MAX_TERMS: usize = 1200;
/// The maximum number of recalls for an error.
const MAX_RECALLS_OF_ERROR: u32 = 2;
/// The number of recalls that can be under way at once.
const MAX_PENDING: usize = 8;
/// How long a recall may be under way; an older one was killed. *Unit*: seconds.
const PENDING_SECONDS: u64 = 10;
/// The fewest tokens for which records are looked for.
const MIN_TOKENS: usize = 120;
/// The number of records that are watched for a failure.
const MAX_CANDIDATES: usize = 6;
/// The number of errors of prompts whose records are kept until a command fails with them.
const MAX_PROMPTED: usize = 1;
/// What of a failure's environment is kept for reports: packages with a URL of this length, runtimes and tools.
const MAX_PACKAGES: usize = 6;
const MAX_PURL: usize = 100;
const MAX_NAMED: usize = 2;

/// The state of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Session {
    /// The word for its host in reports.
    pub(super) host: String,
    /// The hash of the URL of the server that it reports to; `None` if its settings want no reports.
    server: Option<Hash>,
    /// The tokens that were put before the agent.
    pub(super) tokens: usize,
    /// The calls and other events of which a hook was told, with the time. *Unit*: seconds since 1970.
    calls: VecDeque<(Hash, i64)>,
    /// The ids of records that were shown.
    shown: VecDeque<String>,
    /// The errors for which records were looked for, and how often.
    recalls: VecDeque<(Hash, u32)>,
    /// The errors for which records were shown, each with the id of the first such recall, if it has one at the
    /// server that episodes are reported to.
    first_shown: VecDeque<(Hash, Option<String>)>,
    /// The recalls that are not answered yet. One that is never answered uses nothing up.
    pending: VecDeque<Pending>,
    /// The terms of what was run and written.
    terms: VecDeque<Hash>,
    /// The failures that are not solved yet, the oldest first.
    pub(super) open: VecDeque<Open>,
    /// The errors of prompts for which records were shown, until a command fails with one of them.
    prompted: VecDeque<(Hash, Vec<Candidate>)>,
    /// The record that was shown for what was solved last, about which the user can be asked.
    pub(super) asked_about: Option<String>,
    /// The number of failures that were solved with some effort.
    pub(super) solved: u32,
    /// Whether the user was told how to share.
    pub(super) is_offered: bool,
    /// Whether the user was asked about a record.
    pub(super) is_asked: bool,
}

/// A recall that is not answered yet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Pending {
    /// The call of the host for which it is.
    call: Hash,
    /// The error for which records are looked for, if it is for one.
    error: Option<Hash>,
    /// The tokens that are reserved for it.
    tokens: usize,
    /// When it began. *Unit*: seconds since 1970.
    at: i64,
}

/// A failure that is not solved yet.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Open {
    /// The commands that may have failed, and the folder they ran in.
    place: Place,
    /// Those of them that have not succeeded since.
    left: Vec<Part>,
    /// The fingerprint of the error.
    pub(super) fingerprint: Hash,
    /// How often it failed with this error.
    pub(super) failures: u32,
    /// What was run and changed since.
    pub(super) steps: u32,
    /// The records that were shown for it.
    candidates: Vec<Candidate>,
    /// What is counted of it; `None` once it was given up.
    episode: Option<Episode>,
    /// The environment in which it failed, if records were shown for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    environment: Option<Environment>,
}

/// What a failure leads to.
#[derive(Debug, Default)]
pub(super) struct Failed {
    /// What is seen to have come of records: that they did not help.
    pub(super) refuted: Vec<Seen>,
    /// The failures that are forgotten, since there are too many.
    pub(super) forgotten: Vec<Open>,
}

impl Session {
    /// Records that a hook is told about a call, and returns whether that is new. `is_id` is whether the call has an id
    /// of the host; others count as the same for a few seconds, whichever way the clock goes.
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

    /// Returns whether no hook was told of anything in it.
    pub(super) fn is_untouched(&self) -> bool {
        self.calls.is_empty()
    }

    /// Forgets a call, so that it is new when it comes again.
    pub(super) fn forget(&mut self, call: Hash) {
        self.calls.retain(|(known, _)| *known != call);
    }

    /// Begins a recall, unless there were enough for its error or too few tokens are left of `most`. Returns how many
    /// tokens it may use.
    pub(super) fn begin(
        &mut self,
        call: Hash,
        error: Option<Hash>,
        wanted: usize,
        most: usize,
        now: i64,
    ) -> Option<usize> {
        self.pending
            .retain(|recall| recall.at.abs_diff(now) <= PENDING_SECONDS && recall.call != call);
        let done = self.recalls.iter().find(|(known, _)| Some(*known) == error);
        let under_way = self
            .pending
            .iter()
            .filter(|recall| error.is_some() && recall.error == error);
        let count = done.map_or(0, |(_, count)| *count as usize) + under_way.count();
        let reserved: usize = self.pending.iter().map(|recall| recall.tokens).sum();
        let left = most.saturating_sub(self.tokens.saturating_add(reserved));
        let tokens = left.min(wanted);
        if count >= MAX_RECALLS_OF_ERROR as usize
            || tokens < MIN_TOKENS
            || self.pending.len() >= MAX_PENDING
        {
            return None;
        }
        let recall = Pending {
            call,
            error,
            tokens,
            at: now,
        };
        push(&mut self.pending, recall, MAX_PENDING);
        Some(tokens)
    }

    /// Ends a recall that was answered, with the tokens that were put before the agent.
    pub(super) fn end(&mut self, call: Hash, error: Option<Hash>, tokens: usize) {
        self.cancel(call);
        self.tokens = self.tokens.saturating_add(tokens);
        let Some(error) = error else { return };
        match self.recalls.iter_mut().find(|(known, _)| *known == error) {
            Some((_, count)) => *count = count.saturating_add(1),
            None => push(&mut self.recalls, (error, 1), MAX_RECALLS),
        }
    }

    /// Ends a recall that was not answered. It uses nothing up.
    pub(super) fn cancel(&mut self, call: Hash) {
        self.pending.retain(|recall| recall.call != call);
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

    /// Records what was run or written: it may be what a record advises.
    pub(super) fn act(&mut self, terms: HashSet<Hash>, how: Use) {
        for open in &mut self.open {
            open.steps = open.steps.saturating_add(1);
            open.episode.iter_mut().for_each(Episode::act);
        }
        let open = self.open.iter_mut().map(|open| &mut open.candidates);
        let prompted = self.prompted.iter_mut().map(|(_, candidates)| candidates);
        for candidate in open.chain(prompted).flatten() {
            candidate.use_terms(&terms, how);
        }
        self.learn(terms);
    }

    /// Records terms, so that they tell nothing from now on.
    pub(super) fn learn(&mut self, terms: impl IntoIterator<Item = Hash>) {
        let known = self.known();
        let mut fresh: Vec<Hash> = terms
            .into_iter()
            .filter(|term| !known.contains(term))
            .collect();
        fresh.sort_unstable();
        self.terms.extend(fresh);
        let too_many = self.terms.len().saturating_sub(MAX_TERMS);
        self.terms.drain(..too_many);
    }

    /// Returns the terms that occurred before.
    pub(super) fn known(&self) -> HashSet<Hash> {
        self.terms.iter().copied().collect()
    }

    /// Records that records were shown for an error, with the id of the recall at the server that episodes are reported
    /// to.
    pub(super) fn show_for(&mut self, error: Hash, recall_id: Option<String>) {
        if !self.first_shown.iter().any(|(known, _)| *known == error) {
            push(&mut self.first_shown, (error, recall_id), MAX_FIRST_SHOWN);
        }
    }

    /// Records a failure, at this time in milliseconds since 1970.
    pub(super) fn fail(&mut self, place: &Place, fingerprint: Hash, now: i64) -> Failed {
        if !place.is_traceable() {
            return Failed::default();
        }
        let known = self.position(place, fingerprint);
        let mut open = match known.and_then(|at| self.open.remove(at)) {
            Some(mut open) => {
                open.narrow(place);
                open
            }
            None => Open {
                place: place.clone(),
                left: place.parts.clone(),
                fingerprint,
                ..Open::default()
            },
        };
        open.failures = open.failures.saturating_add(1);
        let episode = open.episode.get_or_insert_with(|| Episode::begin(now));
        episode.fail(now);
        let at = self
            .prompted
            .iter()
            .position(|(error, _)| *error == fingerprint);
        if let Some((_, candidates)) = at.and_then(|at| self.prompted.remove(at)) {
            open.add(candidates);
        }
        let candidates = open.candidates.iter_mut();
        let refuted = candidates.filter_map(|candidate| {
            let fails = candidate.fails_again();
            fails.then(|| Seen {
                environment: open.environment.clone(),
                ..candidate.seen(OutcomeKind::DidNotWork)
            })
        });
        let refuted = refuted.collect();
        // The latest one is at the end, so that it is not the first to be forgotten.
        self.open.push_back(open);
        let too_many = self.open.len().saturating_sub(MAX_OPEN);
        let forgotten = self.open.drain(..too_many).collect();
        Failed { refuted, forgotten }
    }

    /// Records that commands succeeded, and returns the failures that this solves. Those whose error the output still
    /// shows stay.
    pub(super) fn succeed(&mut self, place: &Place, shown: &HashSet<Hash>) -> Vec<Open> {
        for open in self
            .open
            .iter_mut()
            .filter(|open| open.place.folder == place.folder)
        {
            if !shown.contains(&open.fingerprint) {
                open.left
                    .retain(|failed| !place.parts.iter().any(|part| part.covers(failed)));
            }
        }
        let (solved, open): (VecDeque<Open>, VecDeque<Open>) =
            self.open.drain(..).partition(Open::is_solved);
        self.open = open;
        solved.into()
    }

    /// Records which records were shown for a failure; without a place, for an error in a prompt.
    pub(super) fn watch(
        &mut self,
        place: Option<&Place>,
        fingerprint: Hash,
        mut candidates: Vec<Candidate>,
        recall_id: Option<&str>,
    ) {
        let known = self.known();
        for candidate in &mut candidates {
            candidate.forget(&known);
            candidate.recall_id = recall_id.map(str::to_owned);
        }
        let Some(place) = place else {
            if !candidates.is_empty() {
                push(&mut self.prompted, (fingerprint, candidates), MAX_PROMPTED);
            }
            return;
        };
        let at = self.position(place, fingerprint);
        if let Some(open) = at.and_then(|at| self.open.get_mut(at)) {
            open.add(candidates);
        }
    }

    /// Records the environment of the latest failure for which records are watched, and only a part of a large one.
    pub(super) fn observe(&mut self, place: &Place, fingerprint: Hash, mut known: Environment) {
        self.open
            .iter_mut()
            .for_each(|open| open.environment = None);
        known.packages.retain(|it| it.purl.len() <= MAX_PURL);
        known.packages.truncate(MAX_PACKAGES);
        known.runtimes.truncate(MAX_NAMED);
        known.tools.truncate(MAX_NAMED);
        let at = self.position(place, fingerprint);
        let open = at.and_then(|at| self.open.get_mut(at));
        if let Some(open) = open.filter(|open| !open.candidates.is_empty()) {
            open.environment = Some(known);
        }
    }

    /// Returns where the failure with this error is in the list: of one of these commands in the same folder.
    fn position(&self, place: &Place, fingerprint: Hash) -> Option<usize> {
        let is_it = |open: &Open| {
            let is_one = |part: &Part| place.parts.iter().any(|other| part.is_like(other));
            open.fingerprint == fingerprint
                && open.place.folder == place.folder
                && open.place.parts.iter().any(is_one)
        };
        self.open.iter().position(is_it)
    }
}

impl Open {
    /// Records that it failed again here: only commands that took part both times may be what fails, and what both are
    /// applied to.
    fn narrow(&mut self, place: &Place) {
        let failed = self.place.parts.iter().filter_map(|part| {
            let other = place.parts.iter().find(|other| part.is_like(other))?;
            Some(if part.covers(other) { other } else { part })
        });
        self.left = failed.cloned().collect();
        self.place.parts.clone_from(&self.left);
    }

    /// Returns whether each command that may have failed has succeeded since.
    fn is_solved(&self) -> bool {
        self.left.is_empty() && !self.place.parts.is_empty()
    }

    /// Returns whether solving it took some effort.
    pub(super) fn is_effort(&self) -> bool {
        self.failures > 1 || self.steps > 1
    }

    /// Adds records that were shown for it. If there are too many, those are forgotten first that were not used.
    fn add(&mut self, candidates: Vec<Candidate>) {
        self.candidates.extend(candidates);
        while self.candidates.len() > MAX_CANDIDATES {
            let unused = self.candidates.iter().position(|known| !known.is_used());
            self.candidates.remove(unused.unwrap_or_default());
        }
    }

    /// Returns the environment in which it failed, if it is known.
    pub(super) fn environment(&self) -> Option<&Environment> {
        self.environment.as_ref()
    }

    /// Returns the records that were shown for it.
    pub(super) fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }
}

/// Adds an item at the end, and removes the first ones if there are too many.
fn push<T>(items: &mut VecDeque<T>, item: T, max: usize) {
    items.push_back(item);
    while items.len() > max {
        items.pop_front();
    }
}
