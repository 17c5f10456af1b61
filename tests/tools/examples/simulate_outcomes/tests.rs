//! The goals: attacks with many reports, keys or networks do little, and those of known keys not too much.

use crate::{
    Args, DAYS, PERIODS,
    attacks::{Attack, above},
    mean, periods, right_order, table,
    world::Rule,
};

const PAGE: &str = include_str!("../../../../docs/design/outcomes.md");
const ARGS: Args = Args {
    reports: 60,
    seeds: 20,
};

#[test]
fn the_page_has_the_tables_of_this_program() {
    for table in [table(ARGS), periods(ARGS)] {
        assert!(
            PAGE.contains(&table),
            "docs/design/outcomes.md lacks:\n\n{table}"
        );
    }
}

/// Checks the share of pairs in which a worthless experience is above a good one, in percent.
#[track_caller]
fn check(attack: Attack, most: f64) {
    for days in PERIODS.into_iter().filter(|days| *days <= DAYS) {
        let share = mean((ARGS, days), |world| above(world, attack, Rule::Outcomes));
        assert!(share <= most, "{attack:?}, {days} days: {share:.1} %");
    }
}

#[test]
fn without_an_attack_most_pairs_are_in_the_right_order() {
    let share = mean((ARGS, DAYS), |world| right_order(world, Rule::Outcomes));
    assert!(share >= 77.0, "{share:.1} %");
}

#[test]
fn many_reports_keys_or_networks_do_little() {
    check(Attack::OneKey, 25.0);
    check(Attack::NewKeys, 25.0);
    check(Attack::Anonymous, 25.0);
}

#[test]
fn known_keys_and_edits_achieve_little() {
    check(Attack::Collusion, 40.0);
    check(Attack::SlowPoisoning, 40.0);
    check(Attack::RivalsLowered, 40.0);
    check(Attack::Whitewashing, 40.0);
}

#[test]
fn rules_that_count_every_report_are_overcome_by_floods() {
    for rule in [Rule::Wilson, Rule::Confirmations] {
        for attack in [Attack::OneKey, Attack::NewKeys, Attack::Anonymous] {
            let share = mean((ARGS, DAYS), |world| above(world, attack, rule));
            assert!(share >= 60.0, "{rule:?} {attack:?}: {share:.1} %");
        }
    }
}
