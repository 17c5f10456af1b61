//! Limits on calls, batches, bodies, sessions, streams, sockets and connections.

pub(crate) mod abuse;
pub(crate) mod bad_input;
pub(crate) mod fair_shares;
pub(crate) mod hostile_documents;

use recall_kit_tests::{
    Home, Launch, LegacySession, McpSession, RawAnswer, RawConnection, RawRest, Server, Socket,
    guarded_routes, json_rpc, make_key, within_deadline,
};
use reqwest::Method;
use serde_json::{Value, json};

#[tokio::test]
async fn calls_are_limited_for_each_key_and_address() {
    let home = Home::new();
    // The limit is so low that it does not recover during the test.
    let server = Launch::new(&home)
        .env("RECALL_KIT_LIMITS__CALLS_PER_MINUTE", 2)
        .start()
        .await;
    let [first, second] = ["first", "second"].map(|name| make_key(&home, name, "read"));
    let (first, second) = (first.await, second.await);
    let ping = json_rpc("ping", json!({}));
    let send = async |key: Option<&str>, body: &Value| {
        let header = key.map(|key| ("x-api-key", key));
        let headers: Vec<_> = header.into_iter().collect();
        let body = body.to_string();
        server.wire.send(Method::POST, "/mcp", &headers, body).await
    };
    for key in [Some(first.as_str()), Some(&second), None] {
        let both = send(key, &json!([ping, ping])).await;
        assert_eq!(both.status, 200, "{key:?}: {}", both.text);
        let third = send(key, &ping).await;
        assert_eq!(third.status, 429, "{key:?}: {}", third.text);
        let wait = third.headers["retry-after"].to_str().unwrap();
        assert!((1..=60).contains(&wait.parse::<u32>().unwrap()), "{wait}");
        assert_eq!(third.json()["error"]["code"], -32006, "{}", third.text);
    }
    // Calls with wrong keys count for the caller's address.
    let guess = format!("rk_{}_{}", "0".repeat(8), "a".repeat(43));
    assert_eq!(send(Some(&guess), &ping).await.status, 429);
    assert_eq!(server.wire.get("/healthz").await.status, 200);

    let third = make_key(&home, "third", "read").await;
    assert_eq!(
        send(Some(&third), &json!([ping, ping, ping])).await.status,
        429
    );
    let fourth = make_key(&home, "fourth", "read").await;
    let mut socket = Socket::open(server.port(), &[("x-api-key", &fourth)])
        .await
        .unwrap();
    assert!(socket.call(&ping).await["result"].is_object());
    assert_eq!(socket.call(&ping).await["error"]["code"], -32006);
}

#[tokio::test]
async fn batches_and_bodies_are_limited_on_every_route() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let mut socket = Socket::open(server.port(), &[]).await.unwrap();
    let legacy = LegacySession::open(&server.wire, "/sse", &[]).await;
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let batch = |items: usize| Value::from(vec![ping.clone(); items]);
    for path in ["/", "/mcp", "/stream", "/rpc", "/tools/list", "/tools/call"] {
        let fifty = server.wire.post(path, batch(50).to_string()).await;
        assert_eq!(fifty.json().as_array().map(Vec::len), Some(50), "{path}");
        for items in [51, 10_000] {
            let answer = server.wire.post(path, batch(items).to_string()).await;
            assert_eq!(answer.status, 413, "{path}: {}", answer.text);
            let details = answer.json()["error"]["data"]["details"].to_string();
            assert!(details.contains(&items.to_string()), "{details}");
        }
    }
    assert_eq!(socket.call(&batch(50)).await.as_array().unwrap().len(), 50);
    for items in [51, 10_000] {
        let answer = socket.call(&batch(items)).await;
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        assert_eq!(legacy.send(batch(items).to_string()).await.status, 413);
    }

    let limit = 1024 * 1024;
    let padded = |size: usize| {
        let empty = json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"p": ""}});
        let padding = "x".repeat(size - empty.to_string().len());
        json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"p": padding}}).to_string()
    };
    let (fits, too_large) = (padded(limit), padded(limit + 1));
    for path in ["/", "/mcp", "/stream", "/rpc", "/tools/list", "/tools/call"] {
        assert_eq!(server.wire.post(path, fits.clone()).await.status, 200);
        let answer = server.wire.post(path, too_large.clone()).await;
        assert_eq!(answer.status, 413, "{path}: {}", answer.text);
        let details = answer.json()["error"]["data"]["details"].to_string();
        assert!(details.contains("1048576 bytes"), "{details}");
    }
    let chunked = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{too_large}\r\n",
        too_large.len(),
    );
    assert_eq!(server.ask(&chunked).await.status, 413);
    socket.send(fits).await;
    assert!(socket.receive().await.unwrap()["result"].is_object());
    socket.send(too_large).await;
    assert!(socket.receive().await.is_err(), "the socket is closed");
    assert_eq!(server.wire.get("/readyz").await.status, 200);
}

