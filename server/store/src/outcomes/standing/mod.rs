//! Computes the standing of an experience from its outcomes.
//!
//! A principal is one voice, however often it reports: its verdict is the mean of its last reports, in which a report
//! counts half as much for every 180 days of age. The weight of a voice is its tier times its evidence; it halves with
//! age in the same way, from the voice's last report, and with every later change of the solution.
//!
//! Weights only ever shrink by factors that all voices share, so that a sum of weights can be kept: a report changes it
//! by the difference that it makes to one voice.

mod voices;

use jiff::{SignedDuration, Timestamp};
use recall_kit_shared_types::outcomes::{OutcomeKind, StandingState};
use uuid::Uuid;

pub(crate) use self::voices::agrees;
use self::voices::{Voice, decay, verdict, voices};
use super::{GroupWeights, LastVerdicts, OutcomeStanding, Report, StoredOutcome, VoiceWeights};

/// The days in which the weight of a report halves, and after which an experience that nobody confirmed is ageing.
const HALF_LIFE_DAYS: f64 = 180.0;
/// The tier from which a voice is strong.
const STRONG_TIER: f64 = 0.5;
/// The most that all weak voices together weigh: as much as one report.
const WEAK_MOST: f64 = 1.0;
/// How far reports may be ahead of the time at which a standing is changed by a difference.
const AHEAD_MOST: SignedDuration = SignedDuration::from_hours(24);
/// The least share of the weight that both sides of a contested experience have.
const CONTESTED_SHARE: f64 = 0.25;

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
    let mut standing = OutcomeStanding::empty(experience, last_at.min(now));
    for (at, report) in reports() {
        standing.count(at, report);
    }
    for voice in voices(outcomes, standing.weights.as_of).into_values() {
        standing.add(voice);
    }
    Some(standing)
}

impl OutcomeStanding {
    /// Returns the standing of an experience without outcomes.
    pub(crate) fn empty(experience: Uuid, as_of: Timestamp) -> Self {
        Self {
            experience,
            worked: 0,
            worked_with_changes: 0,
            did_not_work: 0,
            voices: 0,
            strong_voices: 0,
            weights: VoiceWeights {
                strong: GroupWeights::default(),
                weak: GroupWeights::default(),
                as_of,
            },
            last_at: as_of,
            last: LastVerdicts::default(),
            last_strong: LastVerdicts::default(),
            revision: 0,
        }
    }

    /// Whether [`OutcomeStanding::with`] can be used for an outcome that is stored at a time. Otherwise the standing is
    /// computed from all outcomes: reports of a clock that was far ahead must not make all others old, and a change of
    /// the solution halves only what was said before it.
    pub(crate) fn takes(&self, new: &StoredOutcome, now: Timestamp) -> bool {
        let as_of = self.weights.as_of;
        match new.report {
            Some(_) => self.last_at <= as_of && as_of.max(new.at).duration_since(now) <= AHEAD_MOST,
            None => self.last_at < new.at,
        }
    }

    /// Returns the standing with one more outcome that it [takes](Self::takes). `own` are the earlier reports of its
    /// principal and the changes of the solution, sorted by time; a change needs none.
    pub(crate) fn with(mut self, own: &[StoredOutcome], new: &StoredOutcome) -> Self {
        let Some(report) = &new.report else {
            // A change of the solution halves the voices before it.
            self.weights.scale(0.5);
            return self;
        };
        self.count(new.at, report);
        let as_of = self.weights.as_of.max(new.at);
        self.weights.decay_to(as_of);
        let place = own.partition_point(|one| (one.at, one.id) <= (new.at, new.id));
        let (earlier, later) = own.split_at(place);
        let after = [earlier, std::slice::from_ref(new), later].concat();
        let mut voice_of = |outcomes: &[StoredOutcome], change: fn(&mut Self, Voice)| {
            if let Some(voice) = voices(outcomes, as_of).remove(report.principal.as_str()) {
                change(&mut self, voice);
            }
        };
        voice_of(own, Self::remove);
        voice_of(&after, Self::add);
        self
    }

    /// Counts a report.
    fn count(&mut self, at: Timestamp, report: &Report) {
        self.last_at = self.last_at.max(at);
        match report.kind {
            OutcomeKind::Worked => self.worked += 1,
            OutcomeKind::WorkedWithChanges => self.worked_with_changes += 1,
            OutcomeKind::DidNotWork => self.did_not_work += 1,
            OutcomeKind::NotApplicable => return,
        }
        self.last.note(at, report.kind);
        if report.tier >= STRONG_TIER {
            self.last_strong.note(at, report.kind);
        }
    }

