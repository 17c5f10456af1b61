//! A store of experiences that solve their problem more or less often, and the reports of honest principals.

use jiff::{SignedDuration, Timestamp};
use recall_kit_core::indexing::standings::Standings;
use recall_kit_search::placed;
use recall_kit_shared_types::outcomes::{Evidence, OutcomeKind};
use recall_kit_store::{Report, StoredOutcome, standing_of};
use uuid::Uuid;

/// The number of experiences.
const EXPERIENCES: usize = 400;
/// The number of honest principals, all of them known keys.
pub(crate) const PRINCIPALS: u32 = 60;
/// The share of honest reports that are wrong.
const WRONG: f64 = 0.1;
/// The relevance of every experience, as far as it is the same.
const RELEVANCE: f64 = 0.8;
/// The standard deviation of the relevance where it differs.
const DEVIATION: f64 = 0.05;
/// How many of the worst experiences an attack lifts.
const LIFTED: usize = 20;
/// The quality from which an experience is good: it solves the problem more often than not.
const GOOD: f64 = 0.5;

/// How experiences are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// As the program does among equally relevant experiences.
    Outcomes,
    /// As the program does among experiences whose relevance differs by chance.
    Differing,
    /// By the lower Wilson bound of the share of reports that say it worked; every report counts.
    Wilson,
    /// By a confidence, 0–1, that each confirmation raises by 0.1 and each complaint lowers by 0.15.
    Confirmations,
}

impl Rule {
    pub(crate) const ALL: [Self; 4] = [
        Self::Outcomes,
        Self::Differing,
        Self::Wilson,
        Self::Confirmations,
    ];
}

/// An experience with its outcomes, in the order of time.
#[derive(Debug, Clone)]
pub(crate) struct Experience {
    /// 0–1: how often it solves the problem.
    pub(crate) quality: f64,
    /// How relevant it is to the query, where experiences differ in that.
    relevance: f64,
    pub(crate) outcomes: Vec<StoredOutcome>,
}

/// A store.
#[derive(Debug, Clone)]
pub(crate) struct World {
    /// The worst first.
    pub(crate) experiences: Vec<Experience>,
    /// The days in which the reports are made; the last one is today.
    pub(crate) days: f64,
}

impl World {
    /// Creates a store in which every honest principal has made so many reports in so many days.
    pub(crate) fn new(seed: u64, reports: u32, days: f64) -> Self {
        let mut dice = Dice::new(seed);
        let mut relevance_dice = Dice::new(!seed);
        let mut qualities: Vec<f64> = (0..EXPERIENCES).map(|_| dice.fraction()).collect();
        qualities.sort_by(f64::total_cmp);
        let experiences = qualities.into_iter().map(|quality| Experience {
            quality,
            relevance: RELEVANCE + DEVIATION * relevance_dice.normal(),
            outcomes: Vec::new(),
        });
        let mut experiences: Vec<Experience> = experiences.collect();
        for principal in 0..PRINCIPALS {
            for _ in 0..reports {
                let at = dice.below(experiences.len());
                let experience = &mut experiences[at];
                let is_wrong = dice.fraction() < WRONG;
                let worked = (dice.fraction() < experience.quality) != is_wrong;
                let evidence = match dice.below(2) {
                    0 => Evidence::Person,
                    _ => Evidence::Observed,
                };
                let day = dice.fraction() * days;
                let said = said(&format!("honest {principal}"), 1.0, evidence, worked, day);
                experience.outcomes.push(said);
            }
        }
        let mut world = Self { experiences, days };
        world.sort();
        world
    }

    /// Sorts the outcomes of each experience by time, as the store does.
    pub(crate) fn sort(&mut self) {
        for experience in &mut self.experiences {
            experience
                .outcomes
                .sort_by_key(|outcome| (outcome.at, outcome.id));
        }
    }

    /// Returns the places of the experiences that an attack lifts.
    pub(crate) fn lifted() -> std::ops::Range<usize> {
        0..LIFTED
    }

    /// Returns the places of the good experiences.
    pub(crate) fn good(&self) -> std::ops::Range<usize> {
        let first = self.experiences.iter().position(|one| one.quality >= GOOD);
        first.unwrap_or_default()..self.experiences.len()
    }