#[tokio::test]
async fn sessions_streams_and_sockets_are_limited_and_freed_when_closed() {
    let home = Home::new();
    let server = Launch::new(&home)
        .env("RECALL_KIT_LIMITS__SESSIONS", 2)
        .env("RECALL_KIT_LIMITS__STREAMS", 2)
        .env("RECALL_KIT_LIMITS__SOCKETS", 2)
        .start()
        .await;
    let hello = guarded_routes()
        .into_iter()
        .find(|route| route.path == "/mcp" && route.body.contains("\"initialize\""));
    let hello = hello.unwrap().request(Some("localhost"), &[]);
    let first = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    let second = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    assert_no_room(&server.ask(&hello).await, "sessions");

    // Each session opens a stream; calls are still answered.
    let streams = [
        stream_of(&server, &first).await,
        stream_of(&server, &second).await,
    ];
    let sse = RawRest::default().request("GET", "/sse");
    assert_no_room(&server.ask(&sse).await, "event streams");
    let tools = first.request("tools/list", json!({})).await;
    assert!(tools["result"]["tools"].is_array(), "{tools}");
    drop(streams);
    assert_eq!(first.close().await, 204);
    let opened = until_there_is_room(&server, &hello).await;
    assert!(opened.header("mcp-session-id").is_some(), "{opened:?}");
    until_there_is_room(&server, &sse).await;

    let mut sockets = Vec::new();
    for _ in 0..2 {
        sockets.push(Socket::open(server.port(), &[]).await.unwrap());
    }
    let ws = guarded_routes()
        .into_iter()
        .find(|route| route.path == "/ws");
    let ws = ws.unwrap().request(Some("localhost"), &[]);
    assert_no_room(&server.ask(&ws).await, "WebSockets");
    sockets.pop();
    until_there_is_room(&server, &ws).await;
}

#[tokio::test]
async fn one_key_cannot_use_up_all_sessions_and_sockets() {
    let home = Home::new();
    let server = Launch::new(&home)
        .env("RECALL_KIT_LIMITS__SESSIONS", 4)
        .env("RECALL_KIT_LIMITS__SOCKETS", 2)
        .start()
        .await;
    let [greedy, modest] = ["greedy", "modest"].map(|name| make_key(&home, name, "read"));
    let (greedy, modest) = (greedy.await, modest.await);
    let hello = guarded_routes()
        .into_iter()
        .find(|route| route.path == "/mcp" && route.body.contains("\"initialize\""))
        .unwrap();
    let open = async |key: &str| {
        let request = hello.request(Some("localhost"), &[("x-api-key", key)]);
        server.ask(&request).await
    };
    for _ in 0..2 {
        let opened = open(&greedy).await;
        assert!(opened.header("mcp-session-id").is_some(), "{opened:?}");
    }
    assert_no_room(&open(&greedy).await, "sessions");
    assert_eq!(open(&modest).await.status, 200);

    let socket = async |key: &str| Socket::open(server.port(), &[("x-api-key", key)]).await;
    let _first = socket(&greedy).await.unwrap();
    assert!(socket(&greedy).await.is_err(), "the half is taken");
    assert!(socket(&modest).await.is_ok());
    let counted = server.wire.get("/metrics").await.text;
    let refused = counted
        .lines()
        .find(|line| line.contains("reason=\"room\""));
    assert!(
        refused.is_some_and(|line| line.ends_with(" 2")),
        "{refused:?}"
    );
}

