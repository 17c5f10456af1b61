//! Places in all, and the share of one.

#![allow(clippy::unwrap_used)]

use std::net::IpAddr;

use uuid::Uuid;

use super::{Counted, Room};

fn address(text: &str) -> Counted {
    Counted::address(text.parse::<IpAddr>().unwrap())
}

#[test]
fn one_caller_gets_half_and_this_machine_all() {
    let room = Room::default();
    let (near, far, key) = (
        address("127.0.0.1"),
        address("192.0.2.1"),
        Counted::Key(Uuid::from_u128(1)),
    );
    let first = room.enter(4, far).unwrap();
    let _second = room.enter(4, far).unwrap();
    assert!(room.enter(4, far).is_none(), "the half is taken");
    let third = room.enter(4, key).unwrap();
    let _fourth = room.enter(4, near).unwrap();
    assert!(room.enter(4, near).is_none(), "all are taken");
    drop(third);
    assert!(room.enter(4, far).is_none(), "not by whom has his half");
    drop(first);
    let _again = room.enter(4, far).unwrap();
    let _and_near = room.enter(4, near).unwrap();
    assert_eq!(room.open(), 4);
    assert!(room.enter(1, key).is_none());
    assert!(
        Room::default().enter(1, key).is_some(),
        "one is half of one"
    );
    assert!(Room::default().enter(0, near).is_none());
}
