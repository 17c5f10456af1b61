//! What is counted, and that clients cannot add values to labels.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use super::{Counted, Metrics};

#[track_caller]
fn check(metrics: &Metrics, expected: &[&str]) {
    let text = metrics.text();
    for line in expected {
        assert!(text.lines().any(|it| it == *line), "{line} in\n{text}");
    }
}

#[test]
fn calls_errors_and_durations_are_counted() {
    let metrics = Metrics::default();
    let ms = Duration::from_millis;
    metrics.tool_called(Some("query_experiences"), None, ms(3));
    metrics.tool_called(Some("query_experiences"), Some("INVALID_LIMIT"), ms(1));
    metrics.tool_called(None, Some("TOOL_NOT_FOUND"), ms(20_000));
    metrics.tool_called(None, Some("chosen by a client"), ms(1));
    check(
        &metrics,
        &[
            r#"recall_kit_tool_calls_total{tool="query_experiences",outcome="ok"} 1"#,
            r#"recall_kit_tool_calls_total{tool="query_experiences",outcome="error"} 1"#,
            r#"recall_kit_tool_calls_total{tool="unknown",outcome="error"} 2"#,
            r#"recall_kit_errors_total{code="INVALID_LIMIT"} 1"#,
            r#"recall_kit_errors_total{code="TOOL_NOT_FOUND"} 1"#,
            r#"recall_kit_errors_total{code="unknown"} 1"#,
            r#"recall_kit_tool_call_duration_seconds_bucket{le="0.001",tool="query_experiences"} 1"#,
            r#"recall_kit_tool_call_duration_seconds_bucket{le="0.005",tool="query_experiences"} 2"#,
            r#"recall_kit_tool_call_duration_seconds_bucket{le="10.0",tool="unknown"} 1"#,
            r#"recall_kit_tool_call_duration_seconds_bucket{le="+Inf",tool="unknown"} 2"#,
        ],
    );
    assert!(!metrics.text().contains("chosen by a client"));
}

#[test]
fn requests_refusals_caches_and_gauges_are_counted() {
    let metrics = Metrics::default();
    metrics.answered("mcp", 200);
    metrics.answered("mcp", 204);
    metrics.answered("http", 503);
    metrics.refused("rate_limit");
    metrics.looked_up("tool_list", true);
    metrics.looked_up("tool_list", false);
    let socket = Counted::on(&metrics.sockets);
    let expected = [
        r#"recall_kit_http_requests_total{face="mcp",status="2xx"} 2"#,
        r#"recall_kit_http_requests_total{face="http",status="5xx"} 1"#,
        r#"recall_kit_refused_total{reason="rate_limit"} 1"#,
        r#"recall_kit_cache_hits_total{cache="tool_list"} 1"#,
        r#"recall_kit_cache_misses_total{cache="tool_list"} 1"#,
        "recall_kit_sockets 1",
        "# EOF",
    ];
    check(&metrics, &expected);
    drop(socket);
    check(&metrics, &["recall_kit_sockets 0"]);
}
