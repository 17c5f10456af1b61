//! One voice per principal, halved with age and changes; weak voices together are one.

#![allow(clippy::unwrap_used)]

use jiff::ToSpan as _;
use recall_kit_shared_types::outcomes::Evidence;

use super::*;
use crate::OUTCOMES_OF_VOICE_MAX;

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
            environment: None,
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

/// Returns the weights for and against at the time of the last outcome.
fn now_of(standing: &OutcomeStanding) -> (f64, f64) {
    standing.weights.at(standing.weights.as_of)
}

/// Checks the weights for and against, in hundredths.
#[track_caller]
fn check(outcomes: &[StoredOutcome], for_and_against: (i64, i64)) {
    let (for_it, against) = now_of(&standing(outcomes));
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
    let older = vec![said(0, "a", 1.0, DidNotWork); 70];
    let newer = vec![said(0, "a", 1.0, Worked); OUTCOMES_OF_VOICE_MAX as usize];
    check(&[older, newer].concat(), (100, 0));
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
        .iter()
        .cloned()
        .chain([said(0, "a", 1.0, DidNotWork)])
        .collect();
    check(&with_one_of_the_others, (100, 100));
    check(&vec![said(0, "n", 0.0, Worked); 9], (0, 0));
    // Their weights decay first: after two half-lives these 50 still weigh more than one report of that day.
    let weights = standing(&with_one_of_the_others).weights;
    assert_eq!(weights.at(day(360)), (1.0, 0.25));
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
    assert_eq!(weights.at(day(360)), (0.5, 0.25));
    assert_eq!(weights.at(day(0)), (1.0, 0.5), "a clock that was set back");
    let ahead = [
        said(0, "a", 1.0, Worked),
        said(100_000, "b", 1.0, DidNotWork),
    ];
    let corrected = standing_of(EXPERIENCE, &ahead, day(0)).unwrap();
    assert_eq!(now_of(&corrected), (1.0, 1.0), "a clock that was ahead");
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
    check(&[worked.clone(), said(9, "b", 0.0, DidNotWork)], 9, Fresh);
    check(&[said(0, "b", 1.0, DidNotWork)], 0, Fresh);
    check(&[said(0, "b", 1.0, DidNotWork)], 180, Ageing);

    // Voices without weight divide nobody, and weak ones together no more than one report.
    let nobody = [said(0, "a", 0.0, Worked), said(0, "b", 0.0, DidNotWork)];
    check(&nobody, 0, Fresh);
    let mob = (0..50).map(|at| said(1, &format!("k{at}"), 0.1, DidNotWork));
    let others = |count| (0..count).map(|at| said(0, &format!("s{at}"), 1.0, Worked));
    check(
        &others(3).chain(mob.clone()).collect::<Vec<_>>(),
        1,
        Contested,
    );
    check(&others(4).chain(mob.clone()).collect::<Vec<_>>(), 1, Fresh);

    // Beside strong voices weak ones make nothing stale, and keep nothing fresh.
    let failed_since: Vec<_> = [worked.clone()].into_iter().chain(mob).collect();
    check(&failed_since, 181, Ageing);
    let confirmed = [worked, said(170, "b", 0.1, Worked)];
    check(&confirmed, 181, Ageing);
    check(&confirmed[1..], 181, Fresh);
    check(&[said(0, "n", 0.0, Worked)], 181, Ageing);
}

#[test]
fn a_report_changes_a_standing_as_computing_it_anew_does() {
    let mut random = 7_u64;
    let mut below = |limit: u64| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (random >> 33) % limit
    };
    let mut outcomes = vec![said(0, "0", 1.0, Worked)];
    let mut kept = standing(&outcomes);
    let mut taken = 0;
    for at in 1..900 {
        // Clocks are behind by hours or weeks, or ahead by a month; what was reported elsewhere is imported later.
        let time = match below(60) {
            0 => day(at + 30),
            1..4 => day(at - 20),
            4..15 => day(at).checked_sub(12.hours()).unwrap(),
            _ => day(at),
        };
        let now = if below(4) == 0 { day(at) } else { time };
        let principal = below(6).to_string();
        let tier = [0.0, 0.1, 1.0][below(3) as usize];
        let kind = OutcomeKind::ALL[below(4) as usize];
        let evidence = Evidence::ALL[below(3) as usize];
        let mut new = match below(40) {
            0 => changed(at),
            _ => by(said(at, &principal, tier, kind), evidence),
        };
        new.at = time;
        let is_own = |one: &&StoredOutcome| {
            let report = one.report.as_ref();
            report.is_none_or(|report| report.principal == principal)
        };
        let own: Vec<_> = outcomes.iter().filter(is_own).cloned().collect();
        outcomes.push(new.clone());
        outcomes.sort_by_key(|one| (one.at, one.id));
        let can_take = kept.takes(&new, now);
        taken += u32::from(can_take);
        kept = match can_take {
            true => kept.with(&own, &new),
            false => standing_of(EXPERIENCE, &outcomes, now).unwrap(),
        };
        let mut anew = standing_of(EXPERIENCE, &outcomes, kept.weights.as_of).unwrap();
        for (kept, anew) in [
            (kept.weights.strong, anew.weights.strong),
            (kept.weights.weak, anew.weights.weak),
        ] {
            assert!(
                (kept.for_it - anew.for_it).abs() < 1e-9,
                "{at}: {kept:?} {anew:?}"
            );
            assert!(
                (kept.against - anew.against).abs() < 1e-9,
                "{at}: {kept:?} {anew:?}"
            );
            assert!((kept.no - anew.no).abs() < 1e-9, "{at}: {kept:?} {anew:?}");
        }
        anew.weights = kept.weights;
        assert_eq!(kept, anew);
    }
    assert!((300..800).contains(&taken), "{taken}");
}

#[test]
fn only_a_difference_that_is_exact_changes_a_standing() {
    let kept = standing(&[said(0, "a", 1.0, Worked), said(9, "b", 1.0, Worked)]);
    let takes = |new: StoredOutcome, now| kept.takes(&new, day(now));
    assert!(takes(said(9, "c", 1.0, Worked), 9));
    assert!(takes(said(8, "c", 1.0, Worked), 8), "a day behind");
    assert!(!takes(said(7, "c", 1.0, Worked), 7), "two days behind");
    assert!(takes(said(1, "c", 1.0, Worked), 9), "imported later");
    assert!(!takes(said(20, "c", 1.0, Worked), 9), "from the future");
    assert!(takes(changed(10), 10));
    assert!(!takes(changed(9), 9), "a report is not before it");
}

#[test]
fn a_voice_agrees_only_with_strong_voices_of_others() {
    #[track_caller]
    fn check(own: OutcomeKind, others: &[StoredOutcome], expected: bool) {
        let own = vec![said(0, "me", 0.1, own)];
        let mut all: Vec<_> = own.iter().chain(others).cloned().collect();
        all.sort_by_key(|one| one.at);
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
    check(Worked, &[by(said(0, "a", 1.0, Worked), Agent)], true);
    check(Worked, &[by(said(-200, "a", 1.0, Worked), Agent)], false);
    // New keys do not make each other known, however many they are.
    check(Worked, &mob(6), false);
    check(Worked, &mob(1_000), false);
    let against_all: Vec<_> = mob(1_000)
        .into_iter()
        .chain([said(0, "a", 1.0, DidNotWork)])
        .collect();
    check(Worked, &against_all, false);
    check(DidNotWork, &against_all, true);
    let known = [said(0, "me", 1.0, Worked)];
    assert!(
        !agrees("me", &known, &standing(&known).weights),
        "a strong voice does not agree with itself"
    );
}
