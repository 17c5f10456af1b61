//! Access over HTTP: which key admits which caller, and what its scope allows, on every transport alike.

pub(crate) mod api_keys;
pub(crate) mod guard;
pub(crate) mod people;
pub(crate) mod proxies;
pub(crate) mod reach;
pub(crate) mod secrets;
pub(crate) mod tls;

use recall_kit_tests::{
    Home, Launch, LegacySession, McpSession, RawAnswer, RawConnection, RawRest, Server, Socket,
    Wire, experience, expire_key, guarded_routes, json_rpc, make_key, open_routes, revoke_key,
    within_deadline,
};
use reqwest::Method;
use serde_json::{Value, json};

const SESSION: &str = "mcp-session-id";

type Headers<'a> = &'a [(&'a str, &'a str)];

#[tokio::test]
async fn each_access_mode_admits_the_right_callers_on_every_route() {
    let home = Home::new();
    let valid = make_key(&home, "valid", "write").await;
    let expired = make_key(&home, "old", "write").await;
    expire_key(&home, "old").await;
    let revoked = make_key(&home, "gone", "write").await;
    revoke_key(&home, "gone").await;
    // It has the form of a key, but no such key exists.
    let unknown = format!("rk_{}_{}", "0".repeat(8), "a".repeat(43));
    let [bearer, expired_bearer] = [&valid, &expired].map(|key| format!("Bearer {key}"));
    let lower_case = format!("bearer {valid}");
    const ALWAYS: [bool; 3] = [true, true, true];
    const UNLESS_REQUIRED: [bool; 3] = [true, true, false];
    const NEVER: [bool; 3] = [false, false, false];
    let cases: [(Headers<'_>, [bool; 3]); 16] = [
        (&[], UNLESS_REQUIRED),
        (&[("MCP_API_KEY", &valid)], ALWAYS),
        (&[("X-API-Key", &valid)], ALWAYS),
        (&[("Authorization", &bearer)], ALWAYS),
        (
            &[("X-API-Key", &valid), ("X-API-Key", "for-a-proxy")],
            ALWAYS,
        ),
        (&[("authorization", &lower_case)], ALWAYS),
        (&[("X-API-Key", &valid), ("Authorization", &bearer)], ALWAYS),
        // Not a RecallKit key: one for a proxy, or a placeholder.
        (&[("X-API-Key", "your-api-key")], UNLESS_REQUIRED),
        (&[("Authorization", "Basic dXNlcg==")], UNLESS_REQUIRED),
        (&[("Authorization", "Bearer")], UNLESS_REQUIRED),
        // Keys that are unknown, expired or revoked.
        (&[("X-API-Key", &unknown)], NEVER),
        (&[("Authorization", &expired_bearer)], NEVER),
        (&[("MCP_API_KEY", &revoked)], NEVER),
        (&[("X-API-Key", &valid), ("MCP_API_KEY", &unknown)], NEVER),
        (&[("X-API-Key", &valid), ("X-API-Key", &unknown)], NEVER),
        (
            &[("X-API-Key", &unknown), ("Authorization", &bearer)],
            NEVER,
        ),
    ];
    let modes = ["anonymous", "anonymous-read", "required"];
    let trace = ["--log-level", "trace"];
    for (mode, name) in modes.into_iter().enumerate() {
        let launch = Launch::new(&home).args(&["--access", name]);
        let server = launch.args(&trace).start().await;
        for (headers, admitted) in cases {
            for route in guarded_routes() {
                let what = format!("{name}, {} {}, {headers:?}", route.method, route.path);
                let request = route.request(Some("localhost"), headers);
                let answer = server.ask(&request).await;
                if admitted[mode] {
                    assert_eq!(answer.status, route.status, "{what}: {answer:?}");
                } else {
                    assert_unauthorized(&answer, &what);
                }
            }
        }
        for route in open_routes() {
            let request = route.request(Some("localhost"), &[("X-API-Key", &unknown)]);
            assert_eq!(server.ask(&request).await.status, route.status);
        }
        let log = server.stop().await;
        // Some calls were admitted; otherwise the checks that secrets are absent would prove nothing.
        assert!(log.contains("Tool called: "), "{name}: no calls in {log}");
        for key in [&valid, &expired, &revoked, &unknown] {
            let secret = key.rsplit('_').next().unwrap();
            assert!(!log.contains(secret), "{name}");
        }
    }
}

fn assert_unauthorized(answer: &RawAnswer, what: &str) {
    assert_eq!(answer.status, 401, "{what}: {answer:?}");
    let challenge = answer.header("www-authenticate").unwrap_or_default();
    assert!(
        challenge.starts_with("bearer realm="),
        "{what}: {challenge}"
    );
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(body["jsonrpc"], "2.0", "{what}");
    assert_eq!(body["error"]["code"], -32004, "{what}: {body}");
    let details = body["error"]["data"]["details"].as_str().unwrap();
    assert!(details.contains("API key"), "{body}");
    // RFC 6750, section 3: no error code where the request presented no key.
    let shows_none = details.contains("is needed");
    assert_ne!(challenge.contains("invalid_token"), shows_none, "{what}");
    assert!(!answer.body.contains("aaaaaaaa"), "{what} repeats the key");
}

#[tokio::test]
async fn a_read_scope_cannot_submit_on_any_transport() {
    let home = Home::new();
    let read = make_key(&home, "reader", "read").await;
    let write = make_key(&home, "writer", "write").await;
    let admin = make_key(&home, "admin", "admin").await;
    let server = Launch::new(&home)
        .args(&["--access", "anonymous-read"])
        .start()
        .await;
    let keys = [
        (Some(&read), Some("the API key has scope read")),
        (None, Some("without an API key the scope is read")),
        (Some(&write), None),
        (Some(&admin), None),
    ];
    for (number, (key, words)) in keys.into_iter().enumerate() {
        let header = key.map(|key| ("x-api-key", key.as_str()));
        let headers: Vec<_> = header.into_iter().collect();
        let wire = Wire::with_headers(server.wire.base(), &headers);
        assert!(wire.query("anything").await["total"].is_u64());
        let title = format!("Scope {number}");
        let answers = submit_on_every_transport(&server, &wire, &headers, &title).await;
        for (number, answer) in answers.iter().enumerate() {
            let Some(words) = words else {
                let id = &answer["result"]["structuredContent"]["data"]["id"];
                assert!(id.is_string(), "transport {number}: {answer}");
                continue;
            };
            let error = &answer["error"];
            assert_eq!(error["code"], -32005, "transport {number}: {answer}");
            let details = error["data"]["details"].as_str().unwrap_or_default();
            for part in ["`submit_experience` needs scope write", words] {
                assert!(details.contains(part), "transport {number}: {answer}");
            }
        }
    }
    let stored = server.wire.query("scope").await;
    assert_eq!(stored["total"], 2 * 5, "what was refused is not stored");
}

async fn submit_on_every_transport(
    server: &Server,
    wire: &Wire,
    headers: &[(&str, &str)],
    title: &str,
) -> [Value; 5] {
    let submit = |transport: &str| {
        let arguments = experience(&format!("{title}, {transport}"));
        json!({"name": "submit_experience", "arguments": arguments})
    };
    let mut socket = Socket::open(server.port(), headers).await.unwrap();
    let session = McpSession::open(wire, "/mcp", "2025-11-25").await;
    let mut legacy = LegacySession::open(wire, "/sse", headers).await;
    [
        wire.rpc("tools/call", submit("plain")).await,
        session.request("tools/call", submit("session")).await,
        legacy.request("tools/call", submit("legacy")).await,
        stateless(wire, submit("stateless")).await,
        socket.call(&json_rpc("tools/call", submit("socket"))).await,
    ]
}

/// Calls a tool in the MCP version without sessions.
async fn stateless(wire: &Wire, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "behaviour-tests", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let name = params["name"].as_str().unwrap().to_owned();
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", &name),
    ];
    let body = json_rpc("tools/call", params).to_string();
    wire.send(Method::POST, "/mcp", &headers, body).await.json()
}

