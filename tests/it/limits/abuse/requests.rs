//! Requests that are too large, too deeply nested, too many, or not allowed.

use recall_kit_tests::{
    Home, Launch, LegacySession, McpSession, RawConnection, RawRest, Socket, experience, json_rpc,
    make_key,
};
use serde_json::{Value, json};

use super::{probe, repeatedly, server, stop};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_of_a_hundred_megabytes_are_refused() {
    const SIZE: usize = 100 * 1024 * 1024;
    let home = Home::new();
    let server = server(&home, &[]).await;
    let port = server.port();
    let announced = format!("POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: {SIZE}\r\n");
    let chunked = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n";
    let abuse = repeatedly(8, move || async move {
        let sent = flood(port, chunked, SIZE).await;
        assert!(sent < SIZE, "it was not read to the end");
    });
    probe(port, "bodies of 100 MB").await;
    stop(abuse).await;
    for expectation in ["", "expect: 100-continue\r\n"] {
        // Refused before any byte of the body was sent.
        let mut connection = RawConnection::open(port).await;
        connection
            .send(format!("{announced}{expectation}\r\n"))
            .await;
        let answer = connection.answer().await.expect("a refusal");
        assert_eq!(answer.status, 413, "{answer:?}");
        assert_eq!(connection.closed().await, "");
    }
    let megabyte = "x".repeat(1024 * 1024);
    let mut connection = RawConnection::open(port).await;
    connection.send(chunked).await;
    connection.send(format!("100001\r\n{megabyte}x")).await;
    let answer = connection.answer().await.expect("a refusal");
    assert_eq!(answer.status, 413, "{answer:?}");
}

/// Sends chunks until the server closes the connection; returns the number of bytes sent.
async fn flood(port: u16, head: &str, size: usize) -> usize {
    let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    let mut connection = RawConnection::open(port).await;
    connection.send(head).await;
    let mut sent = 0;
    while sent < size && connection.send(&chunk).await {
        sent += chunk.len();
    }
    sent
}

/// Requests that are refused early are cheap, however many of them come.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn queries_are_answered_during_floods_of_refused_requests() {
    let home = Home::new();
    let folder = home.write("offered/seen.txt", "seen");
    let folder = folder.parent().unwrap().display().to_string();
    let settings = format!("[[resources]]\nuri = \"file://{folder}/\"\n");
    let server = Launch::new(&home).settings(&settings).start().await;
    server.wire.submit(experience("Probed record")).await;
    let key = make_key(&home, "owner", "read").await;
    let owner = LegacySession::open(&server.wire, "/sse", &[("x-api-key", &key)]).await;
    let wrong_key = format!("rk_{}_{}", "0".repeat(8), "a".repeat(43));
    let ping = json_rpc("ping", json!({})).to_string();
    let secret = format!("file://{folder}/../recall-kit.db");
    let traversal = json_rpc("resources/read", json!({ "uri": secret })).to_string();
    let rest = |host, headers, body| RawRest {
        host: Some(host),
        headers,
        body,
    };
    let doubtful = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\
                    transfer-encoding: identity\r\n\r\n0\r\n\r\n";
    let floods = [
        (
            "wrong hosts",
            rest("evil.example", &[], &ping).request("POST", "/mcp"),
            403,
        ),
        (
            "wrong origins",
            rest("localhost", &[("origin", "https://evil.example")], &ping).request("POST", "/mcp"),
            403,
        ),
        (
            "sockets of other sites",
            rest("localhost", &[("origin", "https://evil.example")], "").request("GET", "/ws"),
            403,
        ),
        (
            "keys that are tried out",
            rest("localhost", &[("x-api-key", &wrong_key)], &ping).request("POST", "/mcp"),
            401,
        ),
        (
            "sessions of others",
            rest("localhost", &[], &ping).request("POST", &owner.address),
            404,
        ),
        ("requests of doubtful length", doubtful.to_owned(), 400),
        (
            "paths out of a folder",
            rest("localhost", &[], &traversal).request("POST", "/mcp"),
            200,
        ),
    ];
    let port = server.port();
    for (what, request, status) in floods {
        let abuse = repeatedly(8, move || {
            let request = request.clone();
            async move {
                let mut connection = RawConnection::open(port).await;
                connection.send(&request).await;
                let answer = connection.answer().await.expect("a refusal");
                assert_eq!(answer.status, status, "{what}: {answer:?}");
                assert!(answer.body.contains("error") || status == 400, "{answer:?}");
            }
        });
        probe(port, what).await;
        stop(abuse).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deeply_nested_json_and_huge_batches_are_refused() {
    let home = Home::new();
    let server = server(&home, &[]).await;
    let session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    let mut socket = Socket::open(server.port(), &[]).await.unwrap();
    let legacy = LegacySession::open(&server.wire, "/sse", &[]).await;
    let in_session = [
        ("mcp-session-id", session.id()),
        ("accept", "text/event-stream"),
    ];
    let bodies = deep_bodies();
    for body in &bodies {
        let shown: String = body.chars().take(120).collect();
        for path in ["/mcp", "/rpc", "/tools/call", &legacy.address] {
            let answer = server.wire.post(path, body.clone()).await;
            assert!(matches!(answer.status, 200 | 400), "{path} {shown}");
            assert!(is_refusal(&answer.json()), "{path} {shown}");
        }
        let headers = [&[("content-type", "application/json")], &in_session[..]].concat();
        let sent = server
            .wire
            .send(reqwest::Method::POST, "/mcp", &headers, body.clone());
        let answer = sent.await;
        assert!(matches!(answer.status, 200 | 400), "{shown}: {answer:?}");
        socket.send(body.clone()).await;
        let answer = socket.receive().await.expect("the socket lives on");
        assert!(is_refusal(&answer), "{shown}: {answer}");
    }
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let batch = Value::from(vec![ping; 10_000]).to_string();
    let wire = server.wire.clone();
    let abuse = repeatedly(8, move || {
        let (wire, bodies) = (wire.clone(), [bodies.clone(), vec![batch.clone()]].concat());
        async move {
            for body in bodies {
                let answer = wire.post("/mcp", body).await;
                assert!(matches!(answer.status, 200 | 400 | 413), "{answer:?}");
            }
        }
    });
    probe(server.port(), "deep JSON and long batches").await;
    stop(abuse).await;
    let tools = session.request("tools/list", json!({})).await;
    assert!(tools["result"]["tools"].is_array(), "{tools}");
}

/// Returns whether a message, or the only one of a batch, is an error.
fn is_refusal(answer: &Value) -> bool {
    let single = answer.get(0).unwrap_or(answer);
    single["error"]["code"].is_i64()
}

fn deep_bodies() -> Vec<String> {
    let mut bodies = Vec::new();
    for (open, close, levels) in [
        ("[", "]", 10_000),
        ("{\"a\":", "}", 10_000),
        ("[{\"a\":", "}]", 10_000),
        ("[", "]", 400_000),
    ] {
        let (opened, closed) = (open.repeat(levels), close.repeat(levels));
        let nested = format!("{opened}1{closed}");
        let half = format!("{opened}1");
        for params in [
            nested.clone(),
            format!(r#"{{"name":"query_experiences","arguments":{{"keywords":{nested}}}}}"#),
            format!(r#"{{"name":"query_experiences","arguments":{nested},"_meta":{nested}}}"#),
            half,
        ] {
            bodies.push(format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#
            ));
        }
        bodies.push(nested);
    }
    bodies.retain(|body| body.len() < 1024 * 1024);
    bodies
}
