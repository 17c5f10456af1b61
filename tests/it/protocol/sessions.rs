//! Idle sessions of Streamable HTTP: they cost little, and clients do not notice that they were suspended.

use futures::future::join_all;
use recall_kit_tests::{Home, Launch, McpSession, Server, within_deadline};
use reqwest::Method;
use serde_json::json;

/// Logged once for every suspended session.
const SUSPENDED: &str = "a session is suspended";

async fn server(home: &Home, settings: &str) -> Server {
    let launch = Launch::new(home).settings(settings);
    launch.args(&["--log-level", "debug"]).start().await
}

#[tokio::test]
async fn a_suspended_session_loses_nothing() {
    let home = Home::new();
    let notes = home.write("notes.txt", "first");
    let notes = format!("file://{}", notes.display());
    let settings = format!("[[resources]]\nuri = \"{notes}\"\nname = \"Notes\"");
    let server = server(&home, &settings).await;
    let resting = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    let listening = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    let mut notifications = listening.events().await;
    for session in [&resting, &listening] {
        let subscribed = session.request("resources/subscribe", json!({"uri": notes}));
        assert_eq!(subscribed.await["result"], json!({}));
    }
    server.logged(SUSPENDED).await;

    // The listening session was not suspended; once it is notified of the change, the server has noticed it.
    let updated = "notifications/resources/updated";
    home.write("notes.txt", "second, longer");
    assert_eq!(
        notifications.notification(updated).await["uri"],
        notes.as_str()
    );
    let read = || resting.request("resources/read", json!({"uri": notes}));
    for answer in join_all((0..8).map(|_| read())).await {
        let text = &answer["result"]["contents"][0]["text"];
        assert_eq!(text, "second, longer", "{answer}");
    }
    let mut events = resting.events().await;
    assert_eq!(events.notification(updated).await["uri"], notes.as_str());
    home.write("notes.txt", "the third");
    assert_eq!(events.notification(updated).await["uri"], notes.as_str());
    drop(events);
    assert_eq!(resting.close().await, 204);
}

#[tokio::test]
async fn a_suspended_session_can_be_ended() {
    let home = Home::new();
    let server = server(&home, "").await;
    let session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    server.logged(SUSPENDED).await;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let id = session.id().to_owned();
    assert_eq!(session.close().await, 204);
    let headers = [
        ("mcp-session-id", id.as_str()),
        ("accept", "application/json, text/event-stream"),
    ];
    let ping = server
        .wire
        .send(Method::POST, "/mcp", &headers, body.to_string());
    let answer = ping.await;
    assert_eq!(answer.status, 404, "{}", answer.text);
}

#[tokio::test]
async fn suspended_sessions_use_little_memory() {
    const SESSIONS: u64 = 400;
    const MOST_KIB: u64 = 40;
    let home = Home::new();
    let server = server(&home, "").await;
    let mut sessions = Vec::new();
    let mut open = async |many: u64| {
        for _ in 0..many {
            let session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
            session.request("tools/list", json!({})).await;
            sessions.push(session);
        }
    };
    // Memory that grows only once has grown after these.
    open(20).await;
    server.logged(SUSPENDED).await;
    let before = server.memory_kib();
    open(SESSIONS).await;
    let light = async {
        // Requests give the allocator an occasion to return memory.
        while server.memory_kib() > before + SESSIONS * MOST_KIB {
            assert_eq!(server.wire.get("/healthz").await.status, 200);
        }
    };
    within_deadline("sessions at rest that weigh little", light).await;
}
