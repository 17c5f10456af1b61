//! The checks in front of every route: host and origin headers, the framing of requests, and addresses that
//! lead elsewhere.

use recall_kit_tests::{
    Home, Launch, McpSession, RawAnswer, RawConnection, RawRest, Server, guarded_routes, json_rpc,
    open_routes,
};
use serde_json::{Value, json};

#[tokio::test]
async fn a_foreign_host_or_origin_is_refused_on_every_route() {
    let home = Home::new();
    let server = Launch::new(&home)
        .env("RECALL_KIT_ACCESS__HOSTS", "kit.example.com,localhost:3000")
        .args(&["--access", "anonymous"])
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
        "http://localhost",
        "http://localhost:3000",
        "https://127.0.0.1",
        "http://[::1]",
        "https://kit.example.com",
    ];
    for route in [guarded_routes(), open_routes()].concat() {
        let what = format!("{} {}", route.method, route.path);
        for host in foreign_hosts {
            let answer = server.ask(&route.request(host, &[])).await;
            // Without a Host header the request is not valid HTTP/1.1.
            assert_refused(&answer, 403, "Host", &format!("{what}, host {host:?}"));
        }
        for origin in foreign_origins {
            let request = route.request(Some("localhost"), &[("origin", origin)]);
            let what = format!("{what}, origin {origin:?}");
            assert_refused(&server.ask(&request).await, 403, "Origin", &what);
        }
        for twice in [
            [("host", "localhost"), ("host", "attacker.example")],
            [("host", "localhost"), ("host", "localhost")],
        ] {
            let answer = server.ask(&route.request(None, &twice)).await;
            assert_refused(&answer, 403, "Host", &format!("{what}, {twice:?}"));
        }
        let origins = [
            ("origin", "http://localhost"),
            ("origin", "http://a.example"),
        ];
        let answer = server
            .ask(&route.request(Some("localhost"), &origins))
            .await;
        assert_refused(&answer, 403, "Origin", &what);
        for host in own_hosts {
            let answer = server.ask(&route.request(Some(host), &[])).await;
            assert_eq!(answer.status, route.status, "{what}, host {host}");
        }
        for origin in own_origins {
            let request = route.request(Some("localhost"), &[("origin", origin)]);
            let answer = server.ask(&request).await;
            assert_eq!(answer.status, route.status, "{what}, origin {origin}");
        }
    }
}

/// A page from another machine's address is foreign, whichever addresses the server listens on.
#[tokio::test]
async fn foreign_pages_are_refused_when_listening_on_all_addresses() {
    let home = Home::new();
    let everywhere = ["--host", "0.0.0.0", "--access", "anonymous"];
    let server = Launch::new(&home).args(&everywhere).start().await;
    let list = json_rpc("tools/list", json!({})).to_string();
    for (origin, status) in [
        ("http://203.0.113.66", 403),
        ("http://192.0.2.7:8090", 403),
        ("http://192.0.2.8", 200),
        ("http://127.0.0.1", 200),
    ] {
        let headers = [("content-type", "application/json"), ("origin", origin)];
        let rest = RawRest {
            host: Some("192.0.2.8"),
            headers: &headers,
            body: &list,
        };
        let answer = server.ask(&rest.request("POST", "/rpc")).await;
        assert_eq!(answer.status, status, "{origin}: {answer:?}");
    }
}

/// Another program on this machine may serve pages on another port. They may call tools no more than pages of
/// other machines may.
#[tokio::test]
async fn a_page_from_another_port_cannot_call_anything() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let host = format!("localhost:{}", server.port());
    let (same, alias) = (
        format!("http://{host}"),
        format!("http://127.0.0.1:{}", server.port()),
    );
    let (json, text) = (
        ("content-type", "application/json"),
        ("content-type", "text/plain"),
    );
    let site = |site| ("sec-fetch-site", site);
    let other = ("origin", "http://localhost:3000");
    let cases: &[(&[(&str, &str)], u16)] = &[
        (&[json, other], 403),
        (&[text, other, site("cross-site")], 403),
        (&[json, other, site("same-site")], 403),
        (&[json, ("origin", "http://localhost")], 403),
        (&[json, site("cross-site")], 403),
        (&[json, site("same-site")], 403),
        // A form of the server's own page, or a request without any content type.
        (&[text, ("origin", &same), site("same-origin")], 415),
        (&[("origin", &same)], 415),
        (
            &[
                ("content-type", "application/x-www-form-urlencoded"),
                site("same-origin"),
            ],
            415,
        ),
        (&[json, ("origin", &same), site("same-origin")], 200),
        (
            &[
                ("content-type", "Application/JSON; charset=utf-8"),
                ("origin", &alias),
            ],
            200,
        ),
        // Requests of programs: `curl -d`, and clients that fetch without a page.
        (&[json], 200),
        (
            &[("content-type", "application/x-www-form-urlencoded")],
            200,
        ),
        (&[], 200),
        (&[text, ("sec-fetch-mode", "cors")], 200),
    ];
    let arguments = json!({"keywords": "anything"});
    let body = json_rpc(
        "tools/call",
        json!({"name": "query_experiences", "arguments": arguments}),
    );
    let body = body.to_string();
    for path in ["/", "/mcp", "/rpc", "/tools/call"] {
        for (headers, status) in cases {
            let rest = RawRest {
                host: Some(&host),
                headers,
                body: &body,
            };
            let answer = server.ask(&rest.request("POST", path)).await;
            assert_eq!(answer.status, *status, "{path} {headers:?}: {answer:?}");
        }
    }
    // A link on another site may lead to pages that only show something.
    let link = [site("cross-site"), ("sec-fetch-mode", "navigate")];
    let rest = RawRest {
        host: Some(&host),
        headers: &link,
        body: "",
    };
    assert_eq!(
        server.ask(&rest.request("GET", "/mcp/tools")).await.status,
        200
    );
    let script = [site("cross-site"), ("sec-fetch-mode", "no-cors")];
    let rest = RawRest {
        headers: &script,
        ..rest
    };
    assert_eq!(
        server.ask(&rest.request("GET", "/mcp/tools")).await.status,
        403
    );
}