#[tokio::test]
async fn sessions_streams_and_sockets_end_when_their_key_ends() {
    let home = Home::new();
    let server = Launch::new(&home)
        .args(&["--access", "required"])
        .start()
        .await;
    let other = make_key(&home, "other", "write").await;
    let others = [("x-api-key", other.as_str())];
    let mut others_socket = Socket::open(server.port(), &others).await.unwrap();
    for end in ["revoked", "expired"] {
        let key = make_key(&home, "ending", "write").await;
        let headers = [("x-api-key", key.as_str())];
        let wire = Wire::with_headers(server.wire.base(), &headers);
        let session = McpSession::open(&wire, "/mcp", "2025-11-25").await;
        let id = session.id().to_owned();
        let of_session = [("x-api-key", key.as_str()), (SESSION, id.as_str())];
        let session_stream = open_stream(&server, "/mcp", &of_session).await;
        let legacy = LegacySession::open(&wire, "/sse", &headers).await;
        let plain_stream = open_stream(&server, "/stream", &headers).await;
        let mut socket = Socket::open(server.port(), &headers).await.unwrap();
        let ping = json_rpc("ping", json!({}));
        assert!(socket.call(&ping).await["result"].is_object());

        match end {
            "revoked" => revoke_key(&home, "ending").await,
            _ => expire_key(&home, "ending").await,
        }
        // The key is refused at once on every transport.
        let refused = wire.post("/mcp", ping.to_string()).await;
        assert_eq!(refused.status, 401, "{}", refused.text);
        assert!(refused.text.contains(end), "{}", refused.text);
        assert_eq!(legacy.send(ping.to_string()).await.status, 401);
        // The next message on the socket closes it.
        socket.send(ping.to_string()).await;
        assert_eq!(socket.receive().await, Err(Some(1008)), "policy violation");
        for mut stream in [session_stream, plain_stream] {
            stream.until("\r\n0\r\n\r\n").await.expect("an orderly end");
        }
        legacy.ended().await;
        assert_eq!(Socket::open(server.port(), &headers).await.err(), Some(401));
        if end == "expired" {
            revoke_key(&home, "ending").await;
        }
    }
    let pong = others_socket.call(&json_rpc("ping", json!({}))).await;
    assert!(pong["result"].is_object(), "other keys' sockets live on");
}

