//! What stands in front of every route: host and origin, the framing of requests, limits of size and
//! number.

use recall_kit_tests::{
    Home, Launch, LegacySession, McpSession, RawAnswer, RawConnection, RawRest, Server, Socket,
    guarded_faces, json_rpc, make_key, open_faces, within_deadline,
};
use reqwest::Method;
use serde_json::{Value, json};

#[tokio::test]
async fn a_foreign_host_or_origin_gets_nowhere_on_any_route() {
    let home = Home::new();
    let server = Launch::new(&home)
        .env("RECALL_KIT_ACCESS__HOSTS", "kit.example.com")
        .start()
        .await;
    let port = server.port();
    let foreign_hosts = [
        None,
        Some(""),
        Some("attacker.example"),
        Some("attacker.example:80"),
        Some("localhost.attacker.example"),
        Some("127.0.0.1.attacker.example"),
        Some("attacker.example@localhost"),
        Some("localhost@attacker.example"),
        Some("localhost, attacker.example"),
        Some("192.0.2.1"),
        Some("[2001:db8::1]"),
    ];
    let foreign_origins = [
        "http://attacker.example",
        "https://localhost.attacker.example",
        "http://127.0.0.1@attacker.example",
        "https://kit.example.com.attacker.example",
        "localhost",
        "file://",
        "null",
        "",
    ];
    let (own, own_v6) = (format!("LocalHost:{port}"), format!("[::1]:{port}"));
    let own_hosts = ["localhost", &own, "127.0.0.1", &own_v6, "kit.example.com"];
    let own_origins = [
        "http://localhost:3000",
        "https://127.0.0.1",
        "http://[::1]:1",
        "https://kit.example.com",
    ];
    for face in [guarded_faces(), open_faces()].concat() {
        let what = format!("{} {}", face.method, face.path);
        for host in foreign_hosts {
            let answer = ask(&server, &face.request(host, &[])).await;
            // Without any the request is not even HTTP/1.1.
            assert_refused(&answer, 403, "Host", &format!("{what}, host {host:?}"));
        }
        for origin in foreign_origins {
            let request = face.request(Some("localhost"), &[("origin", origin)]);
            let what = format!("{what}, origin {origin:?}");
            assert_refused(&ask(&server, &request).await, 403, "Origin", &what);
        }
        for twice in [
            [("host", "localhost"), ("host", "attacker.example")],
            [("host", "localhost"), ("host", "localhost")],
        ] {
            let answer = ask(&server, &face.request(None, &twice)).await;
            assert_refused(&answer, 403, "Host", &format!("{what}, {twice:?}"));
        }
        let origins = [
            ("origin", "http://localhost"),
            ("origin", "http://a.example"),
        ];
        let answer = ask(&server, &face.request(Some("localhost"), &origins)).await;
        assert_refused(&answer, 403, "Origin", &what);
        for host in own_hosts {
            let answer = ask(&server, &face.request(Some(host), &[])).await;
            assert_eq!(answer.status, face.status, "{what}, host {host}");
        }
        for origin in own_origins {
            let request = face.request(Some("localhost"), &[("origin", origin)]);
            let answer = ask(&server, &request).await;
            assert_eq!(answer.status, face.status, "{what}, origin {origin}");
        }
    }
}

#[tokio::test]
async fn an_absolute_target_is_a_host_as_well() {
    let home = Home::new();
    let server = Server::start(&home).await;
    for (target, host, status) in [
        ("http://localhost/healthz", Some("localhost"), 200),
        ("http://attacker.example/healthz", Some("localhost"), 403),
        ("http://localhost/healthz", Some("attacker.example"), 403),
        ("http://localhost@attacker.example/", Some("localhost"), 403),
        ("http://attacker.example/healthz", None, 403),
        ("/../../../../etc/passwd", Some("localhost"), 404),
        ("//attacker.example/healthz", Some("localhost"), 404),
    ] {
        let rest = RawRest {
            host,
            ..RawRest::default()
        };
        let answer = ask(&server, &rest.request("GET", target)).await;
        assert_eq!(answer.status, status, "{target} {host:?}: {answer:?}");
    }
    let tunnel = "CONNECT attacker.example:443 HTTP/1.1\r\nhost: localhost\r\n\r\n";
    assert_eq!(ask(&server, tunnel).await.status, 403);
}