    fn add(&mut self, voice: Voice) {
        self.voices += 1;
        self.strong_voices += u64::from(voice.is_strong);
        self.weights.change(voice, 1.0);
    }

    fn remove(&mut self, voice: Voice) {
        self.voices = self.voices.saturating_sub(1);
        let strong = u64::from(voice.is_strong);
        self.strong_voices = self.strong_voices.saturating_sub(strong);
        self.weights.change(voice, -1.0);
    }

    /// Returns the word for the standing at a time. As soon as there are strong voices, only they say whether it is
    /// ageing or stale; others could keep it fresh or make it stale at will.
    pub fn state(&self, now: Timestamp) -> StandingState {
        let last = match self.last_strong.is_empty() {
            true => self.last,
            false => self.last_strong,
        };
        match last.state(now) {
            StandingState::Fresh if self.weights.are_divided(now) => StandingState::Contested,
            state => state,
        }
    }
}

impl LastVerdicts {
    fn note(&mut self, at: Timestamp, kind: OutcomeKind) {
        let last = match kind {
            OutcomeKind::Worked | OutcomeKind::WorkedWithChanges => &mut self.worked_at,
            OutcomeKind::DidNotWork => &mut self.failed_at,
            OutcomeKind::NotApplicable => return,
        };
        *last = (*last).max(Some(at));
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.worked_at.max(self.failed_at).is_none()
    }

    /// Returns the word for them at a time, as if all voices agreed.
    pub fn state(&self, now: Timestamp) -> StandingState {
        let is_old = |at: Timestamp| now.duration_since(at) >= half_life();
        let has_failed_since = self.failed_at > self.worked_at;
        match (self.worked_at, self.failed_at) {
            (None, None) => StandingState::New,
            (Some(worked), _) if is_old(worked) && has_failed_since => StandingState::Stale,
            (Some(worked), _) if is_old(worked) => StandingState::Ageing,
            (None, Some(failed)) if is_old(failed) => StandingState::Ageing,
            _ => StandingState::Fresh,
        }
    }
}

fn half_life() -> SignedDuration {
    SignedDuration::from_secs_f64(HALF_LIFE_DAYS * 86_400.0)
}

impl VoiceWeights {
    /// Returns the weights for and against the experience at a time. All weak voices together weigh at most as much as
    /// one report of that time, however many there were.
    pub fn at(&self, now: Timestamp) -> (f64, f64) {
        let limited = self.limited(now);
        (limited.for_it, limited.against)
    }

    /// Whether the lighter side has a good part of the weight at a time. Voices without weight divide nobody.
    pub fn are_divided(&self, now: Timestamp) -> bool {
        let all = self.limited(now);
        let (total, no) = (all.for_it + all.against, all.no);
        total > 0.0 && no.min(total - no) >= CONTESTED_SHARE * total
    }

    fn limited(&self, now: Timestamp) -> GroupWeights {
        let left = decay(self.as_of, now);
        let weak = left * (self.weak.for_it + self.weak.against);
        let share = match weak > WEAK_MOST {
            true => left * WEAK_MOST / weak,
            false => left,
        };
        GroupWeights {
            for_it: left * self.strong.for_it + share * self.weak.for_it,
            against: left * self.strong.against + share * self.weak.against,
            no: left * self.strong.no + share * self.weak.no,
        }
    }

    fn decay_to(&mut self, time: Timestamp) {
        self.scale(decay(self.as_of, time));
        self.as_of = time;
    }

    fn scale(&mut self, factor: f64) {
        for group in [&mut self.strong, &mut self.weak] {
            group.for_it *= factor;
            group.against *= factor;
            group.no *= factor;
        }
    }

    /// Adds a voice, or removes it with the sign -1.
    fn change(&mut self, voice: Voice, sign: f64) {
        let group = match voice.is_strong {
            true => &mut self.strong,
            false => &mut self.weak,
        };
        let no = match voice.verdict < 0.5 {
            true => voice.weight,
            false => 0.0,
        };
        // What rounding leaves of a removed voice must not become negative.
        group.for_it = (group.for_it + sign * voice.for_it()).max(0.0);
        group.against = (group.against + sign * voice.against()).max(0.0);
        group.no = (group.no + sign * no).max(0.0);
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
