//! The consolidation score, and typed ids.

#![allow(clippy::unwrap_used)]

use super::{resolve::crockford, *};

#[test]
fn the_score_falls_with_time_and_rises_with_use() {
    let now: Timestamp = "2026-11-22T00:00:00Z".parse().unwrap();
    let check = |count, days: i64, expected: f64| {
        let last = now - jiff::SignedDuration::from_hours(24 * days);
        assert_eq!(
            consolidation_score(count, last, now),
            expected,
            "{count}, {days}"
        );
    };
    check(0, 0, 0.4);
    check(0, 30, 0.15);
    check(1, 0, 0.48);
    check(147, 0, 1.0);
    check(1_000_000, 0, 1.0);
    check(1_000_000, 10_000, 0.6);
    // A clock that was set back.
    check(0, -5, 0.4);
}

#[test]
fn typed_ids_are_converted_to_their_alphabet() {
    for (typed, expected) in [
        ("01kan4q3", "01KAN4Q3"),
        (" O1KAN4Q3\n", "01KAN4Q3"),
        ("0lkani", "01KAN1"),
    ] {
        assert_eq!(crockford(typed), expected);
    }
}