/// Whatever stands between client and server, both must agree where a request ends.
#[tokio::test]
async fn a_request_of_doubtful_length_is_the_last_of_its_connection() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let hidden = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let long_extension = format!("1;{}\r\nx\r\n0\r\n\r\n", "e".repeat(40_000));
    let many: String = (0..200).map(|n| format!("x-{n}: 1\r\n")).collect();
    let huge = format!("x: {}\r\n", "v".repeat(100_000));
    let cases: &[(&str, &str, &[u16])] = &[
        // Two lengths.
        (
            "content-length: 4\r\ntransfer-encoding: chunked\r\n",
            "0\r\n\r\n",
            &[200, 400],
        ),
        (
            "transfer-encoding: chunked\r\ncontent-length: 4\r\n",
            "0\r\n\r\n",
            &[200, 400],
        ),
        (
            "content-length: 4\r\ncontent-length: 5\r\n",
            "xxxxx",
            &[400],
        ),
        ("content-length: 4, 5\r\n", "xxxx", &[400]),
        ("content-length: +4\r\n", "xxxx", &[400]),
        ("content-length: -4\r\n", "xxxx", &[400]),
        ("content-length: 0x4\r\n", "xxxx", &[400]),
        ("content-length: 99999999999999999999999\r\n", "", &[400]),
        // Encodings that some would not recognise.
        ("transfer-encoding: xchunked\r\n", "0\r\n\r\n", &[400]),
        (
            "transfer-encoding: chunked, identity\r\n",
            "0\r\n\r\n",
            &[400],
        ),
        ("transfer-encoding : chunked\r\n", "0\r\n\r\n", &[400]),
        // Chunks.
        (
            "transfer-encoding: chunked\r\n",
            "fffffffffffffffff\r\nx\r\n0\r\n\r\n",
            &[400],
        ),
        (
            "transfer-encoding: chunked\r\n",
            "-1\r\nx\r\n0\r\n\r\n",
            &[400],
        ),
        (
            "transfer-encoding: chunked\r\n",
            "1\r\nxyz0\r\n\r\n",
            &[400],
        ),
        ("transfer-encoding: chunked\r\n", &long_extension, &[400]),
        // Lines that are folded, or end within.
        ("x-one: 1\r\n folded: 2\r\n", "", &[400]),
        ("x-one: 1\rhost: attacker.example\r\n", "", &[400]),
        ("x-one: 1\0\r\n", "", &[400]),
        ("x one: 1\r\n", "", &[400]),
        (": 1\r\n", "", &[400]),
        // Too much.
        (&many, "", &[431]),
        (&huge, "", &[431]),
    ];
    for (headers, body, expected) in cases {
        let first = format!("POST /rpc HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n{body}");
        let mut connection = RawConnection::open(server.port()).await;
        connection.send(format!("{first}{hidden}")).await;
        let shown: String = first.chars().take(200).collect();
        let answer = connection.answer().await;
        let answer = answer.unwrap_or_else(|| panic!("no answer to {shown}"));
        assert!(expected.contains(&answer.status), "{shown}: {answer:?}");
        let more = connection.closed().await;
        assert!(!more.contains("HTTP/"), "{shown} hid a request: {more}");
    }
    // Line ends in a value can only come decoded, and a client that sends them is no client.
    let extension = "POST /rpc HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n\
        2;name=value\r\n{}\r\n0\r\n\r\n";
    assert_eq!(ask(&server, extension).await.status, 200, "small and legal");
    let old =
        "POST /rpc HTTP/1.0\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n";
    assert_eq!(ask(&server, old).await.status, 400);
}