    pub(crate) fn qualities(&self) -> impl Iterator<Item = f64> {
        self.experiences.iter().map(|one| one.quality)
    }

    /// Returns the score by which a rule orders each experience.
    pub(crate) fn scores(&self, rule: Rule) -> Vec<f64> {
        let experiences = self.experiences.iter();
        match rule {
            Rule::Outcomes => self.by_outcomes(|_| RELEVANCE),
            Rule::Differing => self.by_outcomes(|experience| experience.relevance),
            Rule::Wilson => experiences.map(wilson).collect(),
            Rule::Confirmations => experiences.map(confidence).collect(),
        }
    }

    /// Returns the closeness to the most relevant experience by which the program places each of them.
    fn by_outcomes(&self, relevance: fn(&Experience) -> f64) -> Vec<f64> {
        let today = day(self.days);
        let standings = Standings::default();
        let ids = || (1..).map(Uuid::from_u128);
        for (id, experience) in ids().zip(&self.experiences) {
            if let Some(standing) = standing_of(id, &experience.outcomes, today) {
                standings.put(&standing);
            }
        }
        standings.fit(today);
        let relevances = self.experiences.iter().map(relevance);
        let first = relevances.fold(0.0, f64::max);
        let scores = ids().zip(&self.experiences).map(|(id, experience)| {
            let share = relevance(experience) / first;
            f64::from(placed(share as f32, standings.factor(id, today)))
        });
        scores.collect()
    }
}

/// Returns an outcome on a day.
pub(crate) fn said(
    principal: &str,
    tier: f64,
    evidence: Evidence,
    worked: bool,
    on: f64,
) -> StoredOutcome {
    StoredOutcome {
        report: Some(Report {
            kind: match worked {
                true => OutcomeKind::Worked,
                false => OutcomeKind::DidNotWork,
            },
            principal: principal.to_owned(),
            tier,
            evidence,
            recall_id: None,
            note: None,
            environment: None,
        }),
        ..solution_changed(on)
    }
}

/// Returns the note that the solution was changed on a day.
pub(crate) fn solution_changed(on: f64) -> StoredOutcome {
    StoredOutcome {
        id: Uuid::nil(),
        experience: Uuid::nil(),
        at: day(on),
        report: None,
    }
}

fn day(day: f64) -> Timestamp {
    let since = SignedDuration::from_secs_f64(day * 86_400.0);
    Timestamp::UNIX_EPOCH
        .saturating_add(since)
        .unwrap_or(Timestamp::MAX)
}

/// Returns the verdicts of an experience's reports.
fn verdicts(experience: &Experience) -> impl Iterator<Item = bool> {
    let reports = experience
        .outcomes
        .iter()
        .filter_map(|outcome| outcome.report.as_ref());
    reports.map(|report| report.kind == OutcomeKind::Worked)
}

/// Returns the lower bound of the 95 % interval. Source: Wilson 1927.
fn wilson(experience: &Experience) -> f64 {
    const Z: f64 = 1.96;
    let all = verdicts(experience).count() as f64;
    if all == 0.0 {
        return 0.0;
    }
    let share = verdicts(experience).filter(|worked| *worked).count() as f64 / all;
    let middle = share + Z * Z / (2.0 * all);
    let spread = Z * (share * (1.0 - share) / all + Z * Z / (4.0 * all * all)).sqrt();
    (middle - spread) / (1.0 + Z * Z / all)
}

fn confidence(experience: &Experience) -> f64 {
    verdicts(experience).fold(0.5, |confidence, worked| match worked {
        true => (confidence + 0.1_f64).min(1.0),
        false => (confidence - 0.15_f64).max(0.0),
    })
}

/// A random number generator (xorshift64*).
#[derive(Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Starts a sequence.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    /// Returns a number of 0–1.
    pub(crate) fn fraction(&mut self) -> f64 {
        self.next() as f64 / (1_u64 << 53) as f64
    }

    /// Returns a number of a standard normal distribution.
    fn normal(&mut self) -> f64 {
        let twelve: f64 = (0..12).map(|_| self.fraction()).sum();
        twelve - 6.0
    }

    /// Returns a number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        ((self.fraction() * limit as f64) as usize).min(limit - 1)
    }
}
