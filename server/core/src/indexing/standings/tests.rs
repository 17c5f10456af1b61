//! Weights age before they are limited; only strong voices fit the formula and make experiences old.

#![allow(clippy::unwrap_used)]

use jiff::SignedDuration;

use super::*;

const ID: Uuid = Uuid::from_u128(1);

fn day(day: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_hours(24 * day)
}

fn group(for_it: f64, against: f64) -> GroupWeights {
    GroupWeights {
        for_it,
        against,
        no: against,
    }
}

/// Returns a standing as of day 0, when it last worked.
fn standing(
    id: Uuid,
    strong_voices: u64,
    strong: GroupWeights,
    weak: GroupWeights,
) -> OutcomeStanding {
    let last = LastVerdicts {
        worked_at: Some(day(0)),
        failed_at: None,
    };
    OutcomeStanding {
        experience: id,
        worked: 1,
        worked_with_changes: 0,
        did_not_work: 0,
        voices: 9,
        strong_voices,
        weights: VoiceWeights {
            strong,
            weak,
            as_of: day(0),
        },
        last_at: day(0),
        last,
        last_strong: match strong_voices {
            0 => LastVerdicts::default(),
            _ => last,
        },
        revision: 1,
    }
}

fn known(standings: impl IntoIterator<Item = OutcomeStanding>) -> Standings {
    let known = Standings::default();
    standings.into_iter().for_each(|one| known.put(&one));
    known.fit(day(0));
    known
}

#[test]
fn weak_voices_are_limited_after_their_weights_have_aged() {
    let mob = known([standing(ID, 0, group(0.0, 0.0), group(8.0, 0.0))]);
    let one = known([standing(ID, 0, group(0.0, 0.0), group(1.0, 0.0))]);
    let factor = |standings: &Standings, days| standings.factor(ID, day(days));
    assert_eq!(factor(&mob, 0), factor(&one, 0));
    // A quarter of eight still weighs more than one report, a quarter of one does not.
    assert_eq!(factor(&mob, 360), factor(&mob, 0));
    assert!(factor(&one, 360) < factor(&one, 0));
}

#[test]
fn the_formula_is_fitted_to_strong_voices_at_the_time_of_fitting() {
    let others = |strong_voices, strong, weak| {
        let ids = (10..50).map(Uuid::from_u128);
        ids.map(move |id| standing(id, strong_voices, strong, weak))
    };
    let probe = standing(ID, 3, group(3.0, 0.0), group(0.0, 0.0));
    let factor = |standings: &Standings| standings.factor(ID, day(0));
    let alone = factor(&known([probe.clone()]));
    let worthless = others(2, group(2.0, 0.0), group(100.0, 0.0));
    let worthless = known(worthless.chain([probe.clone()]));
    assert_eq!(factor(&worthless), alone, "weak voices fit nothing");
    let trusted = others(3, group(3.0, 0.0), group(0.0, 100.0));
    let trusted = known(trusted.chain([probe]));
    assert!(
        factor(&trusted) < alone,
        "all of them work, which is nothing special"
    );
    let differing = (10..50).map(|number| {
        let strong = match number % 2 {
            0 => group(6.0, 2.0),
            _ => group(2.0, 6.0),
        };
        standing(Uuid::from_u128(number), 8, strong, group(0.0, 0.0))
    });
    let differing = known(differing.chain([standing(ID, 3, group(3.0, 0.0), group(0.0, 0.0))]));
    let fresh = factor(&differing);
    differing.fit(day(720));
    assert_ne!(factor(&differing), fresh, "they age");
}

#[test]
fn ageing_experiences_are_not_lifted_and_stale_ones_are_lowered() {
    let worked = standing(ID, 9, group(9.0, 0.0), group(0.0, 0.0));
    let failed_at = |day| OutcomeStanding {
        last_strong: LastVerdicts {
            failed_at: Some(day),
            ..worked.last_strong
        },
        ..worked.clone()
    };
    let factor = |standing: OutcomeStanding, days| known([standing]).factor(ID, day(days));
    assert!(factor(worked.clone(), 179) > 1.1);
    assert_eq!(factor(worked.clone(), 180), 0.97);
    assert!(factor(failed_at(day(170)), 179) > 1.1);
    assert_eq!(factor(failed_at(day(170)), 180), 0.9);
    let rejected = standing(ID, 9, group(0.0, 9.0), group(0.0, 0.0));
    assert!(factor(rejected, 180) < 0.9, "a cap lifts nothing");
    // Weak voices make nothing old, and an experience without voices stays where it is.
    let weak = standing(ID, 0, group(0.0, 0.0), group(1.0, 0.0));
    assert!(factor(weak.clone(), 180) > 1.0);
    assert_eq!(known([weak]).factor(Uuid::from_u128(2), day(180)), 1.0);
}

#[test]
fn an_earlier_standing_replaces_no_later_one() {
    let later = OutcomeStanding {
        revision: 2,
        ..standing(ID, 9, group(9.0, 0.0), group(0.0, 0.0))
    };
    let earlier = standing(ID, 1, group(0.0, 1.0), group(0.0, 0.0));
    let known = known([later, earlier]);
    assert!(known.factor(ID, day(0)) > 1.0);
}
