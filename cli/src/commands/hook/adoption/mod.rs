//! Whether what the agent did after a recall is what a record advises: the share of the record's rare terms that occur in
//! the agent's commands and edits after the recall and did not occur before it.

mod terms;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use recall_kit_client::{commands_in, outcomes::OutcomeKind};
use serde::{Deserialize, Serialize};

use super::hash::{Hash, hash};

/// The number of terms of a record that are watched.
const MAX_TERMS: usize = 32;
/// The number of command lines of a record that are watched.
const MAX_LINES: usize = 8;
/// The least credit of a record that is reported. *Range*: 0–1.
const MIN_CREDIT: f64 = 0.35;
/// The fewest terms, unless a whole command line was run.
const MIN_TERMS: usize = 2;
/// By how much the best record must be ahead of the next one. *Range*: 0–1.
const MIN_LEAD: f64 = 0.1;
/// The share of its command lines with which a solution was used as it stands. *Range*: 0–1.
const WHOLE: f64 = 0.8;

/// How often the error has to come back after a record was used, until it is said that the record did not help.
const FAILURES_AFTER: u32 = 2;

/// What was seen to come of a record: ids and an outcome, no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) id: String,
    /// The name of the server that it is from, if there are several.
    pub(super) server: Option<String>,
    pub(super) outcome: OutcomeKind,
    /// The server's id of the recall, if it has one.
    pub(super) recall_id: Option<String>,
}

/// A record that was shown, and how much of it was used.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Candidate {
    pub(super) id: String,
    /// The name of the server that it is from, if there are several.
    pub(super) server: Option<String>,
    /// The terms that only it brought: how much each one tells, and whether it was used.
    terms: Vec<(Hash, f32, bool)>,
    /// Its command lines, and whether each was run.
    lines: Vec<(Hash, bool)>,
    /// How often the error came back after it had been used.
    failures_after: u32,
}

impl Candidate {
    /// Creates a candidate of a record's solution. Terms that the session `knows` from before tell nothing; those that several
    /// of the solutions have tell less.
    pub(super) fn of(
        id: &str,
        server: Option<&str>,
        solution: &str,
        knows: &dyn Fn(Hash) -> bool,
        all: &[String],
    ) -> Self {
        let all: Vec<HashSet<Hash>> = all
            .iter()
            .map(|text| terms::of_text(text).iter().map(|term| hash(term)).collect())
            .collect();
        let weight = |term: Hash| {
            let with = all
                .iter()
                .filter(|terms| terms.contains(&term))
                .count()
                .max(1);
            let total = all.len().max(1);
            let share = total as f64 / with as f64;
            ((1.0 + share).ln() / (1.0 + total as f64).ln()) as f32
        };
        let mut found = HashSet::new();
        let fresh = terms::of_text(solution).into_iter().map(|term| hash(&term));
        let fresh = fresh.filter(|term| !knows(*term) && found.insert(*term));
        let lines = commands_in(solution).into_iter();
        let lines = lines.flat_map(|line| super::command::pieces(&line));
        let lines = lines.map(|line| hash(&line)).filter(|line| !knows(*line));
        let mut seen = HashSet::new();
        Self {
            id: id.to_owned(),
            server: server.map(str::to_owned),
            terms: fresh
                .take(MAX_TERMS)
                .map(|term| (term, weight(term), false))
                .collect(),
            lines: lines
                .filter(|line| seen.insert(*line))
                .take(MAX_LINES)
                .map(|line| (line, false))
                .collect(),
            failures_after: 0,
        }
    }

    /// Records what the agent ran or wrote after the recall.
    pub(super) fn use_terms(&mut self, done: &HashSet<Hash>) {
        for (term, _, is_used) in &mut self.terms {
            *is_used |= done.contains(term);
        }
        for (line, is_run) in &mut self.lines {
            *is_run |= done.contains(line);
        }
    }

    /// Counts that the error came back. Returns whether that is what tells that the record did not help.
    pub(super) fn fails_again(&mut self) -> bool {
        if self.is_adopted() {
            self.failures_after = self.failures_after.saturating_add(1);
        }
        self.is_adopted() && self.failures_after == FAILURES_AFTER
    }

    /// Returns what came of it, for a report.
    pub(super) fn seen(&self, outcome: OutcomeKind, recall_id: Option<&String>) -> Seen {
        Seen {
            id: self.id.clone(),
            server: self.server.clone(),
            outcome,
            recall_id: recall_id.cloned(),
        }
    }

    /// Returns the share of what it brought that was used. *Range*: 0–1.
    fn credit(&self) -> f64 {
        let sum = |all: bool| {
            let counted = self.terms.iter().filter(|(_, _, is_used)| all || *is_used);
            counted
                .map(|(_, weight, _)| f64::from(*weight))
                .sum::<f64>()
        };
        let total = sum(true);
        match total > 0.0 {
            true => sum(false) / total,
            false => 0.0,
        }
    }

    fn lines_run(&self) -> usize {
        self.lines.iter().filter(|(_, is_run)| *is_run).count()
    }

    /// Returns whether enough of it was used to say that it was used at all.
    fn is_adopted(&self) -> bool {
        let terms = self.terms.iter().filter(|(_, _, is_used)| *is_used).count();
        self.credit() >= MIN_CREDIT && (terms >= MIN_TERMS || self.lines_run() > 0)
    }

    /// Returns whether it was used as it stands.
    fn is_whole(&self) -> bool {
        let all = self.lines.len();
        all > 0 && self.lines_run() as f64 >= WHOLE * all as f64
    }
}

/// Returns the hashes of the terms and the command lines of what an agent ran or wrote.
pub(super) fn hashes(text: &str) -> HashSet<Hash> {
    let terms = terms::of_code(text).into_iter();
    let lines = super::command::pieces(text).into_iter();
    terms.chain(lines).map(|text| hash(&text)).collect()
}

/// Returns the only record that was clearly used when the command worked again, and what came of it; usually there is none.
pub(super) fn helped(candidates: &[Candidate]) -> Option<(&Candidate, OutcomeKind)> {
    let mut ranked: Vec<&Candidate> = candidates.iter().collect();
    ranked.sort_by(|a, b| b.credit().total_cmp(&a.credit()));
    let best = *ranked.first().filter(|best| best.is_adopted())?;
    let next = ranked.get(1).map_or(0.0, |next| next.credit());
    let is_ahead = best.credit() - next >= MIN_LEAD;
    let outcome = match best.is_whole() {
        true => OutcomeKind::Worked,
        false => OutcomeKind::WorkedWithChanges,
    };
    is_ahead.then_some((best, outcome))
}
