//! Ids of calls in flight, and how long sessions last.

#![allow(clippy::unwrap_used)]

use std::{net::IpAddr, sync::Arc, time::Duration};

use rmcp::model::RequestId;
use tokio::time::Instant;

use super::{KEEP_ALIVE, KEEP_UNOPENED, MAX_UNANSWERED, Owners, Refusal};
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
    assert!(owners.is_used_by(&id, None));
    owners.remove(&id);
    assert!(!owners.is_used_by(&id, None));
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
