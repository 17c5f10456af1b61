//! One voice per principal, halved with age and changes; weak voices together are one.

#![allow(clippy::unwrap_used)]

use jiff::ToSpan as _;

use super::*;

const EXPERIENCE: Uuid = Uuid::from_u128(7);

fn day(day: i64) -> Timestamp {
    let start = Timestamp::from_second(1_700_000_000).unwrap();
    start.checked_add((24 * day).hours()).unwrap()
}

fn said(at: i64, principal: &str, tier: f64, kind: OutcomeKind) -> StoredOutcome {
    StoredOutcome {
        id: Uuid::now_v7(),
        experience: EXPERIENCE,
        at: day(at),
        report: Some(Report {
            kind,
            principal: principal.to_owned(),
            tier,
            evidence: Evidence::Person,
            recall_id: None,
            note: None,
        }),
    }
}

fn by(mut outcome: StoredOutcome, evidence: Evidence) -> StoredOutcome {
    outcome.report.as_mut().unwrap().evidence = evidence;
    outcome
}

fn changed(at: i64) -> StoredOutcome {
    StoredOutcome {
        report: None,
        ..said(at, "", 0.0, OutcomeKind::Worked)
    }
}

fn standing(outcomes: &[StoredOutcome]) -> OutcomeStanding {
    let now = outcomes.last().unwrap().at;
    standing_of(EXPERIENCE, outcomes, now).unwrap()
}

/// Returns the weights for and against, in hundredths.
#[track_caller]
fn check(outcomes: &[StoredOutcome], for_and_against: (i64, i64)) {
    let (for_it, against) = standing(outcomes).weights.limited();
    let hundredths = |weight: f64| (weight * 100.0).round() as i64;
    assert_eq!(
        (hundredths(for_it), hundredths(against)),
        for_and_against,
        "{outcomes:?}"
    );
}

use Evidence::{Agent, Observed};
use OutcomeKind::{DidNotWork, NotApplicable, Worked, WorkedWithChanges};

#[test]
fn a_principal_is_one_voice_with_the_mean_of_its_reports() {
    check(&[said(0, "a", 1.0, Worked)], (100, 0));
    check(&[said(0, "a", 1.0, WorkedWithChanges)], (75, 25));
    check(&vec![said(0, "a", 1.0, DidNotWork); 200], (0, 100));
    check(
        &[said(0, "a", 1.0, Worked), said(0, "a", 1.0, DidNotWork)],
        (50, 50),
    );
    check(
        &[said(0, "a", 1.0, Worked), said(0, "b", 1.0, DidNotWork)],
        (100, 100),
    );
    check(&[said(0, "a", 1.0, NotApplicable)], (0, 0));
    let counts = standing(&vec![said(0, "a", 0.0, Worked); 3]);
    assert_eq!((counts.worked, counts.voices), (3, 1));
    let other_problem = standing(&[said(0, "a", 1.0, NotApplicable)]);
    assert_eq!((other_problem.voices, other_problem.last_at), (0, day(0)));
}

#[test]
fn evidence_counts_in_full_if_a_person_or_both_the_agent_and_the_program_have_it() {
    let (agent, seen) = (
        by(said(0, "a", 1.0, Worked), Agent),
        by(said(0, "a", 1.0, WorkedWithChanges), Observed),
    );
    check(std::slice::from_ref(&agent), (50, 0));
    check(&[by(said(0, "a", 1.0, Worked), Observed)], (50, 0));
    check(
        &[agent.clone(), by(said(0, "a", 1.0, Worked), Observed)],
        (100, 0),
    );
    check(&[agent.clone(), seen], (88, 13));
    check(
        &[agent, by(said(0, "a", 1.0, DidNotWork), Observed)],
        (25, 25),
    );
}

