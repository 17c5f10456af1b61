//! Whether what the agent did after a recall is what a record advises: the share of the record's rare terms that occur
//! in the agent's commands and edits after the recall and did not occur before it.

mod terms;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use recall_kit_client::{applicability::Environment, commands_in, outcomes::OutcomeKind};
use serde::{Deserialize, Serialize};

use super::hash::{Hash, Hasher};

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
    /// The environment in which the command failed, if it is known.
    pub(super) environment: Option<Environment>,
}

/// How something was used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) enum Use {
    #[default]
    #[serde(rename = "0")]
    None,
    /// By a command that failed.
    #[serde(rename = "1")]
    Tried,
    /// By a command that worked, or in a file.
    #[serde(rename = "2")]
    Done,
}

/// A part of a record's solution. There are many of them, so that their form in a file is short.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "(Hash, f32, Use)", into = "(Hash, f32, Use)")]
struct Part {
    hash: Hash,
    /// How much it tells.
    weight: f32,
    /// How it was used since the error came back last.
    used: Use,
}

impl From<(Hash, f32, Use)> for Part {
    fn from((hash, weight, used): (Hash, f32, Use)) -> Self {
        Self { hash, weight, used }
    }
}

impl From<Part> for (Hash, f32, Use) {
    fn from(part: Part) -> Self {
        (part.hash, part.weight, part.used)
    }
}

/// A record that was shown, and how much of it was used.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Candidate {
    pub(super) id: String,
    /// The name of the server that it is from, if there are several.
    pub(super) server: Option<String>,
    /// The server's id of the recall that it is from, if it has one.
    pub(super) recall_id: Option<String>,
    /// The terms that only it brought.
    terms: Vec<Part>,
    /// Its command lines.
    lines: Vec<Part>,
    /// Whether it was used at any time.
    was_adopted: bool,
    /// How often the error came back after it had been used.
    failures_after: u32,
}

impl Candidate {
    /// Creates a candidate of a record's solution. Terms that several of the solutions have tell less.
    fn of(
        hasher: &Hasher,
        id: &str,
        server: Option<&str>,
        solution: &str,
        all: &[HashSet<Hash>],
    ) -> Self {
        let weight = |term: Hash| {
            let with = all.iter().filter(|terms| terms.contains(&term));
            let with = with.count().max(1);
            let total = all.len().max(1);
            let share = total as f64 / with as f64;
            let weight = (1.0 + share).ln() / (1.0 + total as f64).ln();
            // Two digits are enough, and short in a file.
            ((weight * 100.0).round() / 100.0) as f32
        };
        let part = |hash: Hash, weight: f32| Part {
            hash,
            weight,
            used: Use::None,
        };
        let terms = terms::of_text(solution).into_iter();
        let terms = terms.map(|term| hasher.hash(&term));
        let lines = commands_in(solution).into_iter();
        let lines = lines.flat_map(|line| super::command::pieces(&line));
        let lines = lines.map(|line| hasher.hash(&line));
        let [mut seen_terms, mut seen_lines] = [HashSet::new(), HashSet::new()];
        Self {
            id: id.to_owned(),
            server: server.map(str::to_owned),
            terms: terms
                .filter(|term| seen_terms.insert(*term))
                .map(|term| part(term, weight(term)))
                .collect(),
            lines: lines
                .filter(|line| seen_lines.insert(*line))
                .map(|line| part(line, 1.0))
                .collect(),
            ..Self::default()
        }
    }

    /// Removes what was known before and so tells nothing, and what is too much.
    pub(super) fn forget(&mut self, known: &HashSet<Hash>) {
        for (parts, max) in [(&mut self.terms, MAX_TERMS), (&mut self.lines, MAX_LINES)] {
            parts.retain(|part| !known.contains(&part.hash));
            parts.truncate(max);
        }
    }

    /// Records what the agent ran or wrote after the recall.
    pub(super) fn use_terms(&mut self, done: &HashSet<Hash>, how: Use) {
        for part in self.terms.iter_mut().chain(&mut self.lines) {
            if done.contains(&part.hash) {
                part.used = part.used.max(how);
            }
        }
    }

