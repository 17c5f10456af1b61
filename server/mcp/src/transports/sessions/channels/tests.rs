//! The routing of messages to streams, the resuming of streams, and the suspension of sessions.

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
    let mut full = json!({"jsonrpc": "2.0"});
    full.as_object_mut()
        .unwrap()
        .extend(message.as_object().unwrap().clone());
    serde_json::from_value(full).unwrap()
}

fn server(message: Value) -> ServerJsonRpcMessage {
    let mut full = json!({"jsonrpc": "2.0"});
    full.as_object_mut()
        .unwrap()
        .extend(message.as_object().unwrap().clone());
    serde_json::from_value(full).unwrap()
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

async fn send(handler: &mut HandlerTransport, message: ServerJsonRpcMessage) {
    handler.send(message).await.unwrap();
}

/// Returns the ids of the events that have arrived.
fn ids(events: &mut Receiver<ServerSseMessage>) -> Vec<String> {
    let events = std::iter::from_fn(|| events.try_recv().ok());
    events.map(|event| event.event_id.unwrap()).collect()
}

#[tokio::test]
async fn every_message_goes_to_the_stream_of_its_call_or_to_the_standalone_stream() {
    let (channels, mut handler) = open();
    let mut standalone = channels.listen(None);
    let mut first = channels.call(call(1)).await.unwrap();
    let mut second = channels.call(call(2)).await.unwrap();
    for id in [1, 2] {
        let received = serde_json::to_value(handler.receive().await.unwrap()).unwrap();
        assert_eq!(received["id"], id);
    }
    send(&mut handler, progress(2)).await;
    send(&mut handler, changed()).await;
    send(&mut handler, answer(1)).await;
    send(&mut handler, progress(7)).await;
    assert_eq!(ids(&mut first), ["0/0", "1/0"]);
    assert_eq!(ids(&mut second), ["0/1", "1/1"]);
    assert_eq!(ids(&mut standalone), ["1", "2"], "messages of no call");
    assert!(first.recv().await.is_none(), "the answer ends the stream");

    // A cancelled call is not answered.
    let cancelled = json!({"method": "notifications/cancelled", "params": {"requestId": 2}});
    channels.pass(client(cancelled)).await.unwrap();
    assert!(second.recv().await.is_none());
    // Additional readers may connect, but receive nothing.
    let mut other = channels.listen(None);
    send(&mut handler, changed()).await;
    assert_eq!(
        (ids(&mut standalone), ids(&mut other)),
        (vec!["3".to_owned()], vec![])
    );
    channels.close();
    assert!(standalone.recv().await.is_none() && other.recv().await.is_none());
    assert!(channels.call(call(3)).await.is_err());
}

#[tokio::test]
async fn a_resumed_stream_repeats_the_missed_events_that_are_still_stored() {
    let (channels, mut handler) = open();
    send(&mut handler, changed()).await;
    let mut standalone = channels.listen(None);
    assert_eq!(ids(&mut standalone), ["1"], "sent before the first reader");
    drop(standalone);
    for _ in 0..3 {
        send(&mut handler, changed()).await;
    }
    assert_eq!(ids(&mut channels.listen(Some(2))), ["3", "4"]);
    for _ in 0..CAPACITY {
        send(&mut handler, changed()).await;
    }
    let stored = ids(&mut channels.listen(Some(1)));
    assert_eq!((stored.len(), stored[0].as_str()), (CAPACITY, "5"));

    let mut connection = channels.call(call(1)).await.unwrap();
    send(&mut handler, progress(1)).await;
    let mut resumed = channels.resume(0, 0).unwrap();
    assert_eq!(ids(&mut connection), ["0/0", "1/0"]);
    assert!(connection.recv().await.is_none(), "it has another reader");
    send(&mut handler, answer(1)).await;
    assert_eq!(ids(&mut resumed), ["1/0", "2/0"]);
    assert!(channels.resume(0, 0).is_none(), "it was answered");
    assert!(channels.resume(1, 0).is_none());
}

#[tokio::test]
async fn a_slow_reader_delays_only_its_own_stream() {
    let (channels, mut handler) = open();
    let mut slow = channels.call(call(1)).await.unwrap();
    for _ in 1..CAPACITY {
        send(&mut handler, progress(1)).await;
    }
    let mut waiting = Box::pin(handler.send(answer(1)));
    assert!((&mut waiting).now_or_never().is_none(), "the queue is full");
    let mut standalone = channels.listen(None);
    send(&mut handler, changed()).await;
    assert_eq!(ids(&mut standalone), ["1"]);
    assert_eq!(ids(&mut slow).len(), CAPACITY);
    waiting.await.unwrap();
    assert_eq!(ids(&mut slow), [format!("{CAPACITY}/0")]);
}

#[tokio::test]
async fn only_an_idle_session_is_suspended_and_its_numbering_continues() {
    let (channels, mut handler) = open();
    let mut events = channels.call(call(1)).await.unwrap();
    assert!(!channels.suspend(), "a call is unanswered");
    // The client disconnects, and uses the id again before the answer.
    drop(events);
    events = channels.call(call(1)).await.unwrap();
    send(&mut handler, answer(1)).await;
    assert_eq!(ids(&mut events), ["0/1", "1/1"]);

    send(&mut handler, server(json!({"id": 5, "method": "ping"}))).await;
    assert!(!channels.suspend(), "the client has to answer");
    channels
        .pass(client(json!({"id": 5, "result": {}})))
        .await
        .unwrap();

    let standalone = channels.listen(None);
    assert!(!channels.suspend(), "the standalone stream has a reader");
    drop(standalone);
    // The two calls and the answer.
    for _ in 0..3 {
        handler.receive().await.unwrap();
    }
    assert!(channels.suspend());
    assert!(channels.is_suspended() && !channels.ends_with(1));
    assert!(handler.receive().await.is_none(), "the handler's loop ends");
    let initialized = || client(json!({"method": "notifications/initialized"}));
    assert!(channels.pass(initialized()).await.is_err());

    let mut next = channels.connect();
    drop(handler);
    let mut events = channels.call(call(2)).await.unwrap();
    send(&mut next, answer(2)).await;
    assert_eq!(ids(&mut events), ["0/2", "1/2"], "the numbering continues");
    send(&mut next, changed()).await;
    assert_eq!(ids(&mut channels.listen(Some(1))), ["2"]);
    assert!(channels.ends_with(2) && !channels.ends_with(1));
    channels.pass(initialized()).await.unwrap();
    drop(next);
    let passed = channels.pass(initialized()).await;
    assert!(passed.is_err(), "the handler is gone");
}

#[tokio::test]
async fn the_first_message_of_a_handler_answers_initialize() {
    let initialize = || {
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
        assert!(!channels.suspend(), "the session is being opened");
        send(&mut handler, answer(0)).await;
    };
    let (opened, ()) = tokio::join!(channels.open(initialize()), serving);
    assert!(matches!(opened, Ok(ServerJsonRpcMessage::Response(_))));
    let params = channels.initialize_params().unwrap();
    assert_eq!(params.client_info.name, "a client");

    let (channels, handler) = open();
    let gone = async { drop(handler) };
    let (opened, ()) = tokio::join!(channels.open(initialize()), gone);
    assert!(opened.is_err());
}
