//! Arguments that are passed through lose their secrets; time limits and repetition of calls.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, duplex, split},
    sync::mpsc,
    time::{Instant, sleep},
};

use super::*;
use crate::{ClientConfig, connection::Connection};

/// A made-up token that is not recognized by the words around it.
fn token() -> String {
    ["ghp", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5"].join("_")
}

/// Clients with settings that protect as little as possible.
fn clients() -> Vec<RecallKitClient> {
    let careless = [
        json!({}),
        json!({"enabled": false}),
        json!({"rules": []}),
        json!({"allow": [token()]}),
    ];
    let client = |sanitizer: Value| {
        let settings = json!({"sanitizer": sanitizer});
        let config: ClientConfig = serde_json::from_value(settings).unwrap();
        RecallKitClient::new(config).unwrap()
    };
    careless.into_iter().map(client).collect()
}

#[test]
fn a_completion_request_is_rebuilt_without_secrets() {
    let token = token();
    for reference in [
        json!({"type": "ref/resource", "uri": format!("file:///x?key={token}")}),
        json!({"type": "ref/prompt", "name": format!("x {token}")}),
    ] {
        let request = json!({
            "_meta": {"trace": token},
            "ref": reference,
            "argument": {"name": "language", "value": format!("Fr {token}")},
            "context": {"arguments": {"text": format!("my {token}"), &token: "x"}},
        });
        for client in clients() {
            let request: CompleteRequestParams = serde_json::from_value(request.clone()).unwrap();
            let sent = serde_json::to_value(client.clean_completion(request).unwrap()).unwrap();
            let text = sent.to_string();
            assert!(!text.contains(&token), "{text}");
            assert_eq!(sent["argument"]["name"], "language");
            assert!(sent["context"]["arguments"]["text"].is_string(), "{text}");
        }
    }
}

#[test]
fn arguments_lose_secrets_in_values_and_names() {
    let token = token();
    let arguments = json!({
        "query": format!("note {token}"),
        "filter": {&token: 1, "nested": [{format!("x-{token}"): token}]},
        "limit": 5,
        "since": 1_764_000_000_000_u64,
    });
    let arguments = arguments.as_object().unwrap();
    for client in clients() {
        for kind in [Arguments::Lookup, Arguments::Text] {
            let sent = Value::Object(client.clean(arguments.clone(), kind));
            let text = sent.to_string();
            assert!(!text.contains(&token), "{text}");
            assert_eq!(sent["limit"], 5);
            assert_eq!(sent["since"], 1_764_000_000_000_u64);
            assert_eq!(sent["filter"].as_object().unwrap().len(), 2, "{text}");
        }
    }
}

#[test]
fn a_long_number_may_be_personal_data() {
    let card: u64 = ["4539", "1488", "0343", "6467"].concat().parse().unwrap();
    let client = RecallKitClient::new(ClientConfig::default()).unwrap();
    let arguments = json!({"card": card, "same": {"one": 1, "ones": 2}});
    let sent = client.clean(arguments.as_object().unwrap().clone(), Arguments::Lookup);
    let replaced = sent["card"].as_str().expect("a replacement is a text");
    assert!(!replaced.is_empty());
    assert!(!replaced.contains("0343"), "{replaced}");
    assert_eq!(sent["same"], arguments["same"]);
}

#[test]
fn a_destructive_tool_is_not_called_twice() {
    for (annotations, expected) in [
        (json!({"readOnlyHint": true}), true),
        (
            json!({"idempotentHint": true, "destructiveHint": false}),
            true,
        ),
        (
            json!({"idempotentHint": true, "destructiveHint": true}),
            false,
        ),
        (json!({"idempotentHint": true}), false),
        (json!({"destructiveHint": false}), false),
        (json!({}), false),
        (Value::Null, false),
    ] {
        let tool = json!({"name": "x", "inputSchema": {}, "annotations": annotations});
        let tool: Tool = serde_json::from_value(tool).unwrap();
        assert_eq!(is_repeatable(&tool), expected, "{annotations}");
    }
}

/// A server in memory whose calls take `takes`. It reports the methods that it receives, and to which
/// request a cancellation belongs.
async fn serve(pipe: DuplexStream, takes: Duration, received: mpsc::UnboundedSender<String>) {
    let (input, mut output) = split(pipe);
    let mut lines = BufReader::new(input).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let message: Value = serde_json::from_str(&line).unwrap();
        let method = message["method"].as_str().unwrap_or_default();
        let _ = received.send(match method {
            "notifications/cancelled" => format!("{method} {}", message["params"]["requestId"]),
            "tools/call" => format!("{method} {}", message["id"]),
            other => other.to_owned(),
        });
        let result = match method {
            "initialize" => json!({
                "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "memory", "version": "1"},
            }),
            "tools/call" => {
                sleep(takes).await;
                json!({"content": []})
            }
            _ => continue,
        };
        let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": result});
        let _ = output.write_all(format!("{answer}\n").as_bytes()).await;
    }
}

