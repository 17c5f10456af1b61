//! How well entries are remembered, and what is taken for an id.

#![allow(clippy::unwrap_used)]

use super::{resolve::crockford, *};

#[test]
fn memory_fades_and_use_keeps_it() {
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
    // A clock that went back.
    check(0, -5, 0.4);
}

#[test]
fn what_is_typed_becomes_an_id() {
    for (typed, expected) in [
        ("01kan4q3", "01KAN4Q3"),
        (" O1KAN4Q3\n", "01KAN4Q3"),
        ("0lkani", "01KAN1"),
    ] {
        assert_eq!(crockford(typed), expected);
    }
}