/// Opens an event stream and reads its head.
async fn open_stream(server: &Server, path: &str, headers: &[(&str, &str)]) -> RawConnection {
    let mut connection = RawConnection::open(server.port()).await;
    let accept = [("accept", "text/event-stream")];
    // A GET of `/stream` without this header opens the plain event stream.
    let accept = if path == "/stream" { &[] } else { &accept[..] };
    let rest = RawRest {
        headers: &[headers, accept].concat(),
        ..RawRest::default()
    };
    let answer = connection.request("GET", path, &rest).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    connection
}

#[tokio::test]
async fn a_session_is_usable_and_visible_only_with_its_own_key() {
    let home = Home::new();
    let keys = [
        make_key(&home, "a", "write").await,
        make_key(&home, "b", "admin").await,
    ];
    let server = Server::start(&home).await;
    let base = server.wire.base();
    let [a, b] = keys.map(|key| Wire::with_headers(base, &[("x-api-key", &key)]));
    let anonymous = &server.wire;
    for (owner, strangers) in [(&a, [&b, anonymous]), (anonymous, [&a, &b])] {
        let session = McpSession::open(owner, "/mcp", "2025-11-25").await;
        let legacy = open_legacy(owner).await;
        for stranger in strangers {
            for method in [Method::POST, Method::GET, Method::DELETE] {
                let theirs = use_session(stranger, method.clone(), session.id()).await;
                let none = use_session(stranger, method, "no-such-session").await;
                assert_eq!(theirs.0, 404, "{theirs:?}");
                assert_eq!(theirs, none, "as if it did not exist");
            }
            let ping = json_rpc("ping", json!({})).to_string();
            let posted = stranger.post(&legacy.1, ping).await;
            assert_eq!(posted.status, 404, "{}", posted.text);
            // MCP versions without sessions ignore the session header.
            let hello = initialize("2026-07-28");
            let headers = [
                ("content-type", "application/json"),
                ("accept", "application/json, text/event-stream"),
                ("mcp-protocol-version", "2026-07-28"),
                (SESSION, session.id()),
            ];
            let sent = stranger.send(Method::POST, "/mcp", &headers, hello.to_string());
            let opened = sent.await;
            let id = opened.headers.get(SESSION).map(|id| id.to_str().unwrap());
            assert_ne!(id, Some(session.id()), "{}", opened.text);
        }
        let tools = session.request("tools/list", json!({})).await;
        assert!(tools["result"]["tools"].is_array(), "{tools}");
        let id = session.id().to_owned();
        assert_eq!(session.close().await, 204);
        for method in [Method::POST, Method::GET, Method::DELETE] {
            let replayed = use_session(owner, method, &id).await;
            assert_eq!(replayed.0, 404, "{replayed:?}");
        }
    }
}

/// Opens the stream of the legacy transport; returns it with the address for messages.
async fn open_legacy(wire: &Wire) -> (reqwest::Response, String) {
    let mut response = wire.stream("/sse").await;
    let first = within_deadline("the first event", response.chunk()).await;
    let first = first.unwrap().expect("an event");
    let text = String::from_utf8_lossy(&first).into_owned();
    let address = text.lines().find_map(|line| line.strip_prefix("data: "));
    (response, address.unwrap().to_owned())
}

fn initialize(version: &str) -> Value {
    let client = json!({"name": "behaviour-tests", "version": "1"});
    json_rpc(
        "initialize",
        json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client}),
    )
}

/// Returns the status and the error, without the request id, which differs from request to request.
async fn use_session(wire: &Wire, method: Method, id: &str) -> (u16, Value) {
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        (SESSION, id),
    ];
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    let answer = wire.send(method, "/mcp", &headers, body).await;
    let mut words = answer.json();
    assert!(words["error"]["data"]["request_id"].take().is_string());
    (answer.status, words)
}
