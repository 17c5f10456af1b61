//! Streams that break at any point, and what a client that comes back is told.

#![allow(clippy::unwrap_used)]

use futures::{StreamExt as _, stream};
use rmcp::transport::streamable_http_server::session::ServerSseMessage;
use tokio::sync::mpsc;

use super::{Events, KEPT_FOR, MAX_EVENTS, MAX_OF_ONE, Replay};

/// The stream 7, which says what is sent to it.
fn talking() -> (mpsc::UnboundedSender<u64>, Events) {
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
async fn what_was_missed_and_what_comes_is_told() {
    let replay = Replay::default();
    let (say, events) = talking();
    let mut connection = replay.remember("mine", events);
    for index in 0..3 {
        say.send(index).unwrap();
    }
    for _ in 0..2 {
        connection.next().await.unwrap();
    }
    drop(connection);
    // The third was on its way, the fourth comes now, the fifth while somebody listens.
    say.send(3).unwrap();
    let mut resumed = replay.resume("mine", "0/7").unwrap();
    for expected in ["1/7", "2/7", "3/7"] {
        let event = resumed.next().await.unwrap();
        assert_eq!(event.event_id.as_deref(), Some(expected));
    }
    drop(resumed);
    let resumed = replay.resume("mine", "1/7").unwrap();
    say.send(4).unwrap();
    drop(say);
    assert_eq!(ids(resumed).await, ["2/7", "3/7", "4/7"]);
    // The whole is still there for who was cut off once more.
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
    replay.forget("mine");
    assert!(replay.resume("mine", "0/7").is_none());
}

#[tokio::test]
async fn a_stream_goes_to_who_comes_for_it_though_its_connection_seems_to_work() {
    let replay = Replay::default();
    let (say, events) = talking();
    let mut dead = replay.remember("mine", events);
    for index in 0..2 {
        say.send(index).unwrap();
        dead.next().await.unwrap();
    }
    let waiting = tokio::spawn(async move { dead.next().await.is_none() });
    tokio::task::yield_now().await;
    let resumed = replay.resume("mine", "0/7").unwrap();
    assert!(waiting.await.unwrap(), "the connection ends at once");
    say.send(2).unwrap();
    drop(say);
    assert_eq!(ids(resumed).await, ["1/7", "2/7"]);
}

#[tokio::test(start_paused = true)]
async fn what_was_written_to_the_end_is_kept_for_a_while() {
    let replay = Replay::default();
    let write = async |number| {
        let (say, events) = numbered(number);
        for index in 0..2 {
            say.send(index).unwrap();
        }
        drop(say);
        let written = ids(replay.remember("mine", events)).await;
        assert_eq!(written.len(), 2);
    };
    write(0).await;
    for _ in 0..2 {
        let resumed = replay.resume("mine", "0/0").unwrap();
        assert_eq!(ids(resumed).await, ["1/0"]);
    }
    for number in 1..=MAX_OF_ONE {
        write(number).await;
    }
    assert!(
        replay.resume("mine", "0/0").is_none(),
        "the oldest goes first"
    );
    tokio::time::advance(KEPT_FOR / 2).await;
    write(100).await;
    tokio::time::advance(KEPT_FOR / 2).await;
    assert!(replay.resume("mine", "0/3").is_none(), "its time is over");
    assert!(replay.resume("mine", "0/100").is_some());
    replay.forget("mine");
    assert!(replay.resume("mine", "0/100").is_none());
}

#[tokio::test]
async fn the_oldest_events_go_first() {
    let replay = Replay::default();
    let (say, events) = talking();
    let mut connection = replay.remember("mine", events);
    say.send(0).unwrap();
    connection.next().await.unwrap();
    drop(connection);
    let many = MAX_EVENTS as u64 + 9;
    for index in 1..=many {
        say.send(index).unwrap();
    }
    drop(say);
    let resumed = replay.resume("mine", &format!("{}/7", many - 1)).unwrap();
    assert_eq!(ids(resumed).await, [format!("{many}/7")]);
    let resumed = ids(replay.resume("mine", "0/7").unwrap()).await;
    assert_eq!(resumed.len(), MAX_EVENTS);
    assert_eq!(resumed[0], "10/7");
}
