//! The limit in total, and the share of one caller.

#![allow(clippy::unwrap_used)]

use std::net::IpAddr;

use uuid::Uuid;

use super::{Capacity, Counted};

fn address(text: &str) -> Counted {
    Counted::address(text.parse::<IpAddr>().unwrap())
}

#[test]
fn a_caller_may_use_half_and_this_machine_everything() {
    let capacity = Capacity::default();
    let (near, far, key) = (
        address("127.0.0.1"),
        address("192.0.2.1"),
        Counted::Key(Uuid::from_u128(1)),
    );
    let first = capacity.reserve(4, far).unwrap();
    let _second = capacity.reserve(4, far).unwrap();
    assert!(capacity.reserve(4, far).is_none(), "its half is in use");
    let third = capacity.reserve(4, key).unwrap();
    let _fourth = capacity.reserve(4, near).unwrap();
    assert!(capacity.reserve(4, near).is_none(), "everything is in use");
    drop(third);
    assert!(capacity.reserve(4, far).is_none(), "it still uses its half");
    drop(first);
    let _again = capacity.reserve(4, far).unwrap();
    let _and_near = capacity.reserve(4, near).unwrap();
    assert_eq!(capacity.in_use(), 4);
    assert!(capacity.reserve(1, key).is_none());
    assert!(
        Capacity::default().reserve(1, key).is_some(),
        "one is half of one"
    );
    assert!(Capacity::default().reserve(0, near).is_none());
}
