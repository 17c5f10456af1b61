//! Who is counted with whom.

#![allow(clippy::unwrap_used)]

use super::{Counted, Rate};

fn from(address: &str) -> Counted {
    Counted::address(address.parse().unwrap())
}

#[test]
fn one_network_of_a_customer_is_one_caller() {
    for (one, other, together) in [
        ("192.0.2.1", "192.0.2.1", true),
        ("192.0.2.1", "192.0.2.2", false),
        ("192.0.2.1", "::ffff:192.0.2.1", true),
        ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", true),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", false),
    ] {
        let rate = Rate::default();
        assert_eq!(rate.take(Some(2), from(one), 2), Ok(()));
        let next = rate.take(Some(2), from(other), 1);
        assert_eq!(next.is_err(), together, "{one} {other}");
    }
}

#[test]
fn this_machine_is_bound_only_when_told() {
    for (address, limit, bound) in [
        ("127.0.0.1", None, false),
        ("::1", None, false),
        ("::ffff:127.0.0.1", None, false),
        ("127.0.0.1", Some(0), false),
        ("127.0.0.1", Some(5), true),
        ("192.0.2.1", None, true),
        ("192.0.2.1", Some(0), false),
    ] {
        let rate = Rate::default();
        let calls = limit.unwrap_or(60_000).max(1);
        assert_eq!(rate.take(limit, from(address), calls), Ok(()));
        let next = rate.take(limit, from(address), calls);
        assert_eq!(next.is_err(), bound, "{address} {limit:?}");
    }
}

#[test]
fn more_than_a_minute_has_room_for_never_fits() {
    let rate = Rate::default();
    assert_eq!(rate.take(Some(5), from("192.0.2.1"), 6), Err(60));
    assert_eq!(rate.take(Some(5), from("192.0.2.1"), 5), Ok(()));
}
