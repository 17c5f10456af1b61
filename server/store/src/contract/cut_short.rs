//! Callers that give up while the database works for them.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
};

use super::*;
use crate::{Day, SearchFor};

/// How often a call has to wait, at most, until it is given up; no call has to as often.
const WAITS: usize = 12;
/// How often is looked for what is open, at most; each look starts a program.
#[cfg(unix)]
const TRIES: usize = 60;

pub(super) async fn what_is_written_after_a_call_was_given_up_is_kept(place: Place) {
    let (store, other) = (place.open().await, place.open().await);
    let counted = new("counted");
    let counts = new_counts([(counted.id, 1)]);
    let now = counted.created_at;
    store.insert_experience(counted).await.unwrap();
    // Of two connections one is always there: a call that made one would wait for that first.
    let both = futures::join!(store.head_seq(), store.head_seq());
    both.0.and(both.1).unwrap();
    let mut kept = 0;
    for waits in 1..=WAITS {
        give_up(store.add_query_counts(&counts, now), waits).await;
        // Whichever connection the call had, one of these has it next.
        for _ in 0..StoreOptions::CONNECTIONS {
            kept += 1;
            let record = new(&format!("kept {kept}"));
            let id = store.insert_experience(record).await.unwrap().id;
            let there = other.experiences(&[id]).await.unwrap();
            assert_eq!(there.len(), 1, "given up after {waits} waits");
        }
    }
}

pub(super) async fn no_transaction_stays_open_when_a_call_was_given_up(place: Place) {
    let store = place.open().await;
    let both = futures::join!(store.head_seq(), store.head_seq());
    both.0.and(both.1).unwrap();
    let wanted = SearchFor::default();
    for waits in 1..=3 {
        give_up(store.question_days(Day(0)), waits).await;
        check_nothing_open(&place).await;
        give_up(store.search_candidates(&wanted), waits).await;
        check_nothing_open(&place).await;
        give_up(store.claim_embedding_model(MODEL), waits).await;
        check_nothing_open(&place).await;
    }
}

/// Waits until the database has no open transaction; not as long as it takes to end one itself.
async fn check_nothing_open(place: &Place) {
    #[cfg(unix)]
    if let Place::Postgres(cluster, database) = place {
        let open = "select count(*) from pg_stat_activity where state like 'idle in trans%'";
        let mut tries = 0..TRIES;
        while cluster.sql(database, open) != "0" {
            assert!(tries.next().is_some(), "a transaction is open");
            // What was given up is taken back meanwhile.
            tokio::task::yield_now().await;
        }
    }
}

/// Begins a call and drops it when it has to wait for the so-manieth time.
pub(super) async fn give_up(call: impl Future, waits: usize) {
    let mut call = pin!(call);
    let mut left = waits;
    poll_fn(|context| {
        let is_done = call.as_mut().poll(context).is_ready();
        left -= 1;
        match is_done || left == 0 {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    })
    .await;
}
