//! Waits, what is counted, and the bound of what is remembered.

use jiff::{SignedDuration, Timestamp};

use super::{Attempts, CAPACITY, Counted};

fn at(seconds: i64) -> Timestamp {
    let start = Timestamp::UNIX_EPOCH;
    start + SignedDuration::from_secs(1_900_000_000 + seconds)
}

fn address(text: &str) -> Counted {
    Counted::address(text.parse().expect("an address"))
}

#[test]
fn waits_double_after_the_third_failure_up_to_a_quarter_of_an_hour() {
    let attempts = Attempts::default();
    let name = [Counted::name("zoe")];
    let mut now = 0;
    let mut waits = Vec::new();
    for _ in 0..15 {
        assert_eq!(attempts.begin(&name, at(now)), Ok(()));
        let wait = attempts.begin(&name, at(now)).err();
        if wait.is_none() {
            // That one was counted as well.
            waits.push(0);
        }
        waits.extend(wait);
        now += i64::try_from(wait.unwrap_or(0)).expect("a wait is short");
    }
    assert_eq!(
        waits,
        [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900, 900]
    );
    // A refusal is no failure: the wait ends when it was said to.
    assert_eq!(attempts.begin(&name, at(now - 1)), Err(1));
    assert_eq!(attempts.begin(&name, at(now)), Ok(()));
}

#[test]
fn an_hour_of_quiet_and_a_success_are_a_new_beginning() {
    let attempts = Attempts::default();
    let both = [Counted::name("zoe"), address("192.0.2.1")];
    for _ in 0..3 {
        assert_eq!(attempts.begin(&both, at(0)), Ok(()));
    }
    assert_eq!(attempts.begin(&both, at(0)), Err(1));
    assert_eq!(attempts.begin(&both, at(1)), Ok(()));
    attempts.succeeded(&both);
    // The address is where it was before; the name is forgotten.
    assert_eq!(attempts.begin(&both[..1], at(1)), Ok(()));
    assert_eq!(attempts.begin(&both[1..], at(1)), Err(1));
    assert_eq!(attempts.begin(&both[1..], at(3_601)), Ok(()));
    assert_eq!(attempts.begin(&both[1..], at(3_601)), Ok(()));
}

#[test]
fn one_name_and_one_network_are_counted_as_one() {
    let check = |one: Counted, other: Counted, same: bool| {
        assert_eq!(one == other, same, "{one:?} {other:?}");
    };
    check(Counted::name("Zoë"), Counted::name("zoe\u{308}"), true);
    check(Counted::name("zoe"), Counted::name("zoë"), false);
    check(address("192.0.2.1"), address("::ffff:192.0.2.1"), true);
    check(address("192.0.2.1"), address("192.0.2.2"), false);
    check(address("2001:db8::1"), address("2001:db8::ffff:2"), true);
    check(address("2001:db8::1"), address("2001:db8:0:1::1"), false);
}

#[test]
fn what_is_remembered_is_bounded_and_the_worst_stay() {
    let attempts = Attempts::default();
    let worst = [Counted::name("worst")];
    for _ in 0..3 {
        assert_eq!(attempts.begin(&worst, at(0)), Ok(()));
    }
    for number in 0..2 * CAPACITY {
        let name = Counted::name(&number.to_string());
        assert_eq!(attempts.begin(&[name], at(0)), Ok(()));
    }
    assert!(attempts.all().len() <= CAPACITY);
    assert_eq!(attempts.begin(&worst, at(0)), Err(1));
}
