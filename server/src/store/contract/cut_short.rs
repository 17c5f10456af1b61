//! Callers that give up while the database works for them.

use std::{future::Future, pin::pin, time::Duration};

use futures::poll;

use super::*;
use crate::store::{Day, SearchFor};

/// After how many looks at its call a caller gives up, at most; no call needs as many.
const LOOKS: usize = 12;
/// As long as an answer takes to arrive.
const ANSWER: Duration = Duration::from_millis(10);

pub(super) async fn what_is_written_after_a_call_was_given_up_is_kept(place: Place) {
    let (store, other) = (place.open().await, place.open().await);
    let counted = new("counted");
    let counts = [(counted.id, 1)];
    let now = counted.created_at;
    store.insert_experience(counted).await.unwrap();
    for looks in 1..=LOOKS {
        give_up(store.add_query_counts(&counts, now), looks).await;
        // Whichever connection the call had, one of these has it next.
        for _ in 0..StoreOptions::CONNECTIONS {
            let id = store.insert_experience(new("kept")).await.unwrap();
            let there = other.experiences(&[id]).await.unwrap();
            assert_eq!(there.len(), 1, "given up after {looks} looks");
        }
    }
}

pub(super) async fn no_transaction_stays_open_when_a_call_was_given_up(place: Place) {
    let store = place.open().await;
    let (day, wanted) = (Day(0), SearchFor::default());
    for looks in 1..=3 {
        give_up(store.question_days(day), looks).await;
        give_up(store.search_candidates(&wanted), looks).await;
        give_up(store.claim_embedding_model(MODEL), looks).await;
        #[cfg(unix)]
        if let Place::Postgres(cluster, database) = &place {
            let open = "select count(*) from pg_stat_activity where state like 'idle in trans%'";
            let mut tries = 0..LOOKS;
            while cluster.sql(database, open) != "0" {
                // The database itself ends them after seconds.
                assert!(tries.next().is_some(), "open after {looks} looks");
                tokio::time::sleep(10 * ANSWER).await;
            }
        }
    }
}

/// Begins a call and drops it after so many looks whether it is done.
async fn give_up(call: impl Future, looks: usize) {
    let mut call = pin!(call);
    // It shall find a connection, not make one.
    tokio::time::sleep(ANSWER).await;
    for _ in 0..looks {
        if poll!(call.as_mut()).is_ready() {
            return;
        }
        tokio::time::sleep(ANSWER).await;
    }
}
