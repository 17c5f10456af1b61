//! The details and codes of error answers.

#![allow(clippy::unwrap_used)]

use axum::body::Bytes;
use recall_kit_telemetry::metrics::Metrics;
use serde_json::{Value, json};

use super::explain;

fn check(request: &str, answer: &Value, path: &str, expected: &str) {
    let explained = explain(
        request.as_bytes(),
        Bytes::from(answer.to_string()),
        &Metrics::default(),
    );
    let explained: Value = serde_json::from_slice(&explained).unwrap();
    let details = explained
        .pointer(path)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    assert!(
        details.contains(expected),
        "{request}: {details:?} should contain {expected:?}"
    );
}

fn error(id: Value, code: i32) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": "x" } })
}

#[test]
fn error_details_say_what_is_wrong_with_the_request() {
    check(
        "{\"a\":",
        &error(Value::Null, -32700),
        "/error/data/details",
        "line 1 column 5",
    );
    check(
        "[]",
        &error(Value::Null, -32600),
        "/error/data/details",
        "at least one request",
    );
    check(
        "{}",
        &error(Value::Null, -32600),
        "/error/data/details",
        "\"jsonrpc\": \"2.0\"",
    );
    check(
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/unknown"}"#,
        &error(json!(1), -32601),
        "/error/data/details",
        "'tools/unknown'",
    );
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":"b"}]"#;
    let answers = json!([error(json!(2), -32601), error(json!(1), -32601)]);
    check(batch, &answers, "/0/error/data/details", "'b'");
    check(batch, &answers, "/1/error/data/details", "'a'");
}

#[test]
fn invalid_json_and_invalid_requests_have_different_codes() {
    for (request, from, to) in [
        (&b"\xff{}"[..], -32600, (-32700, "Parse error")),
        (b"42", -32700, (-32600, "Invalid Request")),
        (b"{}", -32600, (-32600, "Invalid Request")),
    ] {
        let explained = explain(
            request,
            Bytes::from(error(Value::Null, from).to_string()),
            &Metrics::default(),
        );
        let explained: Value = serde_json::from_slice(&explained).unwrap();
        let error = &explained["error"];
        assert_eq!(error["code"], to.0, "{request:?}");
        assert_eq!(error["message"], to.1, "{request:?}");
    }
}

#[test]
fn successes_and_errors_with_details_are_unchanged() {
    let own =
        json!({ "id": 1, "error": { "code": -32001, "message": "x", "data": { "details": "y" } } });
    check("{}", &own, "/error/data/details", "y");
    let success =
        Bytes::from(json!({ "id": 1, "result": { "text": "no \"error\" here" } }).to_string());
    assert_eq!(
        explain(b"{}", success.clone(), &Metrics::default()),
        success
    );
}
