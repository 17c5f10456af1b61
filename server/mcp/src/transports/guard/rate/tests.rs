//! Which calls are counted together, and when they exceed the limit.

#![allow(clippy::unwrap_used)]

use uuid::Uuid;

use super::{Counted, DEFAULT_CALLS_PER_MINUTE, Rate, Size};

fn from(address: &str) -> Counted {
    Counted::address(address.parse().unwrap())
}

#[test]
fn addresses_of_one_ipv6_network_are_counted_together() {
    let check = |one: &str, other: &str, together: bool| {
        assert_eq!(from(one) == from(other), together, "{one}, {other}");
    };
    check("192.0.2.1", "192.0.2.1", true);
    check("192.0.2.1", "192.0.2.2", false);
    check("192.0.2.1", "::ffff:192.0.2.1", true);
    check("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true);
    check("2001:db8:1:2::1", "2001:db8:1:3::1", false);
}

#[test]
fn calls_beyond_the_limit_have_to_wait() {
    let rate = Rate::default();
    let (one, other) = (from("192.0.2.1"), Counted::Key(Uuid::from_u128(7)));
    let count = |limit, counted, calls| rate.count(limit, counted, calls);
    assert_eq!(count(Some(5), one, 1), Ok(()));
    assert_eq!(count(Some(5), one, 4), Ok(()));
    let seconds = count(Some(5), one, 1).unwrap_err();
    assert!((1..=60).contains(&seconds), "{seconds}");
    // Other callers are not affected; no calls cost nothing.
    assert_eq!(count(Some(5), other, 5), Ok(()));
    assert_eq!(count(Some(5), one, 0), Ok(()));
    // A batch larger than the limit of a minute is always refused, and is not counted.
    let third = from("192.0.2.3");
    assert_eq!(count(Some(5), third, 6), Err(60));
    assert_eq!(count(Some(5), third, 5), Ok(()));
    // A changed limit applies at once; 0 is no limit.
    assert_eq!(count(Some(6), one, 6), Ok(()));
    assert!(count(Some(6), one, 1).is_err());
    assert_eq!(count(Some(0), one, u32::MAX), Ok(()));
}

#[test]
fn without_a_setting_only_other_machines_are_limited() {
    let rate = Rate::default();
    for own in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
        assert_eq!(rate.count(None, from(own), u32::MAX), Ok(()), "{own}");
        assert!(rate.count(Some(1), from(own), 2).is_err(), "{own}");
    }
    for other in ["192.0.2.1", "2001:db8::1", "10.0.0.1"] {
        let limit = DEFAULT_CALLS_PER_MINUTE;
        assert_eq!(rate.count(None, from(other), limit), Ok(()), "{other}");
        assert!(rate.count(None, from(other), limit).is_err(), "{other}");
    }
    // Calls with a key are counted by the key, from whatever address they come.
    let key = Counted::Key(Uuid::from_u128(1));
    assert_eq!(rate.count(None, key, DEFAULT_CALLS_PER_MINUTE), Ok(()));
    assert!(rate.count(None, key, DEFAULT_CALLS_PER_MINUTE).is_err());
}

#[test]
fn a_large_body_counts_as_several_calls() {
    let check = |bytes: usize, per_call: u32, items: u32, limit: Option<u32>, expected: u32| {
        let calls = Size { bytes, per_call }.calls(items, limit);
        assert_eq!(calls, expected, "{bytes} bytes, {items} items, {limit:?}");
    };
    check(0, 1024, 1, None, 1);
    check(1023, 1024, 1, None, 1);
    check(1024, 1024, 1, None, 2);
    check(921_600, 1024, 1, None, 901);
    check(20_480, 1024, 50, None, 70);
    check(921_600, 0, 1, None, 1);
    // Bytes count for at most the limit, so that waiting helps; a batch that is too long stays too long.
    check(921_600, 1024, 1, Some(60), 60);
    check(921_600, 1024, 61, Some(60), 61);
    check(usize::MAX, 1, u32::MAX, None, u32::MAX);
}