#[tokio::test]
async fn each_key_has_its_own_limit_of_sessions() {
    let home = Home::new();
    let server = Launch::new(&home)
        .env("RECALL_KIT_LIMITS__SESSIONS_PER_CALLER", 2)
        .start()
        .await;
    let [greedy, modest] = ["greedy", "modest"].map(|name| make_key(&home, name, "read"));
    let (greedy, modest) = (greedy.await, modest.await);
    let hello = guarded_routes()
        .into_iter()
        .find(|route| route.path == "/mcp" && route.body.contains("\"initialize\""))
        .unwrap();
    let open = async |headers: &[(&str, &str)]| {
        let request = hello.request(Some("localhost"), headers);
        server.ask(&request).await
    };
    let greedy = [("x-api-key", greedy.as_str())];
    for _ in 0..2 {
        assert_eq!(open(&greedy).await.status, 200);
    }
    let refused = open(&greedy).await;
    assert_no_room(&refused, "sessions");
    assert!(refused.body.contains("at most 2"), "{refused:?}");
    for _ in 0..3 {
        assert_eq!(open(&[]).await.status, 200, "this machine has no share");
    }
    assert_eq!(open(&[("x-api-key", modest.as_str())]).await.status, 200);
}

async fn stream_of(server: &Server, session: &McpSession) -> RawConnection {
    let headers = [
        ("accept", "text/event-stream"),
        ("mcp-session-id", session.id()),
    ];
    let rest = RawRest {
        headers: &headers,
        ..RawRest::default()
    };
    let mut stream = RawConnection::open(server.port()).await;
    let answer = stream.request("GET", "/mcp", &rest).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    stream
}

fn assert_no_room(answer: &RawAnswer, what: &str) {
    assert_eq!(answer.status, 503, "{answer:?}");
    assert_eq!(answer.header("retry-after"), Some("5"));
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    let details = body["error"]["data"]["details"].as_str().unwrap();
    assert!(details.contains(&format!("too many {what}")), "{details}");
}

/// Repeats a request until the server has noticed that a client disconnected.
async fn until_there_is_room(server: &Server, request: &str) -> RawAnswer {
    let asking = async {
        loop {
            let answer = server.ask(request).await;
            if answer.status != 503 {
                return answer;
            }
        }
    };
    let answer = within_deadline("room", asking).await;
    assert!(matches!(answer.status, 101 | 200), "{answer:?}");
    answer
}

#[tokio::test]
async fn connections_are_limited() {
    let home = Home::new();
    let server = Launch::new(&home)
        .env("RECALL_KIT_LIMITS__CONNECTIONS", 3)
        .start()
        .await;
    let request = RawRest::default().request("GET", "/healthz");
    let mut open = Vec::new();
    for _ in 0..3 {
        let mut connection = RawConnection::open(server.port()).await;
        connection.send(&request).await;
        assert_eq!(connection.answer().await.unwrap().status, 200);
        open.push(connection);
    }
    let mut fourth = RawConnection::open(server.port()).await;
    assert_eq!(fourth.closed().await, "", "closed without a word");
    open.pop();
    let asking = async {
        loop {
            let mut connection = RawConnection::open(server.port()).await;
            connection.send(&request).await;
            if let Some(answer) = connection.answer().await {
                return answer.status;
            }
        }
    };
    assert_eq!(within_deadline("room", asking).await, 200);
}