#[tokio::test]
async fn a_resource_address_leads_nowhere_but_where_the_settings_say() {
    let home = Home::new();
    let folder = home.path().join("offered");
    home.write("offered/inside.txt", "inside");
    home.write("offered/.hidden", "secret words");
    home.write("secret.txt", "secret words");
    std::os::unix::fs::symlink(home.path(), folder.join("link")).unwrap();
    let root = format!("file://{}/", folder.display());
    let secret = format!("file://{}/secret.txt", home.path().display());
    let config = home.write("server.toml", format!("[[resources]]\nuri = \"{root}\"\n"));
    let server = Launch::new(&home)
        .args(&["--config", &config.to_string_lossy()])
        .start()
        .await;
    let session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    let read = |uri: &str| json!({"uri": uri});
    let inside = format!("{root}inside.txt");
    let plain = server.wire.rpc("resources/read", read(&inside)).await;
    assert_eq!(plain["result"]["contents"][0]["text"], "inside", "{plain}");
    for below in [
        "../secret.txt",
        "%2e%2e/secret.txt",
        "%2E%2E%2Fsecret.txt",
        "..%2fsecret.txt",
        "%252e%252e/secret.txt",
        "..\\secret.txt",
        "x/../../secret.txt",
        "./../secret.txt",
        "inside.txt/../../secret.txt",
        "link/secret.txt",
        "link/../secret.txt",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        ".hidden",
        "inside.txt%00.png",
        "..;/secret.txt",
        "\u{ff0e}\u{ff0e}/secret.txt",
        "",
        ".",
        "..",
    ] {
        refuse_resource(&server, &session, &format!("{root}{below}")).await;
    }
    let (bare, with_host) = (
        &secret["file://".len()..],
        secret.replace("file:///", "file://localhost/"),
    );
    for uri in [
        &secret,
        "file:///etc/passwd",
        bare,
        &with_host,
        "file:secret.txt",
    ] {
        refuse_resource(&server, &session, uri).await;
    }
}

async fn refuse_resource(server: &Server, session: &McpSession, uri: &str) {
    let plain = server.wire.rpc("resources/read", json!({"uri": uri})).await;
    assert_eq!(plain["error"]["code"], -32003, "{uri}: {plain}");
    let mcp = session.request("resources/read", json!({"uri": uri})).await;
    assert!(mcp["error"]["code"].is_i64(), "{uri}: {mcp}");
    let told = format!("{plain}{mcp}");
    assert!(!told.contains("secret words"), "{uri}: {told}");
}

#[tokio::test]
async fn calls_are_counted_for_each_key_and_address() {
    let home = Home::new();
    // So few that none comes back before the test is over.
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
    // Keys that are tried out are calls as well, of whoever tries.
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
async fn a_batch_and_a_body_have_their_limits_on_every_face() {
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
        assert_eq!(legacy.post(&batch(items)).await, 413);
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
    assert_eq!(ask(&server, &chunked).await.status, 413);
    socket.send(fits).await;
    assert!(socket.receive().await.unwrap()["result"].is_object());
    socket.send(too_large).await;
    assert!(socket.receive().await.is_err(), "the socket is closed");
    assert_eq!(server.wire.get("/readyz").await.status, 200);
}

#[tokio::test]
async fn as_many_as_may_be_and_room_again_when_one_is_gone() {
    let home = Home::new();
    let server = Launch::new(&home)
        .env("RECALL_KIT_LIMITS__SESSIONS", 2)
        .env("RECALL_KIT_LIMITS__STREAMS", 2)
        .env("RECALL_KIT_LIMITS__SOCKETS", 2)
        .start()
        .await;
    let hello = guarded_faces()
        .into_iter()
        .find(|face| face.path == "/mcp" && face.body.contains("\"initialize\""));
    let hello = hello.unwrap().request(Some("localhost"), &[]);
    let first = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    let second = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    assert_no_room(&ask(&server, &hello).await, "sessions");

    // A stream of its own for each session, and then calls still get their answers.
    let streams = [
        stream_of(&server, &first).await,
        stream_of(&server, &second).await,
    ];
    let sse = RawRest::default().request("GET", "/sse");
    assert_no_room(&ask(&server, &sse).await, "event streams");
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
    let ws = guarded_faces().into_iter().find(|face| face.path == "/ws");
    let ws = ws.unwrap().request(Some("localhost"), &[]);
    assert_no_room(&ask(&server, &ws).await, "WebSockets");
    sockets.pop();
    until_there_is_room(&server, &ws).await;
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

/// Asks until the server has noticed that somebody is gone.
async fn until_there_is_room(server: &Server, request: &str) -> RawAnswer {
    let asking = async {
        loop {
            let answer = ask(server, request).await;
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
async fn connections_have_a_limit_too() {
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

fn assert_refused(answer: &RawAnswer, status: u16, word: &str, what: &str) {
    assert_eq!(answer.status, status, "{what}: {answer:?}");
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(body["error"]["code"], -32600, "{what}: {body}");
    let details = body["error"]["data"]["details"].as_str().unwrap();
    assert!(details.contains(word), "{what}: {details}");
}

async fn ask(server: &Server, request: &str) -> RawAnswer {
    let mut connection = RawConnection::open(server.port()).await;
    connection.send(request).await;
    let answer = connection.answer().await;
    answer.unwrap_or_else(|| panic!("no answer to {request}"))
}