    /// Records that the error came back. What was used until now did not help, so only what is used from now on can.
    /// Returns whether that is what tells that the record did not help.
    pub(super) fn fails_again(&mut self) -> bool {
        let is_adopted = self.is_adopted(Use::Tried);
        if is_adopted {
            self.was_adopted = true;
            for part in self.terms.iter_mut().chain(&mut self.lines) {
                part.used = Use::None;
            }
        }
        if self.was_adopted {
            self.failures_after = self.failures_after.saturating_add(1);
        }
        self.was_adopted && self.failures_after == FAILURES_AFTER
    }

    /// Returns what came of it, for a report.
    pub(super) fn seen(&self, outcome: OutcomeKind) -> Seen {
        Seen {
            id: self.id.clone(),
            server: self.server.clone(),
            outcome,
            recall_id: self.recall_id.clone(),
            environment: None,
        }
    }

    /// Returns the share of what it brought that was used, in this way or a better one. *Range*: 0–1.
    fn credit(&self, how: Use) -> f64 {
        let sum = |parts: &mut dyn Iterator<Item = &Part>| -> f64 {
            parts.map(|part| f64::from(part.weight)).sum()
        };
        let total = sum(&mut self.terms.iter());
        match total > 0.0 {
            true => sum(&mut used(&self.terms, how)) / total,
            false => 0.0,
        }
    }

    /// Returns whether enough of it was used to say that it was used at all.
    fn is_adopted(&self, how: Use) -> bool {
        let is_clear =
            used(&self.terms, how).count() >= MIN_TERMS || used(&self.lines, how).count() > 0;
        self.credit(how) >= MIN_CREDIT && is_clear
    }

    /// Returns whether anything of it was used.
    pub(super) fn is_used(&self) -> bool {
        let mut parts = self.terms.iter().chain(&self.lines);
        self.was_adopted || parts.any(|part| part.used > Use::None)
    }

    /// Returns whether it was used as it stands.
    fn is_whole(&self) -> bool {
        let all = self.lines.len();
        let run = used(&self.lines, Use::Done).count();
        all > 0 && run as f64 >= WHOLE * all as f64
    }
}

fn used(parts: &[Part], how: Use) -> impl Iterator<Item = &Part> {
    parts.iter().filter(move |part| part.used >= how)
}

/// Returns the candidates of records: their ids, servers and solutions.
pub(super) fn candidates(
    hasher: &Hasher,
    records: &[(&str, Option<&str>, String)],
) -> Vec<Candidate> {
    let hashed = |text: &str| {
        terms::of_text(text)
            .iter()
            .map(|term| hasher.hash(term))
            .collect()
    };
    let all: Vec<HashSet<Hash>> = records.iter().map(|(_, _, text)| hashed(text)).collect();
    let candidates = records.iter();
    candidates
        .map(|(id, server, solution)| Candidate::of(hasher, id, *server, solution, &all))
        .collect()
}

/// Returns the hashes of the terms and the command lines of what an agent ran or wrote.
pub(super) fn hashes(hasher: &Hasher, text: &str) -> HashSet<Hash> {
    let terms = terms::of_code(text).into_iter();
    let lines = super::command::pieces(text).into_iter();
    terms.chain(lines).map(|text| hasher.hash(&text)).collect()
}

/// Returns the only record that was clearly used when the command worked again, and what came of it; usually there is
/// none.
pub(super) fn helped(candidates: &[Candidate]) -> Option<(&Candidate, OutcomeKind)> {
    let mut ranked: Vec<&Candidate> = candidates.iter().collect();
    let credit = |candidate: &Candidate| candidate.credit(Use::Done);
    ranked.sort_by(|a, b| credit(b).total_cmp(&credit(a)));
    let best = *ranked.first().filter(|best| best.is_adopted(Use::Done))?;
    let next = ranked.get(1).map_or(0.0, |next| credit(next));
    let is_ahead = credit(best) - next >= MIN_LEAD;
    let outcome = match best.is_whole() {
        true => OutcomeKind::Worked,
        false => OutcomeKind::WorkedWithChanges,
    };
    is_ahead.then_some((best, outcome))
}
