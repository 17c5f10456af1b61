//! Ids of unanswered calls, and the lifetime of sessions.

#![allow(clippy::unwrap_used)]

use std::{cell::Cell, net::IpAddr, sync::Arc, time::Duration};

use rmcp::model::RequestId;
use tokio::time::Instant;

use super::{KEEP_ALIVE, KEEP_UNINITIALIZED, MAX_UNANSWERED, Owners, Refusal, SUSPEND_AFTER};
use crate::transports::guard::{rate::Counted, room::Capacity};

fn open(owners: &Owners) -> Arc<str> {
    let holder = Counted::address(IpAddr::from([127, 0, 0, 1]));
    let id = Arc::from("session");
    owners.insert(&id, None, Capacity::default().reserve(1, holder).unwrap());
    id
}

#[test]
fn an_id_cannot_be_used_again_before_its_answer() {
    let owners = Owners::default();
    let id = open(&owners);
    let call = |number| Some(RequestId::Number(number));
    let first = owners.start_call(&id, call(1)).unwrap();
    assert!(matches!(
        owners.start_call(&id, call(1)),
        Err(Refusal::IdTaken)
    ));
    drop(first);
    let mut leases: Vec<_> = (1..=MAX_UNANSWERED as i64)
        .map(|number| owners.start_call(&id, call(number)).unwrap())
        .collect();
    assert!(matches!(
        owners.start_call(&id, call(0)),
        Err(Refusal::TooManyCalls)
    ));
    leases[0].answered();
    assert!(owners.start_call(&id, call(0)).is_ok());
    assert!(owners.enter(&id, None).is_some());
    let stranger = Some(uuid::Uuid::from_u128(1));
    assert!(owners.enter(&id, stranger).is_none());
    owners.remove(&id);
    assert!(owners.enter(&id, None).is_none());
}

/// Returns after how long a session is suspended; `None` if it is not.
async fn suspended_after(prepare: impl FnOnce(&Owners, &Arc<str>)) -> Option<Duration> {
    let owners = Owners::default();
    let id = open(&owners);
    prepare(&owners, &id);
    let (start, suspended) = (Instant::now(), Cell::new(None));
    let suspend = || {
        suspended.set(Some(start.elapsed()));
        true
    };
    tokio::select! {
        () = owners.suspend_when_idle(&id, suspend) => {}
        () = tokio::time::sleep(SUSPEND_AFTER * 20) => {}
    }
    suspended.get()
}

#[tokio::test(start_paused = true)]
async fn idle_sessions_are_suspended() {
    let idle = suspended_after(|owners, id| owners.set_initialized(id)).await;
    assert_eq!(idle.unwrap().as_secs(), SUSPEND_AFTER.as_secs());
    let uninitialized = suspended_after(|_, _| {}).await;
    assert_eq!(uninitialized, None, "its client is not initialized");
    let in_use = suspended_after(|owners, id| {
        owners.set_initialized(id);
        let lease = owners.enter(id, None).unwrap();
        tokio::spawn(async move {
            tokio::time::sleep(SUSPEND_AFTER * 3).await;
            drop(lease);
        });
    });
    let in_use = in_use.await.unwrap();
    assert!(in_use >= SUSPEND_AFTER * 4, "a request used it: {in_use:?}");
}

/// Returns after how long an unused session expires.
async fn expires_after(prepare: impl FnOnce(&Owners, &Arc<str>)) -> Duration {
    let owners = Owners::default();
    let id = open(&owners);
    prepare(&owners, &id);
    let start = Instant::now();
    owners.expired(&id).await;
    start.elapsed()
}

#[tokio::test(start_paused = true)]
async fn unused_sessions_expire() {
    let check = |lifetime: Duration, expected: Duration| {
        assert_eq!(lifetime.as_secs(), expected.as_secs(), "{lifetime:?}");
    };
    check(expires_after(|_, _| {}).await, KEEP_UNINITIALIZED);
    let initialized = expires_after(|owners, id| owners.set_initialized(id)).await;
    check(initialized, KEEP_ALIVE);
    // An open stream keeps its session alive; the time starts again when the stream ends.
    let open_for = KEEP_ALIVE * 3;
    let streaming = expires_after(|owners, id| {
        owners.set_initialized(id);
        let lease = owners.lease(id, None);
        tokio::spawn(async move {
            tokio::time::sleep(open_for).await;
            drop(lease);
        });
    });
    let lifetime = streaming.await;
    assert!(
        (open_for + KEEP_ALIVE..=open_for + KEEP_ALIVE * 2).contains(&lifetime),
        "{lifetime:?}"
    );
}
