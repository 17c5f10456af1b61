//! Computes the standing of an experience from its outcomes.
//!
//! A principal is one voice, however often it reports: its verdict is the mean of its reports, in which a report counts
//! half as much for every 180 days of age. The weight of a voice is its tier times its evidence; it halves with age in
//! the same way, from the voice's last report, and with every later change of the solution.

use std::collections::BTreeMap;

use jiff::Timestamp;
use recall_kit_shared_types::outcomes::{Evidence, OutcomeKind, StandingState};
use uuid::Uuid;

use super::{OutcomeStanding, Report, StoredOutcome, VoiceWeights};

/// The time in which the weight of a report halves, and after which an experience that nobody confirmed is ageing.
pub const HALF_LIFE_DAYS: f64 = 180.0;
/// The tier from which a voice is strong.
pub(crate) const STRONG_TIER: f64 = 0.5;
/// The most that all weak voices together weigh: as much as one report.
const WEAK_MOST: f64 = 1.0;
/// The evidence of a voice that is neither a person's nor seen by both the agent and the program.
const WEAKER_EVIDENCE: f64 = 0.5;
/// The least share of the weight that both sides of a contested experience have.
const CONTESTED_SHARE: f64 = 0.25;
/// The least weight of the others with whom a voice can agree.
const AGREEING_WEIGHT: f64 = 0.5;
const MICROS_PER_DAY: f64 = 86_400.0 * 1e6;

/// One principal's voice about one experience.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Voice {
    /// 0–1: what it says.
    verdict: f64,
    /// Its weight.
    weight: f64,
    is_strong: bool,
}

/// Computes the standing of an experience from its outcomes, which are sorted by time; `None` without a report.
pub fn standing_of(
    experience: Uuid,
    outcomes: &[StoredOutcome],
    now: Timestamp,
) -> Option<OutcomeStanding> {
    let reports = || {
        outcomes
            .iter()
            .filter_map(|one| Some((one.at, one.report.as_ref()?)))
    };
    let last_at = reports().map(|(at, _)| at).max()?;
    // A report of a clock that was ahead must not make all others old.
    let as_of = last_at.min(now);
    let count = |kind| reports().filter(|(_, report)| report.kind == kind).count() as u64;
    let last = |is_wanted: fn(OutcomeKind) -> bool| {
        let wanted = reports().filter(|(_, report)| is_wanted(report.kind));
        wanted.map(|(at, _)| at).max()
    };
    let voices: Vec<Voice> = voices(outcomes, as_of).into_values().collect();
    Some(OutcomeStanding {
        experience,
        worked: count(OutcomeKind::Worked),
        worked_with_changes: count(OutcomeKind::WorkedWithChanges),
        did_not_work: count(OutcomeKind::DidNotWork),
        voices: voices.len() as u64,
        is_contested: are_divided(&voices),
        weights: VoiceWeights::of(&voices, as_of),
        last_at,
        last_worked_at: last(|kind| verdict(kind).is_some_and(|verdict| verdict >= 0.5)),
        last_failed_at: last(|kind| kind == OutcomeKind::DidNotWork),
    })
}

/// Whether the voice of a principal has the same direction as all other voices together, which must have some weight.
/// `outcomes` are those of the principal and the changes of the solution.
pub(crate) fn agrees(principal: &str, outcomes: &[StoredOutcome], all: &VoiceWeights) -> bool {
    let Some(own) = voices(outcomes, all.as_of).remove(principal) else {
        return false;
    };
    let others = all.without(&own).limited();
    let weight = others.0 + others.1;
    weight >= AGREEING_WEIGHT && (others.0 >= others.1) == (own.verdict >= 0.5)
}

