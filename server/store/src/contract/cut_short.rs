//! Calls that are cancelled while the database works on them.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    task::Poll,
};

use super::*;
use crate::{Day, SearchFor};

/// The largest number of polls after which a call is cancelled; no call needs as many.
const POLLS: usize = 12;
/// How often open transactions are counted at most; each time starts a program.
#[cfg(unix)]
const ATTEMPTS: usize = 60;

pub(super) async fn writes_after_a_cancelled_call_are_kept(database: TestDatabase) {
    let (store, other) = (database.open().await, database.open().await);
    let counted = new("counted");
    let counts = new_counts([(counted.id, 1)]);
    let now = counted.created_at;
    store.insert_experience(counted).await.unwrap();
    // Opens two connections, so that one is always free: a call that had to open one would wait for that
    // first.
    let both = futures::join!(store.head_seq(), store.head_seq());
    both.0.and(both.1).unwrap();
    let mut count = 0;
    for polls in 1..=POLLS {
        cancel(store.add_query_counts(&counts, now), polls).await;
        // One of these writes uses the connection that the cancelled call had.
        for _ in 0..StoreOptions::CONNECTIONS {
            count += 1;
            let record = new(&format!("record {count}"));
            let id = store.insert_experience(record).await.unwrap().id;
            let stored = other.experiences(&[id]).await.unwrap();
            assert_eq!(stored.len(), 1, "cancelled after {polls} polls");
        }
    }
}

pub(super) async fn a_cancelled_call_leaves_no_open_transaction(database: TestDatabase) {
    let store = database.open().await;
    let both = futures::join!(store.head_seq(), store.head_seq());
    both.0.and(both.1).unwrap();
    let wanted = SearchFor::default();
    for polls in 1..=3 {
        cancel(store.question_days(Day(0)), polls).await;
        check_nothing_open(&database).await;
        cancel(store.search_candidates(&wanted), polls).await;
        check_nothing_open(&database).await;
        cancel(store.claim_embedding_model(MODEL), polls).await;
        check_nothing_open(&database).await;
    }
}

/// Waits until the database has no open transaction, for less time than the database takes to end an idle
/// one itself.
async fn check_nothing_open(database: &TestDatabase) {
    #[cfg(unix)]
    if let TestDatabase::Postgres(cluster, name) = database {
        let open = "select count(*) from pg_stat_activity where state like 'idle in trans%'";
        let mut attempts = 0..ATTEMPTS;
        while cluster.sql(name, open) != "0" {
            assert!(attempts.next().is_some(), "a transaction is open");
            // The cancelled transaction is rolled back meanwhile.
            tokio::task::yield_now().await;
        }
    }
}

/// Polls a call this many times, or until it is done, and then drops it.
pub(super) async fn cancel(call: impl Future, polls: usize) {
    let mut call = pin!(call);
    let mut left = polls;
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
