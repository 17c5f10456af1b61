//! What somebody may do to lift the worst experiences above good ones.

use std::cmp::Ordering;

use recall_kit_shared_types::outcomes::Evidence;

use crate::world::{Rule, World, said, solution_changed};

/// The keys that collude; known keys among the honest ones, which then say the opposite of the truth.
const COLLUDING: u32 = 5;
/// The tier of a new key.
const NEW: f64 = 0.1;
/// How many days the slow attack and the edits take.
const SLOW_DAYS: f64 = 90.0;
/// How old the keys of the slow attack are when they count in full.
const KNOWN_DAYS: f64 = 14.0;
/// The days between two edits of the solution.
const EDIT_EVERY: f64 = 10.0;

/// An attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attack {
    /// One known key reports two hundred times that they worked.
    OneKey,
    /// Fifty new keys report once each that they worked.
    NewKeys,
    /// Fifty callers without a key report that they worked.
    Anonymous,
    /// Five of the sixty known keys report that they worked.
    Collusion,
    /// Five keys behave well until they are known, then report in ninety days that they worked.
    SlowPoisoning,
    /// Five of the sixty known keys report that good experiences did not work.
    RivalsLowered,
    /// Their author changes the solutions again and again, so that earlier reports count less.
    Whitewashing,
}

impl Attack {
    pub(crate) const ALL: [Self; 7] = [
        Self::OneKey,
        Self::NewKeys,
        Self::Anonymous,
        Self::Collusion,
        Self::SlowPoisoning,
        Self::RivalsLowered,
        Self::Whitewashing,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::OneKey => "one key, 200 reports each",
            Self::NewKeys => "50 new keys",
            Self::Anonymous => "50 anonymous networks",
            Self::Collusion => "5 known keys of 60 collude",
            Self::SlowPoisoning => "90 days of slow poisoning",
            Self::RivalsLowered => "rivals lowered by 5 known keys",
            Self::Whitewashing => "whitewashing by 9 edits",
        }
    }

    fn on(self, world: &World) -> World {
        let mut world = world.clone();
        if matches!(self, Self::Collusion | Self::RivalsLowered) {
            silence_colluding(&mut world);
        }
        let places = match self {
            Self::RivalsLowered => world.rivals(),
            _ => World::lifted(),
        };
        for place in places {
            let outcomes = self.outcomes(world.days);
            world.experiences[place].outcomes.extend(outcomes);
        }
        world.sort();
        world
    }

    /// Returns the outcomes that the attack adds to each experience, the last ones today.
    fn outcomes(self, days: f64) -> Vec<recall_kit_store::StoredOutcome> {
        let each = |count: u32, tier: f64, worked: bool, day: &dyn Fn(u32) -> f64| {
            let by = |number: u32| {
                let name = format!("attacker {number}");
                said(&name, tier, Evidence::Person, worked, day(number))
            };
            (0..count).map(by).collect()
        };
        let today = |_: u32| days;
        match self {
            Self::OneKey => vec![said("attacker", 1.0, Evidence::Person, true, days); 200],
            Self::NewKeys => each(50, NEW, true, &today),
            Self::Anonymous => each(50, 0.0, true, &today),
            Self::Collusion => each(COLLUDING, 1.0, true, &today),
            Self::SlowPoisoning => {
                let slowly = |number: u32| {
                    let known = days - SLOW_DAYS + KNOWN_DAYS;
                    known + (SLOW_DAYS - KNOWN_DAYS) * f64::from(number) / f64::from(COLLUDING)
                };
                each(COLLUDING, 1.0, true, &slowly)
            }
            Self::RivalsLowered => each(COLLUDING, 1.0, false, &today),
            Self::Whitewashing => {
                let edits = (1..=9).map(|edit| days - SLOW_DAYS + EDIT_EVERY * f64::from(edit));
                edits.map(solution_changed).collect()
            }
        }
    }
}

/// Removes the honest reports of the keys that collude.
fn silence_colluding(world: &mut World) {
    let names: Vec<String> = (0..COLLUDING)
        .map(|number| format!("honest {number}"))
        .collect();
    for experience in &mut world.experiences {
        experience.outcomes.retain(|outcome| {
            let report = outcome.report.as_ref();
            report.is_none_or(|report| !names.contains(&report.principal))
        });
    }
}

impl World {
    /// Returns the places of the good experiences that an attack lowers: as many as it would lift.
    fn rivals(&self) -> std::ops::Range<usize> {
        let good = self.good();
        let middle = (good.start + good.end) / 2;
        middle..middle + Self::lifted().len()
    }
}

/// Returns the share of the pairs of a worthless and a good experience in which the worthless one comes first after an
/// attack.
pub(crate) fn above(world: &World, attack: Attack, rule: Rule) -> f64 {
    let attacked = attack.on(world);
    let scores = attacked.scores(rule);
    let good = match attack {
        Attack::RivalsLowered => attacked.rivals(),
        _ => attacked.good(),
    };
    let (mut above, mut pairs) = (0.0, 0.0);
    for lifted in World::lifted() {
        for place in good.clone() {
            pairs += 1.0;
            above += before(scores[lifted], scores[place]);
        }
    }
    above / pairs
}

/// Returns how often an experience with the first score comes before one with the second: of equal ones, half the time.
pub(crate) fn before(one: f64, other: f64) -> f64 {
    match one.total_cmp(&other) {
        Ordering::Greater => 1.0,
        Ordering::Equal => 0.5,
        Ordering::Less => 0.0,
    }
}