/// Only `/ws` upgrades; on other routes the limits on sockets would not apply.
#[tokio::test]
async fn only_the_websocket_route_upgrades_to_a_socket() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let upgrade = [
        ("connection", "upgrade"),
        ("upgrade", "websocket"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", "AAAAAAAAAAAAAAAAAAAAAA=="),
    ];
    for route in [guarded_routes(), open_routes()].concat() {
        if route.path == "/ws" {
            continue;
        }
        let answer = server
            .ask(&route.request(Some("localhost"), &upgrade))
            .await;
        assert_eq!(
            answer.status, route.status,
            "{} {}",
            route.method, route.path
        );
    }
}

#[tokio::test]
async fn the_host_of_an_absolute_request_target_is_checked() {
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
        let answer = server.ask(&rest.request("GET", target)).await;
        assert_eq!(answer.status, status, "{target} {host:?}: {answer:?}");
    }
    let tunnel = "CONNECT attacker.example:443 HTTP/1.1\r\nhost: localhost\r\n\r\n";
    assert_eq!(server.ask(tunnel).await.status, 403);
}

/// A proxy between client and server must agree with the server on where a request ends.
#[tokio::test]
async fn a_request_with_an_ambiguous_length_closes_its_connection() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let hidden = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    let long_extension = format!("1;{}\r\nx\r\n0\r\n\r\n", "e".repeat(40_000));
    let many: String = (0..200).map(|n| format!("x-{n}: 1\r\n")).collect();
    let huge = format!("x: {}\r\n", "v".repeat(100_000));
    let cases: &[(&str, &str, &[u16])] = &[
        // Two conflicting lengths.
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
        // Encodings that some proxies would not recognise.
        ("transfer-encoding: xchunked\r\n", "0\r\n\r\n", &[400]),
        (
            "transfer-encoding: chunked, identity\r\n",
            "0\r\n\r\n",
            &[400],
        ),
        ("transfer-encoding : chunked\r\n", "0\r\n\r\n", &[400]),
        // Malformed chunks.
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
        // Header lines that are folded or contain line ends and other forbidden characters.
        ("x-one: 1\r\n folded: 2\r\n", "", &[400]),
        ("x-one: 1\rhost: attacker.example\r\n", "", &[400]),
        ("x-one: 1\0\r\n", "", &[400]),
        ("x one: 1\r\n", "", &[400]),
        (": 1\r\n", "", &[400]),
        // Too many or too long headers.
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
    // A chunk extension of allowed size is accepted; chunked encoding in HTTP/1.0 is not.
    let extension = "POST /rpc HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n\
        2;name=value\r\n{}\r\n0\r\n\r\n";
    assert_eq!(server.ask(extension).await.status, 200, "small and legal");
    let old =
        "POST /rpc HTTP/1.0\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n";
    assert_eq!(server.ask(old).await.status, 400);
}

#[tokio::test]
async fn resource_addresses_reach_only_the_configured_folder() {
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
    let (path_only, with_host) = (
        &secret["file://".len()..],
        secret.replace("file:///", "file://localhost/"),
    );
    for uri in [
        &secret,
        "file:///etc/passwd",
        path_only,
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
    let answers = format!("{plain}{mcp}");
    assert!(!answers.contains("secret words"), "{uri}: {answers}");
}

fn assert_refused(answer: &RawAnswer, status: u16, word: &str, what: &str) {
    assert_eq!(answer.status, status, "{what}: {answer:?}");
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(body["error"]["code"], -32600, "{what}: {body}");
    let details = body["error"]["data"]["details"].as_str().unwrap();
    assert!(details.contains(word), "{what}: {details}");
}