/// Returns the voices by principal. Principals who only said that the problem was another one have none.
fn voices(outcomes: &[StoredOutcome], as_of: Timestamp) -> BTreeMap<&str, Voice> {
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
    let mut changes_after = outcomes.iter().filter(|one| one.report.is_none()).count();
    let mut by_principal: BTreeMap<&str, Reports> = BTreeMap::new();
    for outcome in outcomes {
        let Some(report) = &outcome.report else {
            changes_after -= 1;
            continue;
        };
        let Some(verdict) = verdict(report.kind) else {
            continue;
        };
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
    let voice = |reports: Reports| {
        let side = |(sum, count): (f64, u32)| (count > 0).then(|| sum / f64::from(count) >= 0.5);
        let is_confirmed = match (side(reports.agent), side(reports.observed)) {
            (Some(agent), Some(observed)) => agent == observed,
            _ => false,
        };
        let evidence = match reports.has_person || is_confirmed {
            true => 1.0,
            false => WEAKER_EVIDENCE,
        };
        let (decay, tier) = reports.last;
        Voice {
            // So many changes of the solution that nothing is left of the reports say nothing either way.
            verdict: match reports.weight > 0.0 {
                true => reports.sum / reports.weight,
                false => 0.5,
            },
            weight: tier * evidence * decay,
            is_strong: tier >= STRONG_TIER,
        }
    };
    let voices = by_principal.into_iter();
    voices
        .map(|(principal, reports)| (principal, voice(reports)))
        .collect()
}

/// Returns what a report says, 0–1; `None` if it says nothing about the solution.
fn verdict(kind: OutcomeKind) -> Option<f64> {
    match kind {
        OutcomeKind::Worked => Some(1.0),
        OutcomeKind::WorkedWithChanges => Some(0.75),
        OutcomeKind::DidNotWork => Some(0.0),
        OutcomeKind::NotApplicable => None,
    }
}

/// Returns what is left of a weight after some time; all of it if the clock was set back.
fn decay(from: Timestamp, to: Timestamp) -> f64 {
    let micros = to
        .as_microsecond()
        .saturating_sub(from.as_microsecond())
        .max(0);
    (-(micros as f64) / MICROS_PER_DAY / HALF_LIFE_DAYS).exp2()
}

/// Whether the lighter side has a good part of the weight. If no voice has any weight, their numbers decide.
fn are_divided(voices: &[Voice]) -> bool {
    let sides = |weight: fn(&Voice) -> f64| {
        let side = |is_for| {
            let side = voices
                .iter()
                .filter(|voice| (voice.verdict >= 0.5) == is_for);
            side.map(weight).sum::<f64>()
        };
        (side(true), side(false))
    };
    let (a, b) = match sides(|voice| voice.weight) {
        (a, b) if a + b > 0.0 => (a, b),
        _ => sides(|_| 1.0),
    };
    a + b > 0.0 && a.min(b) >= CONTESTED_SHARE * (a + b)
}

impl Voice {
    /// Returns its weight for the experience.
    fn for_it(&self) -> f64 {
        self.weight * self.verdict
    }

    /// Returns its weight against the experience.
    fn against(&self) -> f64 {
        self.weight * (1.0 - self.verdict)
    }
}

impl VoiceWeights {
    fn of(voices: &[Voice], as_of: Timestamp) -> Self {
        let sum = |is_strong, of: fn(&Voice) -> f64| {
            let voices = voices.iter().filter(|voice| voice.is_strong == is_strong);
            voices.map(of).sum::<f64>()
        };
        Self {
            strong_for: sum(true, Voice::for_it),
            strong_against: sum(true, Voice::against),
            weak_for: sum(false, Voice::for_it),
            weak_against: sum(false, Voice::against),
            as_of,
        }
    }

    /// Returns the weights for and against the experience, with all weak voices together weighing at most as much as
    /// one report.
    pub fn limited(&self) -> (f64, f64) {
        let weak = self.weak_for + self.weak_against;
        let share = if weak > WEAK_MOST {
            WEAK_MOST / weak
        } else {
            1.0
        };
        (
            self.strong_for + share * self.weak_for,
            self.strong_against + share * self.weak_against,
        )
    }

    /// Returns what is left of the weights at a later time, as a factor.
    pub fn decay(&self, now: Timestamp) -> f64 {
        decay(self.as_of, now)
    }

    fn without(mut self, voice: &Voice) -> Self {
        let (for_it, against) = match voice.is_strong {
            true => (&mut self.strong_for, &mut self.strong_against),
            false => (&mut self.weak_for, &mut self.weak_against),
        };
        *for_it = (*for_it - voice.for_it()).max(0.0);
        *against = (*against - voice.against()).max(0.0);
        self
    }
}

impl OutcomeStanding {
    /// Returns the word for the standing at a time.
    pub fn state(&self, now: Timestamp) -> StandingState {
        let is_old = |at: Timestamp| decay(at, now) <= 0.5;
        let last_verdict = self.last_worked_at.max(self.last_failed_at);
        let Some(last_verdict) = last_verdict else {
            return StandingState::New;
        };
        let has_failed_since = self.last_failed_at > self.last_worked_at;
        match self.last_worked_at {
            Some(worked) if is_old(worked) && has_failed_since => StandingState::Stale,
            Some(worked) if is_old(worked) => StandingState::Ageing,
            None if is_old(last_verdict) => StandingState::Ageing,
            _ if self.is_contested => StandingState::Contested,
            _ => StandingState::Fresh,
        }
    }
}

impl Report {
    /// Whether the report can move the experience among other results.
    pub fn counts(&self) -> bool {
        self.tier > 0.0 && verdict(self.kind).is_some()
    }
}

#[cfg(test)]
mod tests;
