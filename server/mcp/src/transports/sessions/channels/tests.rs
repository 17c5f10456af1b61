//! Where messages go, and what is left of a session at rest.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use futures::FutureExt as _;
use rmcp::{
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::{Transport as _, streamable_http_server::session::ServerSseMessage},
};
use serde_json::{Value, json};
use tokio::sync::mpsc::Receiver;

use super::{CAPACITY, Channels, HandlerTransport};

fn open() -> (Arc<Channels>, HandlerTransport) {
    Channels::new(Arc::new(|_| Box::pin(std::future::ready(()))))
}

fn client(message: Value) -> ClientJsonRpcMessage {
    let mut whole = json!({"jsonrpc": "2.0"});
    whole
        .as_object_mut()
        .unwrap()
        .extend(message.as_object().unwrap().clone());
    serde_json::from_value(whole).unwrap()
}

fn server(message: Value) -> ServerJsonRpcMessage {
    let mut whole = json!({"jsonrpc": "2.0"});
    whole
        .as_object_mut()
        .unwrap()
        .extend(message.as_object().unwrap().clone());
    serde_json::from_value(whole).unwrap()
}

fn call(id: u64) -> ClientJsonRpcMessage {
    let meta = json!({"progressToken": format!("of {id}")});
    client(json!({"id": id, "method": "tools/call", "params": {"name": "x", "_meta": meta}}))
}

fn answer(id: u64) -> ServerJsonRpcMessage {
    server(json!({"id": id, "result": {}}))
}

fn progress(id: u64) -> ServerJsonRpcMessage {
    let params = json!({"progressToken": format!("of {id}"), "progress": 1});
    server(json!({"method": "notifications/progress", "params": params}))
}

fn changed() -> ServerJsonRpcMessage {
    server(json!({"method": "notifications/tools/list_changed"}))
}

async fn say(handler: &mut HandlerTransport, message: ServerJsonRpcMessage) {
    handler.send(message).await.unwrap();
}

/// Returns the ids of the events that are there.
fn ids(events: &mut Receiver<ServerSseMessage>) -> Vec<String> {
    let events = std::iter::from_fn(|| events.try_recv().ok());
    events.map(|event| event.event_id.unwrap()).collect()
}

#[tokio::test]
async fn every_message_goes_onto_the_stream_it_belongs_to() {
    let (channels, mut handler) = open();
    let mut own = channels.listen(None);
    let mut first = channels.call(call(1)).await.unwrap();
    let mut second = channels.call(call(2)).await.unwrap();
    for id in [1, 2] {
        let heard = serde_json::to_value(handler.receive().await.unwrap()).unwrap();
        assert_eq!(heard["id"], id);
    }
    say(&mut handler, progress(2)).await;
    say(&mut handler, changed()).await;
    say(&mut handler, answer(1)).await;
    say(&mut handler, progress(7)).await;
    assert_eq!(ids(&mut first), ["0/0", "1/0"]);
    assert_eq!(ids(&mut second), ["0/1", "1/1"]);
    assert_eq!(ids(&mut own), ["1", "2"], "what belongs to no call");
    assert!(first.recv().await.is_none(), "the answer ends the stream");

    // What is cancelled is not answered.
    let cancelled = json!({"method": "notifications/cancelled", "params": {"requestId": 2}});
    channels.pass(client(cancelled)).await.unwrap();
    assert!(second.recv().await.is_none());
    // Others may listen, too, and hear nothing.
    let mut other = channels.listen(None);
    say(&mut handler, changed()).await;
    assert_eq!(
        (ids(&mut own), ids(&mut other)),
        (vec!["3".to_owned()], vec![])
    );
    channels.close();
    assert!(own.recv().await.is_none() && other.recv().await.is_none());
    assert!(channels.call(call(3)).await.is_err());
}

