//! What operators see: log lines and request ids.

pub(crate) mod deploy;
pub(crate) mod metrics;
pub(crate) mod settings;

use recall_kit_tests::{
    Home, HttpAnswer, Launch, McpSession, Server, StdioPeer, experience, json_rpc,
};
use reqwest::Method;
use serde_json::{Value, json};

/// A log line as in the documentation, with every digit as 0.
const LINE: &str = "0000-00-00 00:00:00 INFO - Tool called: query_experiences, duration: 0.000s, request_id: req_x";

#[tokio::test]
async fn a_tool_call_is_logged_as_documented() {
    let home = Home::new();
    let server = Server::start(&home).await;
    server.wire.query("anything").await;
    let session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    session
        .call("query_experiences", json!({"keywords": "anything"}))
        .await;
    let refused = json!({"keywords": "x", "limit": 0});
    server.wire.call("query_experiences", refused).await;
    let log = server.stop().await;
    let lines: Vec<String> = calls(&log).map(shape).collect();
    let failed = LINE.replace(", request_id", ", error: INVALID_LIMIT, request_id");
    assert_eq!(lines, [LINE, LINE, &failed], "{log}");
}

#[tokio::test]
async fn a_tool_name_cannot_forge_a_log_line() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let forged =
        "x\n2024-01-01 12:00:00 INFO - Tool called: forged, duration: 0.023s, request_id: req_1";
    let call = json_rpc("tools/call", json!({"name": forged})).to_string();
    let headers = [("x-request-id", "req\u{e9}_2, forged")];
    let answer = server.wire.send(Method::POST, "/mcp", &headers, call).await;
    assert_eq!(answer.json()["error"]["code"], -32001, "{}", answer.text);
    let log = server.stop().await;
    let lines: Vec<&str> = calls(&log).collect();
    assert_eq!(lines.len(), 1, "{log}");
    let quoted = "Tool called: \"x2024-01-01 12:00:00 INFO - Tool called: forged, duration: 0.0";
    assert!(lines[0].contains(quoted), "{log}");
    assert!(lines[0].contains("\", duration: "), "{log}");
    assert!(
        lines[0].contains(", error: TOOL_NOT_FOUND, request_id: req_"),
        "{log}"
    );
    assert!(!log.contains("_2, forged"), "{log}");
}

#[tokio::test]
async fn the_json_log_has_one_object_per_line() {
    let home = Home::new();
    let launch = Launch::new(&home).args(&["--log-format", "json", "--log-level", "debug"]);
    let server = launch.start().await;
    let answer = with_id(&server, "op-json", "tools/call", json!({"name": "a\"b\n"})).await;
    assert_eq!(answer.status, 200);
    server.wire.query("anything").await;
    let log = server.stop().await;
    let lines: Vec<Value> = log
        .lines()
        // The lines for the person or program that starts the server are not part of the log.
        .filter(|line| {
            !["listening on ", "set up "]
                .iter()
                .any(|prefix| line.starts_with(prefix))
        })
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}")))
        .collect();
    let line_of_call = lines.iter().find(|line| line["request_id"] == "op-json");
    let line_of_call = line_of_call.unwrap_or_else(|| panic!("{log}"));
    assert_eq!(line_of_call["level"], "INFO");
    assert_eq!(line_of_call["error"], "TOOL_NOT_FOUND");
    assert_eq!(line_of_call["message"], r#"Tool called: "a\"b""#);
    let timestamp = line_of_call["timestamp"].as_str().unwrap();
    timestamp.parse::<jiff::Timestamp>().expect("RFC 3339");
}

#[tokio::test]
async fn stdio_logs_nothing_by_default() {
    let home = Home::new();
    for (args, silent) in [(&[][..], true), (&["--log-level", "info"], false)] {
        let mut peer = StdioPeer::start(&home, args);
        let call = json!({"name": "submit_experience", "arguments": experience("Silence")});
        peer.request("tools/call", call).await;
        let unknown = json!({"name": "no_such_tool"});
        let unknown = peer.request("tools/call", unknown).await;
        let id = unknown["error"]["data"]["request_id"].as_str().unwrap();
        let (code, log) = peer.close().await;
        assert_eq!(code, Some(0));
        assert_eq!(log.is_empty(), silent, "{log}");
        assert_eq!(calls(&log).count(), if silent { 0 } else { 2 }, "{log}");
        assert_eq!(
            log.contains(&format!("request_id: {id}\n")),
            !silent,
            "{log}"
        );
    }
}

