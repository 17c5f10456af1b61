//! Sessions of Streamable HTTP that nobody uses for a while: they cost little, and nobody notices.

use futures::future::join_all;
use recall_kit_tests::{Home, Launch, McpSession, Server, within_deadline};
use reqwest::Method;
use serde_json::json;

/// In the log, once for every session.
const SUSPENDED: &str = "a session is suspended";

async fn server(home: &Home, settings: &str) -> Server {
    let launch = Launch::new(home).settings(settings);
    launch.args(&["--log-level", "debug"]).start().await
}

#[tokio::test]
async fn a_session_at_rest_loses_nothing() {
    let home = Home::new();
    let notes = home.write("notes.txt", "first");
    let notes = format!("file://{}", notes.display());
    let settings = format!("[[resources]]\nuri = \"{notes}\"\nname = \"Notes\"");
    let server = server(&home, &settings).await;
    let resting = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    let listening = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    let mut heard = listening.events().await;
    for session in [&resting, &listening] {
        let subscribed = session.request("resources/subscribe", json!({"uri": notes}));
        assert_eq!(subscribed.await["result"], json!({}));
    }
    server.logged(SUSPENDED).await;

    // The other one, which listens, was not suspended; once it has heard of the change, so has the server.
    let updated = "notifications/resources/updated";
    home.write("notes.txt", "second, longer");
    assert_eq!(heard.notification(updated).await["uri"], notes.as_str());
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
async fn sessions_at_rest_weigh_little() {
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
    // Whatever grows once has grown after these.
    open(20).await;
    server.logged(SUSPENDED).await;
    let before = server.memory_kib();
    open(SESSIONS).await;
    let light = async {
        // Requests give the allocator occasion to give memory back.
        while server.memory_kib() > before + SESSIONS * MOST_KIB {
            assert_eq!(server.wire.get("/healthz").await.status, 200);
        }
    };
    within_deadline("sessions at rest that weigh little", light).await;
}
