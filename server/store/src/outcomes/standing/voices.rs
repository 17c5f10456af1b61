//! Computes the voices of principals about an experience from its outcomes.

use std::collections::BTreeMap;

use jiff::Timestamp;
use recall_kit_shared_types::outcomes::{Evidence, OutcomeKind};

use super::{HALF_LIFE_DAYS, STRONG_TIER};
use crate::{OUTCOMES_OF_VOICE_MAX, StoredOutcome, VoiceWeights};

/// The evidence of a voice that is neither a person's nor seen by both the agent and the program.
const WEAKER_EVIDENCE: f64 = 0.5;
/// The least weight of the strong voices of others with whom a voice can agree: one agent's report in 180 days.
const AGREEING_WEIGHT: f64 = 0.25;
const MICROS_PER_DAY: f64 = 86_400.0 * 1e6;

/// One principal's voice about one experience.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Voice {
    /// 0–1: what it says.
    pub(super) verdict: f64,
    /// Its weight.
    pub(super) weight: f64,
    /// Whether its tier is at least [`STRONG_TIER`].
    pub(super) is_strong: bool,
}

impl Voice {
    /// Returns its weight for the experience.
    pub(super) fn for_it(&self) -> f64 {
        self.weight * self.verdict
    }

    /// Returns its weight against the experience.
    pub(super) fn against(&self) -> f64 {
        self.weight * (1.0 - self.verdict)
    }
}

/// The reports of a principal.
#[derive(Default)]
struct Reports {
    sum: f64,
    weight: f64,
    /// The decay and the tier of the last one.
    last: (f64, f64),
    has_person: bool,
    /// Of agents' own reports and of observed ones: the sums of the verdicts, and how many there are.
    agent: (f64, u32),
    observed: (f64, u32),
}

impl Reports {
    fn voice(&self) -> Voice {
        let side = |(sum, count): (f64, u32)| (count > 0).then(|| sum / f64::from(count) >= 0.5);
        let is_confirmed = match (side(self.agent), side(self.observed)) {
            (Some(agent), Some(observed)) => agent == observed,
            _ => false,
        };
        let evidence = match self.has_person || is_confirmed {
            true => 1.0,
            false => WEAKER_EVIDENCE,
        };
        let (decay, tier) = self.last;
        Voice {
            // So many changes of the solution that nothing is left of the reports say nothing either way.
            verdict: match self.weight > 0.0 {
                true => self.sum / self.weight,
                false => 0.5,
            },
            weight: tier * evidence * decay,
            is_strong: tier >= STRONG_TIER,
        }
    }
}

/// Returns the voices by principal: each of its last [`OUTCOMES_OF_VOICE_MAX`] reports. Principals who only said that
/// the problem was another one have none. `outcomes` are sorted by time.
pub(super) fn voices(outcomes: &[StoredOutcome], as_of: Timestamp) -> BTreeMap<&str, Voice> {
    let mut changes_after = outcomes.iter().filter(|one| one.report.is_none()).count();
    let mut left: BTreeMap<&str, u32> = BTreeMap::new();
    for report in outcomes.iter().filter_map(|one| one.report.as_ref()) {
        *left.entry(&report.principal).or_default() += 1;
    }
    let mut by_principal: BTreeMap<&str, Reports> = BTreeMap::new();
    for outcome in outcomes {
        let Some(report) = &outcome.report else {
            changes_after -= 1;
            continue;
        };
        let left = left.entry(&report.principal).or_default();
        *left = left.saturating_sub(1);
        let Some(verdict) = verdict(report.kind) else {
            continue;
        };
        if *left >= OUTCOMES_OF_VOICE_MAX {
            continue;
        }
        let changes = i32::try_from(changes_after).unwrap_or(i32::MAX);
        let decay = decay(outcome.at, as_of) * 0.5_f64.powi(changes);
        let reports = by_principal.entry(&report.principal).or_default();
        reports.sum += decay * verdict;
        reports.weight += decay;
        reports.last = (decay, report.tier.clamp(0.0, 1.0));
        match report.evidence {
            Evidence::Person => reports.has_person = true,
            Evidence::Agent => reports.agent = (reports.agent.0 + verdict, reports.agent.1 + 1),
            Evidence::Observed => {
                reports.observed = (reports.observed.0 + verdict, reports.observed.1 + 1);
            }
        }
    }
    let voices = by_principal.iter();
    voices
        .map(|(principal, reports)| (*principal, reports.voice()))
        .collect()
}

/// Whether the voice of a principal has the same direction as the strong voices of others together, which must have some
/// weight; new keys cannot make each other known. `outcomes` are those of the principal and the changes of the solution.
pub(crate) fn agrees(principal: &str, outcomes: &[StoredOutcome], all: &VoiceWeights) -> bool {
    let Some(own) = voices(outcomes, all.as_of).remove(principal) else {
        return false;
    };
    let mut others = *all;
    if own.is_strong {
        others.change(own, -1.0);
    }
    let others = others.strong;
    let weight = others.for_it + others.against;
    weight >= AGREEING_WEIGHT && (others.for_it >= others.against) == (own.verdict >= 0.5)
}

/// Returns what a report says, 0–1; `None` if it says nothing about the solution.
pub(super) fn verdict(kind: OutcomeKind) -> Option<f64> {
    match kind {
        OutcomeKind::Worked => Some(1.0),
        OutcomeKind::WorkedWithChanges => Some(0.75),
        OutcomeKind::DidNotWork => Some(0.0),
        OutcomeKind::NotApplicable => None,
    }
}

/// Returns what is left of a weight after some time; all of it if the clock was set back.
pub(super) fn decay(from: Timestamp, to: Timestamp) -> f64 {
    let micros = to
        .as_microsecond()
        .saturating_sub(from.as_microsecond())
        .max(0);
    (-(micros as f64) / MICROS_PER_DAY / HALF_LIFE_DAYS).exp2()
}
