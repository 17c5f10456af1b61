//! The order in which the built-in model embeds texts.

#![allow(clippy::unwrap_used)]

use futures::FutureExt as _;

use super::*;

#[tokio::test]
async fn a_query_overtakes_records_and_fails_if_it_waits_too_long() {
    let one_core = BuiltinEmbedder {
        queue: FairQueue::new(1),
        ..BuiltinEmbedder::new()
    };
    let hasty = one_core.clone().with_query_wait(Duration::ZERO);
    let blocker = one_core.queue.turn(Urgency::Patient, 1).await;
    let mut record = one_core.embed_record("it waits");
    assert!(record.as_mut().now_or_never().is_none());
    let refused = hasty.embed_query("too busy").await;
    assert!(matches!(refused, Err(EmbedError::Busy(_))), "{refused:?}");

    let mut query = one_core.embed_query("it goes first");
    assert!(query.as_mut().now_or_never().is_none());
    drop(blocker);
    // The record is still in the queue when the query gets its vector.
    assert!(record.as_mut().now_or_never().is_none());
    assert_eq!(query.await.unwrap().len(), centre::DIMENSIONS);
    assert_eq!(record.await.unwrap().len(), centre::DIMENSIONS);
}
