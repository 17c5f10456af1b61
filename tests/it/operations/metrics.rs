//! `GET /metrics` and traces: what monitoring sees of a running server.

use recall_kit_tests::{Home, Launch, McpSession, Server, TraceCollector, experience, json_rpc};
use reqwest::Method;
use serde_json::json;

#[tokio::test]
async fn calls_errors_and_requests_are_counted() {
    let home = Home::new();
    let server = Server::start(&home).await;
    server.wire.submit(experience("Counted once")).await;
    server.wire.query("counted").await;
    server.wire.query("counted").await;
    let refused = json!({"keywords": "x", "limit": 0});
    server.wire.call("query_experiences", refused).await;
    server.wire.post("/mcp", "{").await;
    let evil = [("origin", "http://evil.example")];
    server.wire.send(Method::POST, "/mcp", &evil, "").await;
    let session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    session.call("no_such_tool", json!({})).await;
    // A client may send many unknown names; they count as one.
    for number in 0..50 {
        let call = json!({"name": format!("made_up_{number}")});
        server.wire.rpc("tools/call", call).await;
    }
    let page = server.wire.get("/metrics").await;
    let kind = page.headers["content-type"].to_str().unwrap();
    assert!(kind.starts_with("application/openmetrics-text"), "{kind}");
    for line in [
        r#"recall_kit_tool_calls_total{tool="submit_experience",outcome="ok"} 1"#,
        r#"recall_kit_tool_calls_total{tool="query_experiences",outcome="ok"} 2"#,
        r#"recall_kit_tool_calls_total{tool="query_experiences",outcome="error"} 1"#,
        r#"recall_kit_tool_calls_total{tool="unknown",outcome="error"} 51"#,
        r#"recall_kit_tool_call_duration_seconds_count{tool="query_experiences"} 3"#,
        r#"recall_kit_errors_total{code="INVALID_LIMIT"} 1"#,
        r#"recall_kit_errors_total{code="TOOL_NOT_FOUND"} 51"#,
        r#"recall_kit_errors_total{code="PARSE_ERROR"} 1"#,
        r#"recall_kit_refused_total{reason="origin"} 1"#,
        r#"recall_kit_http_requests_total{face="mcp",status="2xx"} 3"#,
        r#"recall_kit_http_requests_total{face="http",status="4xx"} 1"#,
        "recall_kit_http_requests_in_flight 1",
        "recall_kit_index_records 1",
        "recall_kit_index_delta_records 1",
        "recall_kit_queue_vectors 0",
        "recall_kit_database_up 1",
        "recall_kit_database_head_seq 1",
        "# EOF",
    ] {
        assert!(
            page.text.lines().any(|it| it == line),
            "{line} in\n{}",
            page.text
        );
    }
    assert!(!page.text.contains("made_up_"), "{}", page.text);
    let memory = page
        .text
        .lines()
        .find_map(|line| line.strip_prefix("recall_kit_resident_memory_bytes "));
    assert!(
        memory.unwrap().parse::<u64>().unwrap() > 1_000_000,
        "{memory:?}"
    );
}

#[tokio::test]
async fn traces_reach_a_collector_without_users_texts() {
    let home = Home::new();
    let collector = TraceCollector::start(200).await;
    let server = Launch::new(&home)
        .env("RECALL_KIT_TELEMETRY__OTLP_ENDPOINT", collector.url())
        .env("RECALL_KIT_TELEMETRY__SERVICE_NAME", "behaviour-tests")
        .start()
        .await;
    let (trace, parent) = ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331");
    let trace_parent = format!("00-{trace}-{parent}-01");
    let headers = [
        ("traceparent", trace_parent.as_str()),
        ("x-request-id", "op-traced"),
    ];
    let call = json!({"name": "query_experiences", "arguments": {"keywords": "privatequery"}});
    let call = json_rpc("tools/call", call).to_string();
    server.wire.send(Method::POST, "/mcp", &headers, call).await;
    // Calls in MCP sessions run on tasks of their own.
    let session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    session
        .call("submit_experience", experience("Private title"))
        .await;
    server.stop().await;
    let batches = collector.batches(1).await;
    assert!(batches[0].request_line.starts_with("POST /v1/traces "));
    let sent = |bytes: &[u8]| batches.iter().any(|batch| batch.contains(bytes));
    for text in [
        "behaviour-tests",
        "POST /mcp",
        "op-traced",
        "tools/call query_experiences",
        "tools/call submit_experience",
    ] {
        assert!(sent(text.as_bytes()), "{text} was sent");
    }
    assert!(
        sent(&bytes_of(trace)) && sent(&bytes_of(parent)),
        "the trace goes on"
    );
    for text in ["privatequery", "Private title"] {
        assert!(!sent(text.as_bytes()), "{text} was sent");
    }
}

#[tokio::test]
async fn a_refusing_collector_is_logged_once() {
    let home = Home::new();
    let collector = TraceCollector::start(400).await;
    let server = Launch::new(&home)
        .env("RECALL_KIT_TELEMETRY__OTLP_ENDPOINT", collector.url())
        .env("OTEL_BSP_SCHEDULE_DELAY", 10)
        .start()
        .await;
    for round in 1..=3 {
        server.wire.query("anything").await;
        collector.batches(round).await;
    }
    let log = server.stop().await;
    assert_eq!(log.matches("traces are dropped").count(), 1, "{log}");
}

#[tokio::test]
async fn an_unreachable_collector_does_not_affect_requests() {
    let home = Home::new();
    let server = Launch::new(&home)
        .env("RECALL_KIT_TELEMETRY__OTLP_ENDPOINT", "http://127.0.0.1:1")
        .start()
        .await;
    server.wire.submit(experience("Served anyway")).await;
    assert_eq!(server.wire.titles("served").await, ["Served anyway"]);
    let log = server.stop().await;
    assert_eq!(log.matches("traces are dropped").count(), 1, "{log}");
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let digits: Vec<char> = hex.chars().collect();
    let pairs = digits.chunks(2).map(|pair| pair.iter().collect::<String>());
    pairs
        .map(|pair| u8::from_str_radix(&pair, 16).unwrap())
        .collect()
}