#[tokio::test]
async fn who_comes_back_hears_what_was_missed_as_far_as_it_is_kept() {
    let (channels, mut handler) = open();
    say(&mut handler, changed()).await;
    let mut own = channels.listen(None);
    assert_eq!(ids(&mut own), ["1"], "said before anybody listened");
    drop(own);
    for _ in 0..3 {
        say(&mut handler, changed()).await;
    }
    assert_eq!(ids(&mut channels.listen(Some(2))), ["3", "4"]);
    for _ in 0..CAPACITY {
        say(&mut handler, changed()).await;
    }
    let kept = ids(&mut channels.listen(Some(1)));
    assert_eq!((kept.len(), kept[0].as_str()), (CAPACITY, "5"));

    let mut connection = channels.call(call(1)).await.unwrap();
    say(&mut handler, progress(1)).await;
    let mut resumed = channels.resume(0, 0).unwrap();
    assert_eq!(ids(&mut connection), ["0/0", "1/0"]);
    assert!(connection.recv().await.is_none(), "another one reads it");
    say(&mut handler, answer(1)).await;
    assert_eq!(ids(&mut resumed), ["1/0", "2/0"]);
    assert!(channels.resume(0, 0).is_none(), "it was answered");
    assert!(channels.resume(1, 0).is_none());
}

#[tokio::test]
async fn a_reader_that_is_slow_holds_up_its_own_stream_only() {
    let (channels, mut handler) = open();
    let mut slow = channels.call(call(1)).await.unwrap();
    for _ in 1..CAPACITY {
        say(&mut handler, progress(1)).await;
    }
    let mut waiting = Box::pin(handler.send(answer(1)));
    assert!((&mut waiting).now_or_never().is_none(), "there is no room");
    let mut own = channels.listen(None);
    say(&mut handler, changed()).await;
    assert_eq!(ids(&mut own), ["1"]);
    assert_eq!(ids(&mut slow).len(), CAPACITY);
    waiting.await.unwrap();
    assert_eq!(ids(&mut slow), [format!("{CAPACITY}/0")]);
}

#[tokio::test]
async fn only_a_session_at_rest_is_suspended_and_it_keeps_its_numbers() {
    let (channels, mut handler) = open();
    let mut events = channels.call(call(1)).await.unwrap();
    assert!(!channels.suspend(), "a call is unanswered");
    // Its client left, and uses the id again before the answer.
    drop(events);
    events = channels.call(call(1)).await.unwrap();
    say(&mut handler, answer(1)).await;
    assert_eq!(ids(&mut events), ["0/1", "1/1"]);

    say(&mut handler, server(json!({"id": 5, "method": "ping"}))).await;
    assert!(!channels.suspend(), "the client has to answer");
    channels
        .pass(client(json!({"id": 5, "result": {}})))
        .await
        .unwrap();

    let own = channels.listen(None);
    assert!(!channels.suspend(), "somebody listens");
    drop(own);
    // The two calls and the answer.
    for _ in 0..3 {
        handler.receive().await.unwrap();
    }
    assert!(channels.suspend());
    assert!(channels.is_suspended() && !channels.ends_with(1));
    assert!(handler.receive().await.is_none(), "the handler's loop ends");
    let ready = || client(json!({"method": "notifications/initialized"}));
    assert!(channels.pass(ready()).await.is_err());

    let mut next = channels.connect();
    drop(handler);
    let mut events = channels.call(call(2)).await.unwrap();
    say(&mut next, answer(2)).await;
    assert_eq!(ids(&mut events), ["0/2", "1/2"], "the numbers go on");
    say(&mut next, changed()).await;
    assert_eq!(ids(&mut channels.listen(Some(1))), ["2"]);
    assert!(channels.ends_with(2) && !channels.ends_with(1));
    channels.pass(ready()).await.unwrap();
    drop(next);
    assert!(channels.pass(ready()).await.is_err(), "the handler is gone");
}

#[tokio::test]
async fn the_first_word_of_a_handler_answers_initialize() {
    let hello = || {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "a client", "version": "1"},
        });
        client(json!({"id": 0, "method": "initialize", "params": params}))
    };
    let (channels, mut handler) = open();
    let serving = async {
        handler.receive().await.unwrap();
        assert!(!channels.suspend(), "it is about to open");
        say(&mut handler, answer(0)).await;
    };
    let (opened, ()) = tokio::join!(channels.open(hello()), serving);
    assert!(matches!(opened, Ok(ServerJsonRpcMessage::Response(_))));
    assert_eq!(channels.hello().unwrap().client_info.name, "a client");

    let (channels, handler) = open();
    let gone = async { drop(handler) };
    let (opened, ()) = tokio::join!(channels.open(hello()), gone);
    assert!(opened.is_err());
}
