//! The HTTP+SSE transport of 2024-11-05: by hand, and with the client of the official Python SDK.

use recall_kit_tests::{
    Home, Launch, LegacySession, Server, Witness, envelope, experience, json_rpc, python,
    script_tool, sorted_tools,
};
use serde_json::{Value, json};

use super::mcp::WITH_SCHEMAS;
use crate::libraries::with_library;

#[tokio::test]
async fn a_session_answers_calls_on_its_stream() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let mut session = LegacySession::open(&server.wire, "/sse", &[]).await;
    let call = |tool: &str, arguments: Value| json!({"name": tool, "arguments": arguments});
    let submit = call("submit_experience", experience("Streams of old"));
    let submitted = session.request("tools/call", submit).await;
    let id = envelope(&submitted)["data"]["id"].clone();
    let query = call("query_experiences", json!({"keywords": "streams"}));
    let found = session.request("tools/call", query).await;
    assert!(id.is_string(), "{submitted}");
    assert_eq!(envelope(&found)["data"]["experiences"][0]["id"], id);
    let unknown = session
        .request("tools/call", call("no_such_tool", json!({})))
        .await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");

    // Each session gets only its own messages.
    let mut other = LegacySession::open(&server.wire, "/sse", &[]).await;
    let mine = json_rpc("ping", json!({}));
    session.send(mine.to_string()).await;
    let theirs = other.request("ping", json!({})).await;
    assert_eq!(theirs["result"], json!({}));
    assert_eq!(
        session.events.answer(&mine["id"]).await.1["result"],
        json!({})
    );
}

#[tokio::test]
async fn wrong_messages_are_refused_with_details() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let mut session = LegacySession::open(&server.wire, "/sse", &[]).await;
    for (body, code) in [
        ("{\"jsonrpc\": \"2.0\",", -32700),
        ("\u{feff}", -32700),
        ("42", -32600),
        ("{\"id\": 1}", -32600),
        ("[]", -32600),
    ] {
        let answer = session.send(body.to_owned()).await;
        assert_eq!(answer.status, 400, "{body}: {}", answer.text);
        assert_eq!(answer.json()["error"]["code"], code, "{body}");
        assert!(answer.json()["error"]["data"]["details"].is_string());
    }
    let ping = json_rpc("ping", json!({})).to_string();
    for endpoint in [
        "/messages",
        "/messages?session_id=",
        "/messages?session_id=nonsense",
        "/messages?session_id=00000000-0000-4000-8000-000000000000",
    ] {
        let answer = server.wire.post(endpoint, ping.clone()).await;
        assert_eq!(answer.status, 404, "{endpoint}: {}", answer.text);
        let details = answer.json()["error"]["data"]["details"].to_string();
        assert!(details.contains("/sse"), "{details}");
    }
    let alive = session.request("ping", json!({})).await;
    assert_eq!(alive["result"], json!({}));
}

#[tokio::test]
async fn a_session_and_its_calls_end_with_its_stream() {
    let home = Home::new();
    let witness = Witness::new(&home, "alive").await;
    let script = format!("{}; sleep 100000 & sleep 100000", witness.hold());
    let settings = script_tool(&script, "timeout_ms = 100000000");
    let server = Launch::new(&home).settings(&settings).start().await;
    let session = LegacySession::open(&server.wire, "/sse", &[]).await;
    let call = json_rpc("tools/call", json!({"name": "script", "arguments": {}}));
    session.send(call.to_string()).await;
    let running = witness.started().await;
    let LegacySession {
        address, events, ..
    } = session;
    drop(events);
    running.ended().await;
    let ping = json_rpc("ping", json!({})).to_string();
    let answer = server.wire.post(&address, ping).await;
    assert_eq!(answer.status, 404, "{}", answer.text);

    // The stream ends when the server stops.
    let mut session = LegacySession::open(&server.wire, "/sse", &[]).await;
    server.stop().await;
    assert_eq!(session.events.message().await, None);
}

#[tokio::test]
async fn changes_and_progress_are_sent_on_the_stream() {
    let home = Home::new();
    let path = home.write("notes.txt", "first");
    let uri = format!("file://{}", path.display());
    let step = script_tool("echo '{\"progress\": 1}' >&2", "");
    let settings = format!("{step}\n[[resources]]\nuri = \"{uri}\"\n");
    let server = Launch::new(&home).settings(&settings).start().await;
    let mut session = LegacySession::open(&server.wire, "/sse", &[]).await;
    let call = json!({"name": "script", "arguments": {}, "_meta": {"progressToken": "t"}});
    let request = json_rpc("tools/call", call);
    session.send(request.to_string()).await;
    let (before, answer) = session.events.answer(&request["id"]).await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert_eq!(before.len(), 1, "{before:?}");
    assert_eq!(
        before[0]["params"],
        json!({"progressToken": "t", "progress": 1.0})
    );

    let subscribed = session
        .request("resources/subscribe", json!({"uri": uri}))
        .await;
    assert_eq!(subscribed["result"], json!({}), "{subscribed}");
    home.write("notes.txt", "second, longer");
    let updated = session
        .events
        .notification("notifications/resources/updated");
    assert_eq!(updated.await["uri"], uri.as_str());
}

#[tokio::test]
async fn the_python_sdk_works_over_legacy_sse() {
    let home = Home::new();
    with_library(&home).await;
    let server = Launch::new(&home).settings(WITH_SCHEMAS).start().await;
    let url = format!("{}/sse", server.wire.base());
    let output = python(&home, "mcp_sdk.py", &["legacy", "sse", &url]).await;
    let seen: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    assert_eq!(seen["tools"], json!(sorted_tools()));
    assert_eq!(seen["found"]["data"]["total"], 1, "{seen}");
    assert_eq!(seen["refused"]["error"]["code"], "INVALID_KEYWORDS");
    assert_eq!(seen["unknown_tool"], -32602);
    server.logged_calls_without_errors();
}

/// Answers wait in memory until the stream is read, so the number of unanswered calls is limited.
#[tokio::test]
async fn a_session_has_a_limited_number_of_unanswered_calls_with_unique_ids() {
    let home = Home::new();
    let settings = script_tool("sleep 100000", "at_once = 100");
    let server = Launch::new(&home).settings(&settings).start().await;
    let session = LegacySession::open(&server.wire, "/sse", &[]).await;
    let call = |id: u32| {
        let params = json!({"name": "script", "arguments": {}});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
    };
    for id in 100..115 {
        assert_eq!(session.send(call(id)).await.status, 202, "{id}");
    }
    let twice = session.send(call(100)).await;
    assert_eq!(twice.status, 429, "{}", twice.text);
    assert_eq!(session.send(call(115)).await.status, 202);
    assert_eq!(session.send(call(116)).await.status, 429);
    let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 100}});
    assert_eq!(session.send(cancelled.to_string()).await.status, 202);
    assert_eq!(session.send(call(116)).await.status, 202);
    // Stopping the server ends the programs.
    server.stop().await;
}
