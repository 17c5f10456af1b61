//! Streams whose connection breaks at any point, and the events that a client gets when it resumes them.

#![allow(clippy::unwrap_used)]

use futures::{StreamExt as _, stream};
use rmcp::transport::streamable_http_server::session::ServerSseMessage;
use tokio::sync::mpsc;

use super::{Events, MAX_EVENTS, MAX_PER_SESSION, RETENTION, Replay};

/// Returns the stream 7, and a sender of the indexes of its events.
fn stream_seven() -> (mpsc::UnboundedSender<u64>, Events) {
    numbered(7)
}

fn numbered(number: usize) -> (mpsc::UnboundedSender<u64>, Events) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let events = stream::unfold(receiver, move |mut receiver| async move {
        let index: u64 = receiver.recv().await?;
        let id = format!("{index}/{number}");
        let event = ServerSseMessage::priming(id, std::time::Duration::ZERO);
        Some((event, receiver))
    });
    (sender, Box::pin(events))
}

async fn ids(events: impl futures::Stream<Item = ServerSseMessage>) -> Vec<String> {
    let ids = events.map(|event| event.event_id.unwrap_or_default());
    ids.collect().await
}

#[tokio::test]
async fn a_resumed_stream_has_the_missed_events_and_the_new_ones() {
    let replay = Replay::default();
    let (sender, events) = stream_seven();
    let mut connection = replay.record("mine", events);
    for index in 0..3 {
        sender.send(index).unwrap();
    }
    for _ in 0..2 {
        connection.next().await.unwrap();
    }
    drop(connection);
    // The third event was already sent to the stream, the fourth is sent now, the fifth while it is read.
    sender.send(3).unwrap();
    let mut resumed = replay.resume("mine", "0/7").unwrap();
    for expected in ["1/7", "2/7", "3/7"] {
        let event = resumed.next().await.unwrap();
        assert_eq!(event.event_id.as_deref(), Some(expected));
    }
    drop(resumed);
    let resumed = replay.resume("mine", "1/7").unwrap();
    sender.send(4).unwrap();
    drop(sender);
    assert_eq!(ids(resumed).await, ["2/7", "3/7", "4/7"]);
    // The events are still stored for a connection that breaks once more.
    let again = replay.resume("mine", "3/7").unwrap();
    assert_eq!(ids(again).await, ["4/7"]);
    let nothing = replay.resume("mine", "4/7").unwrap();
    assert_eq!(ids(nothing).await, Vec::<String>::new());

    for (session, id) in [
        ("other", "0/7"),
        ("mine", "0/8"),
        ("mine", "0"),
        ("mine", ""),
        ("mine", "x/7"),
        ("mine", "0/7/7"),
    ] {
        assert!(replay.resume(session, id).is_none(), "{session} {id}");
    }
    replay.remove_session("mine");
    assert!(replay.resume("mine", "0/7").is_none());
}

#[tokio::test]
async fn a_stream_can_be_resumed_although_its_connection_seems_to_work() {
    let replay = Replay::default();
    let (sender, events) = stream_seven();
    let mut dead = replay.record("mine", events);
    for index in 0..2 {
        sender.send(index).unwrap();
        dead.next().await.unwrap();
    }
    let waiting = tokio::spawn(async move { dead.next().await.is_none() });
    tokio::task::yield_now().await;
    let resumed = replay.resume("mine", "0/7").unwrap();
    assert!(waiting.await.unwrap(), "the connection ends at once");
    sender.send(2).unwrap();
    drop(sender);
    assert_eq!(ids(resumed).await, ["1/7", "2/7"]);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_was_written_to_the_end_stays_stored_for_a_while() {
    let replay = Replay::default();
    let write = async |number| {
        let (sender, events) = numbered(number);
        for index in 0..2 {
            sender.send(index).unwrap();
        }
        drop(sender);
        let written = ids(replay.record("mine", events)).await;
        assert_eq!(written.len(), 2);
    };
    write(0).await;
    for _ in 0..2 {
        let resumed = replay.resume("mine", "0/0").unwrap();
        assert_eq!(ids(resumed).await, ["1/0"]);
    }
    for number in 1..=MAX_PER_SESSION {
        write(number).await;
    }
    assert!(
        replay.resume("mine", "0/0").is_none(),
        "the oldest is removed first"
    );
    tokio::time::advance(RETENTION / 2).await;
    write(100).await;
    tokio::time::advance(RETENTION / 2).await;
    assert!(replay.resume("mine", "0/3").is_none(), "it has expired");
    assert!(replay.resume("mine", "0/100").is_some());
    replay.remove_session("mine");
    assert!(replay.resume("mine", "0/100").is_none());
}

#[tokio::test]
async fn the_oldest_events_are_removed_first() {
    let replay = Replay::default();
    let (sender, events) = stream_seven();
    let mut connection = replay.record("mine", events);
    sender.send(0).unwrap();
    connection.next().await.unwrap();
    drop(connection);
    let many = MAX_EVENTS as u64 + 9;
    for index in 1..=many {
        sender.send(index).unwrap();
    }
    drop(sender);
    let resumed = replay.resume("mine", &format!("{}/7", many - 1)).unwrap();
    assert_eq!(ids(resumed).await, [format!("{many}/7")]);
    let resumed = ids(replay.resume("mine", "0/7").unwrap()).await;
    assert_eq!(resumed.len(), MAX_EVENTS);
    assert_eq!(resumed[0], "10/7");
}
