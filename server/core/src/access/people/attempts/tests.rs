//! Waits, what is counted, and the capacity.

use jiff::{SignedDuration, Timestamp};

use super::*;

fn at(seconds: i64) -> Timestamp {
    let start = Timestamp::UNIX_EPOCH;
    start + SignedDuration::from_secs(1_900_000_000 + seconds)
}

fn address(text: &str) -> IpAddr {
    text.parse().expect("an address")
}

/// Fails `times` times as soon as each wait is over; returns the waits and when the last one ends.
fn fail(attempts: &Attempts, counted: &[Counted], times: usize, from: i64) -> (Vec<u64>, i64) {
    let mut now = from;
    let mut waits = Vec::new();
    for _ in 0..times {
        assert_eq!(attempts.begin(counted, at(now)), Ok(()));
        let failures = attempts.failures()[&counted[0]];
        let end = failures.wait_until(&counted[0].policy());
        let wait = end.duration_since(at(now)).as_secs();
        now += wait;
        waits.push(u64::try_from(wait).expect("a wait lies ahead"));
    }
    (waits, now)
}

#[test]
fn waits_double_after_the_third_failure_up_to_a_quarter_of_an_hour() {
    let attempts = Attempts::default();
    let zoe = attempts.of_name("zoe", address("192.0.2.1"), None);
    let (waits, end) = fail(&attempts, &zoe[..1], 15, 0);
    assert_eq!(
        waits,
        [0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]
    );
    // A rejected attempt is not a failure: it does not extend the wait.
    assert_eq!(attempts.begin(&zoe[..1], at(end - 1)), Err(1));
    assert_eq!(attempts.begin(&zoe[..1], at(end)), Ok(()));
}

#[test]
fn failures_from_other_networks_never_make_a_name_wait() {
    let attempts = Attempts::default();
    for host in 0..200 {
        let from = address(&format!("198.51.100.{host}"));
        let guesses = attempts.of_name("ada", from, None);
        fail(&attempts, &guesses, 6, 0);
    }
    let owner = attempts.of_name("ada", address("192.0.2.1"), None);
    assert_eq!(attempts.begin(&owner, at(100)), Ok(()));
}

#[test]
fn a_network_waits_a_minute_at_most_after_many_failures_with_different_names() {
    let attempts = Attempts::default();
    let from = address("192.0.2.1");
    for name in 0..20 {
        let guess = attempts.of_name(&name.to_string(), from, None);
        assert_eq!(attempts.begin(&guess, at(0)), Ok(()), "{name}");
    }
    let network = Attempts::of_network(from);
    let (waits, _) = fail(&attempts, &network, 9, 0);
    assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
}

#[test]
fn a_browser_that_signed_in_before_has_its_own_count() {
    let attempts = Attempts::default();
    let (from, device) = (address("192.0.2.1"), hash_of_name("a token"));
    attempts.know_device(device, "Ada");
    let strangers = attempts.of_name("ada", from, None);
    fail(&attempts, &strangers, 30, 0);
    let known = attempts.of_name("ADA", from, Some(&device));
    assert_eq!(known, [Counted::Device(device)]);
    assert_eq!(attempts.begin(&known, at(1)), Ok(()));
    // It is known only for that name.
    assert_eq!(attempts.of_name("zoe", from, Some(&device)).len(), 2);
    assert_eq!(
        attempts
            .of_name("ada", from, Some(&hash_of_name("other")))
            .len(),
        2
    );
}

#[test]
fn an_hour_without_failures_a_success_and_an_administrator_reset_the_counts() {
    let attempts = Attempts::default();
    let zoe = attempts.of_name("zoe", address("192.0.2.1"), None);
    let (_, now) = fail(&attempts, &zoe, 3, 0);
    assert_eq!(attempts.begin(&zoe, at(now)), Ok(()));
    attempts.succeeded(&zoe);
    // The count of the network is as before; that of the name is removed.
    assert_eq!(attempts.failures()[&zoe[1]].count, 3);
    assert!(!attempts.failures().contains_key(&zoe[0]));
    fail(&attempts, &zoe, 3, now);
    assert!(attempts.begin(&zoe, at(now)).is_err());
    assert_eq!(attempts.begin(&zoe, at(now + 3_601)), Ok(()));

    fail(&attempts, &zoe, 2, now + 3_601);
    assert!(attempts.begin(&zoe, at(now + 3_601)).is_err());
    assert!(attempts.forget(at(now + 3_602)));
    assert!(!attempts.forget(at(now + 3_602)), "once");
    assert_eq!(attempts.begin(&zoe, at(now + 3_602)), Ok(()));
}

#[test]
fn spellings_of_a_name_and_addresses_of_a_network_share_a_count() {
    let attempts = Attempts::default();
    let named = |name: &str, from: &str| attempts.of_name(name, address(from), None);
    let check = |one: (&str, &str), other: (&str, &str), same: bool| {
        let (one, other) = (named(one.0, one.1), named(other.0, other.1));
        assert_eq!(one == other, same, "{one:?} {other:?}");
    };
    let here = "192.0.2.1";
    check(("Zoë", here), ("zoe\u{308}", here), true);
    check(("zoe", here), ("zoë", here), false);
    check(("zoe", here), ("zoe", "::ffff:192.0.2.1"), true);
    check(("zoe", here), ("zoe", "192.0.2.2"), false);
    check(("zoe", "2001:db8::1"), ("zoe", "2001:db8::ffff:2"), true);
    check(("zoe", "2001:db8::1"), ("zoe", "2001:db8:0:1::1"), false);
}

#[test]
fn the_number_of_counts_is_bounded_and_the_highest_ones_stay() {
    let attempts = Attempts::default();
    let from = address("192.0.2.1");
    let worst = &attempts.of_name("worst", from, None)[..1];
    fail(&attempts, worst, 3, 0);
    for number in 0..2 * CAPACITY {
        let name = attempts.of_name(&number.to_string(), from, None);
        assert_eq!(attempts.begin(&name[..1], at(0)), Ok(()));
    }
    assert!(attempts.failures().len() <= CAPACITY);
    assert_eq!(attempts.begin(worst, at(0)), Err(1));
}