#[test]
fn weak_voices_together_are_at_most_one() {
    let mob: Vec<_> = (0..50)
        .map(|at| said(0, &format!("k{at}"), 0.1, Worked))
        .collect();
    check(&mob[..5], (50, 0));
    check(&mob, (100, 0));
    let with_one_of_the_others: Vec<_> = mob
        .into_iter()
        .chain([said(0, "a", 1.0, DidNotWork)])
        .collect();
    check(&with_one_of_the_others, (100, 100));
    check(&vec![said(0, "n", 0.0, Worked); 9], (0, 0));
}

#[test]
fn weights_halve_with_age_and_with_every_later_change_of_the_solution() {
    let old_and_new = [said(0, "a", 1.0, DidNotWork), said(180, "b", 1.0, Worked)];
    check(&old_and_new, (100, 50));
    let changed_twice = [
        said(0, "a", 1.0, DidNotWork),
        changed(1),
        said(1, "b", 1.0, Worked),
        changed(2),
        said(2, "c", 1.0, Worked),
    ];
    check(&changed_twice[..2], (0, 50));
    check(&changed_twice, (150, 25));
    let same_voice = [said(0, "a", 1.0, DidNotWork), said(180, "a", 1.0, Worked)];
    check(&same_voice, (67, 33));
    let weights = standing(&old_and_new).weights;
    assert!((weights.decay(day(360)) - 0.5).abs() < 1e-9);
    assert_eq!(weights.decay(day(0)), 1.0, "a clock that was set back");
    let ahead = [
        said(0, "a", 1.0, Worked),
        said(100_000, "b", 1.0, DidNotWork),
    ];
    let corrected = standing_of(EXPERIENCE, &ahead, day(0)).unwrap();
    assert_eq!(
        corrected.weights.limited(),
        (1.0, 1.0),
        "a clock that was ahead"
    );
}

#[test]
fn a_standing_has_a_word() {
    #[track_caller]
    fn check(outcomes: &[StoredOutcome], at: i64, expected: StandingState) {
        assert_eq!(standing(outcomes).state(day(at)), expected, "{outcomes:?}");
    }
    use StandingState::{Ageing, Contested, Fresh, New, Stale};
    let worked = said(0, "a", 1.0, Worked);
    check(&[said(0, "a", 1.0, NotApplicable)], 0, New);
    check(std::slice::from_ref(&worked), 179, Fresh);
    check(std::slice::from_ref(&worked), 180, Ageing);
    check(
        &[worked.clone(), said(9, "b", 1.0, DidNotWork)],
        9,
        Contested,
    );
    check(&[worked.clone(), said(9, "b", 1.0, DidNotWork)], 181, Stale);
    check(
        &[said(0, "b", 1.0, DidNotWork), said(9, "a", 1.0, Worked)],
        190,
        Ageing,
    );
    check(&[worked.clone(), said(9, "b", 0.1, DidNotWork)], 9, Fresh);
    check(&[worked, said(9, "b", 0.0, DidNotWork)], 9, Fresh);
    check(
        &[said(0, "a", 0.0, Worked), said(0, "b", 0.0, DidNotWork)],
        0,
        Contested,
    );
    check(&[said(0, "b", 1.0, DidNotWork)], 0, Fresh);
}

#[test]
fn a_voice_agrees_only_with_others_of_some_weight() {
    #[track_caller]
    fn check(own: OutcomeKind, others: &[StoredOutcome], expected: bool) {
        let own = vec![said(0, "me", 0.1, own)];
        let all: Vec<_> = own.iter().chain(others).cloned().collect();
        let weights = standing(&all).weights;
        assert_eq!(agrees("me", &own, &weights), expected, "{others:?}");
    }
    let mob = |size| -> Vec<_> {
        (0..size)
            .map(|at| said(0, &format!("k{at}"), 0.1, Worked))
            .collect()
    };
    check(Worked, &[], false);
    check(Worked, &[said(0, "a", 1.0, Worked)], true);
    check(DidNotWork, &[said(0, "a", 1.0, Worked)], false);
    check(NotApplicable, &[said(0, "a", 1.0, Worked)], false);
    check(Worked, &mob(4), false);
    check(Worked, &mob(6), true);
}