#[tokio::test]
async fn a_failed_start_is_reported_on_stdio_as_well() {
    let home = Home::new();
    for args in [
        ["--transport", "stdio", "--database", "mysql://x/y"],
        ["--transport", "stdio", "--log-level", "loud"],
    ] {
        let output =
            recall_kit_tests::run(recall_kit_tests::server_command(&home, &args), "").await;
        output.expect_code(1);
        assert!(output.stderr.starts_with("error: "), "{}", output.stderr);
        assert!(
            output.stderr.contains(args[3]) || args[2] == "--database",
            "{}",
            output.stderr
        );
    }
}

#[tokio::test]
async fn a_request_id_is_returned_in_header_log_and_error() {
    let home = Home::new();
    let server = Server::start(&home).await;
    for (number, (method, params)) in [
        ("tools/call", json!({"name": "no_such_tool"})),
        ("tools/call", json!({"name": 5})),
        ("no/such", json!({})),
    ]
    .into_iter()
    .enumerate()
    {
        let id = format!("op-{number}.A_b");
        let answer = with_id(&server, &id, method, params).await;
        assert_eq!(header(&answer), id);
        let data = &answer.json()["error"]["data"];
        assert_eq!(data["request_id"], id, "{data}");
    }
    let refused = server.wire.send(
        Method::POST,
        "/mcp",
        &[
            ("x-request-id", "op-guard"),
            ("origin", "http://evil.example"),
        ],
        "",
    );
    assert_eq!(
        refused.await.json()["error"]["data"]["request_id"],
        "op-guard"
    );
    for path in ["/healthz", "/no/such/page", "/mcp"] {
        let invalid_id = [("x-request-id", "two words")];
        let answer = server.wire.send(Method::GET, path, &invalid_id, "").await;
        let fresh = header(&answer);
        assert!(
            fresh.starts_with("req_") && fresh.len() <= 20,
            "{path}: {fresh}"
        );
    }
    server.logged("request_id: op-0.A_b").await;
}

#[tokio::test]
async fn the_id_reaches_tools_called_over_mcp() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let call = json_rpc(
        "tools/call",
        json!({
            "name": "no_such_tool",
            "arguments": {},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "behaviour-tests", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        }),
    );
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "no_such_tool"),
        ("x-request-id", "op-mcp"),
    ];
    let answer = server
        .wire
        .send(Method::POST, "/mcp", &headers, call.to_string());
    let answer = answer.await;
    assert_eq!(header(&answer), "op-mcp");
    let error = &answer.json()["error"];
    assert_eq!(error["code"], -32602, "{error}");
    assert_eq!(error["data"]["request_id"], "op-mcp", "{error}");
    server.logged("request_id: op-mcp").await;
}

/// Calls a method over plain JSON-RPC with a request id.
async fn with_id(server: &Server, id: &str, method: &str, params: Value) -> HttpAnswer {
    let body = json_rpc(method, params).to_string();
    let headers = [("x-request-id", id)];
    server.wire.send(Method::POST, "/mcp", &headers, body).await
}

fn header(answer: &HttpAnswer) -> String {
    let id = answer
        .headers
        .get("x-request-id")
        .expect("every answer has an id");
    id.to_str().unwrap().to_owned()
}

/// Returns the log lines about tool calls.
fn calls(log: &str) -> impl Iterator<Item = &str> {
    log.lines().filter(|line| line.contains("Tool called: "))
}

/// Returns a line with every digit as 0 and every generated request id as `req_x`.
fn shape(line: &str) -> String {
    let (line, id) = line.split_once("req_").expect("a line with a made id");
    assert!(
        id.len() == 12 && id.bytes().all(|c| c.is_ascii_alphanumeric()),
        "{id}"
    );
    let digits = |c: char| if c.is_ascii_digit() { '0' } else { c };
    line.chars().map(digits).collect::<String>() + "req_x"
}