/// A client of a server whose calls take `takes`, and the messages that this server receives.
pub(crate) async fn client_of(
    timeout_ms: u64,
    takes: Duration,
) -> (RecallKitClient, mpsc::UnboundedReceiver<String>) {
    let settings = json!({"server": {"timeout": timeout_ms}});
    let config: ClientConfig = serde_json::from_value(settings).unwrap();
    let client = RecallKitClient::new(config).unwrap();
    let (here, there) = duplex(1 << 16);
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(serve(there, takes, sender));
    let connection = Arc::new(Connection::over(here).await.unwrap());
    *client.connection.lock().await = Some(connection);
    (client, receiver)
}

fn tool(annotations: Value) -> Tool {
    let tool = json!({"name": "work", "inputSchema": {}, "annotations": annotations});
    serde_json::from_value(tool).unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_writing_tool_has_ten_minutes_and_a_reading_tool_the_usual_time_limit() {
    let (reads, writes) = (json!({"readOnlyHint": true}), Value::Null);
    for (annotations, timeout_ms, takes, is_answered, seconds) in [
        (&reads, 5_000, 4, true, 4),
        (&reads, 5_000, 3_600, false, 5),
        (&writes, 5_000, 599, true, 599),
        (&writes, 5_000, 3_600, false, 600),
        // A longer usual time limit also holds for tools that write.
        (&writes, 900_000, 899, true, 899),
    ] {
        let (client, _receiver) = client_of(timeout_ms, Duration::from_secs(takes)).await;
        let started = Instant::now();
        let (tool, none) = (tool(annotations.clone()), CallContext::default());
        let outcome = client.call_tool(&tool, JsonObject::new(), &none).await;
        let case = format!("{annotations} {timeout_ms} {takes}: {outcome:?}");
        assert_eq!(started.elapsed().as_secs(), seconds, "{case}");
        match is_answered {
            true => assert!(outcome.is_ok(), "{case}"),
            false => assert!(matches!(outcome, Err(Error::Timeout { .. })), "{case}"),
        }
    }
}

/// Returns what the server receives until its session ends or a long time has passed, and whether the
/// session ended.
async fn all_received(mut receiver: mpsc::UnboundedReceiver<String>) -> (Vec<String>, bool) {
    let mut all = Vec::new();
    loop {
        match tokio::time::timeout(WRITE_TIMEOUT * 12, receiver.recv()).await {
            Ok(Some(message)) => all.push(message),
            Ok(None) => return (all, true),
            Err(_) => return (all, false),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_server_is_told_that_a_call_was_cancelled() {
    for is_dropped in [true, false] {
        let (client, receiver) = client_of(5_000, WRITE_TIMEOUT * 6).await;
        let (tool, none) = (tool(Value::Null), CallContext::default());
        let limit = if is_dropped {
            WRITE_TIMEOUT / 2
        } else {
            WRITE_TIMEOUT * 2
        };
        let called = client.call_tool(&tool, JsonObject::new(), &none);
        let outcome = tokio::time::timeout(limit, called).await;
        assert_eq!(outcome.is_err(), is_dropped);
        // After a dropped call the connection stays in use; after a timeout it is given up.
        let (received, is_over) = all_received(receiver).await;
        assert_eq!(is_over, !is_dropped, "{received:?}");
        let calls = received
            .iter()
            .filter_map(|it| it.strip_prefix("tools/call "));
        let cancelled: Vec<_> = calls
            .map(|id| format!("notifications/cancelled {id}"))
            .collect();
        assert_eq!(cancelled.len(), 1, "{received:?}");
        assert!(is_over || received.contains(&cancelled[0]), "{received:?}");
    }
}
