//! Ids of calls in flight, and how long sessions last.

#![allow(clippy::unwrap_used)]

use std::{cell::Cell, net::IpAddr, sync::Arc, time::Duration};

use rmcp::model::RequestId;
use tokio::time::Instant;

use super::{KEEP_ALIVE, KEEP_UNOPENED, MAX_UNANSWERED, Owners, REST_AFTER, Refusal};
use crate::transports::guard::{rate::Counted, room::Room};

fn open(owners: &Owners) -> Arc<str> {
    let holder = Counted::address(IpAddr::from([127, 0, 0, 1]));
    let id = Arc::from("session");
    owners.insert(&id, None, Room::default().enter(1, holder).unwrap());
    id
}

#[test]
fn an_id_is_taken_until_its_answer() {
    let owners = Owners::default();
    let id = open(&owners);
    let call = |number| Some(RequestId::Number(number));
    let first = owners.ask(&id, call(1)).unwrap();
    assert!(matches!(owners.ask(&id, call(1)), Err(Refusal::IdTaken)));
    drop(first);
    let mut held: Vec<_> = (1..=MAX_UNANSWERED as i64)
        .map(|number| owners.ask(&id, call(number)).unwrap())
        .collect();
    assert!(matches!(
        owners.ask(&id, call(0)),
        Err(Refusal::TooManyCalls)
    ));
    held[0].answered();
    assert!(owners.ask(&id, call(0)).is_ok());
    assert!(owners.enter(&id, None).is_some());
    let stranger = Some(uuid::Uuid::from_u128(1));
    assert!(owners.enter(&id, stranger).is_none());
    owners.remove(&id);
    assert!(owners.enter(&id, None).is_none());
}

/// Returns after how long a session is suspended.
async fn rests_after(prepare: impl FnOnce(&Owners, &Arc<str>)) -> Option<Duration> {
    let owners = Owners::default();
    let id = open(&owners);
    prepare(&owners, &id);
    let (start, suspended) = (Instant::now(), Cell::new(None));
    let suspend = || {
        suspended.set(Some(start.elapsed()));
        true
    };
    tokio::select! {
        () = owners.suspend_at_rest(&id, suspend) => {}
        () = tokio::time::sleep(REST_AFTER * 20) => {}
    }
    suspended.get()
}

#[tokio::test(start_paused = true)]
async fn sessions_are_suspended_when_nothing_goes_on_in_them() {
    let ready = rests_after(|owners, id| owners.ready(id)).await.unwrap();
    assert_eq!(ready.as_secs(), REST_AFTER.as_secs());
    let unready = rests_after(|_, _| {}).await;
    assert_eq!(unready, None, "its client is not ready");
    let entered = rests_after(|owners, id| {
        owners.ready(id);
        let held = owners.enter(id, None).unwrap();
        tokio::spawn(async move {
            tokio::time::sleep(REST_AFTER * 3).await;
            drop(held);
        });
    });
    let entered = entered.await.unwrap();
    assert!(
        entered >= REST_AFTER * 4,
        "a request is on its way: {entered:?}"
    );
}

/// Returns after how long a session ends by itself.
async fn lasts(prepare: impl FnOnce(&Owners, &Arc<str>)) -> Duration {
    let owners = Owners::default();
    let id = open(&owners);
    prepare(&owners, &id);
    let start = Instant::now();
    owners.idle(&id).await;
    start.elapsed()
}

#[tokio::test(start_paused = true)]
async fn sessions_end_when_nobody_uses_them() {
    let about = |lasted: Duration, expected: Duration| {
        assert_eq!(lasted.as_secs(), expected.as_secs(), "{lasted:?}");
    };
    about(lasts(|_, _| {}).await, KEEP_UNOPENED);
    about(lasts(|owners, id| owners.ready(id)).await, KEEP_ALIVE);
    // A stream that is open keeps its session; after its end the time runs anew.
    let listened = KEEP_ALIVE * 3;
    let listening = lasts(|owners, id| {
        owners.ready(id);
        let held = owners.hold(id, None);
        tokio::spawn(async move {
            tokio::time::sleep(listened).await;
            drop(held);
        });
    });
    let lasted = listening.await;
    assert!(
        (listened + KEEP_ALIVE..=listened + KEEP_ALIVE * 2).contains(&lasted),
        "{lasted:?}"
    );
}
