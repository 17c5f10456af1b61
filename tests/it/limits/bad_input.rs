//! Bad input to the two tools: each gets the documented code, every problem is named, and nothing is harmed.

use std::collections::BTreeSet;

use recall_kit_tests::{Home, McpSession, Server, StdioPeer, Wire, envelope, experience};
use serde_json::{Value, json};

/// A call, the code it must get, and the fields it must name.
type Case = (Value, &'static str, &'static [&'static str]);

#[tokio::test]
async fn bad_queries_are_refused_with_the_documented_code() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let long = "x".repeat(10_001);
    let cases: Vec<Case> = vec![
        (json!({}), "INVALID_KEYWORDS", &["keywords"]),
        (json!({"keywords": ""}), "INVALID_KEYWORDS", &["keywords"]),
        (
            json!({"keywords": " \t\n"}),
            "INVALID_KEYWORDS",
            &["keywords"],
        ),
        (json!({"keywords": 42}), "INVALID_KEYWORDS", &["keywords"]),
        (json!({"keywords": null}), "INVALID_KEYWORDS", &["keywords"]),
        (
            json!({"keywords": ["a"]}),
            "INVALID_KEYWORDS",
            &["keywords"],
        ),
        (json!({"keywords": long}), "INVALID_KEYWORDS", &["keywords"]),
        (query("limit", json!(0)), "INVALID_LIMIT", &["limit"]),
        (query("limit", json!(51)), "INVALID_LIMIT", &["limit"]),
        (query("limit", json!(-1)), "INVALID_LIMIT", &["limit"]),
        (query("limit", json!("ten")), "INVALID_LIMIT", &["limit"]),
        (query("limit", json!(1.5)), "INVALID_LIMIT", &["limit"]),
        (query("limit", json!(1e300)), "INVALID_LIMIT", &["limit"]),
        (query("offset", json!(-1)), "VALIDATION_ERROR", &["offset"]),
        (query("offset", json!("a")), "VALIDATION_ERROR", &["offset"]),
        (
            json!({"keywords": " ", "limit": 0, "offset": -1}),
            "VALIDATION_ERROR",
            &["keywords", "limit", "offset"],
        ),
    ];
    for (arguments, code, fields) in cases {
        check(&server.wire, "query_experiences", arguments, code, fields).await;
    }
}

#[tokio::test]
async fn bad_submissions_are_refused_with_every_field_named() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let cases: Vec<Case> = vec![
        (with("title", json!("")), "INVALID_TITLE", &["title"]),
        (
            with("title", json!("é".repeat(501))),
            "INVALID_TITLE",
            &["title"],
        ),
        (
            json!({}),
            "MISSING_REQUIRED_FIELDS",
            &["title", "problem_description", "solution"],
        ),
        (
            json!({"title": "t"}),
            "MISSING_REQUIRED_FIELDS",
            &["problem_description", "solution"],
        ),
        (
            with("solution", json!(" \n")),
            "MISSING_REQUIRED_FIELDS",
            &["solution"],
        ),
        (
            with("problem_description", json!(null)),
            "MISSING_REQUIRED_FIELDS",
            &["problem_description"],
        ),
        (
            with("root_cause", json!("")),
            "VALIDATION_ERROR",
            &["root_cause"],
        ),
        (
            with("keywords", json!(["ok", "k".repeat(101)])),
            "VALIDATION_ERROR",
            &["keywords[1]"],
        ),
        (
            json!({"title": "", "problem_description": "p", "root_cause": "", "solution": " "}),
            "VALIDATION_ERROR",
            &["title", "root_cause", "solution"],
        ),
    ];
    for (arguments, code, fields) in cases {
        check(&server.wire, "submit_experience", arguments, code, fields).await;
    }
    let stored = server.wire.query("manual release notes").await;
    assert_eq!(stored["total"], 0, "nothing refused is stored: {stored}");
}

#[tokio::test]
async fn the_largest_allowed_values_are_accepted() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let title = "🦀".repeat(500);
    let keyword = "ü".repeat(100);
    let mut edge = with("title", json!(title));
    edge["keywords"] = json!([keyword, "  React ", "REACT", "c++"]);
    server.wire.submit(edge).await;
    server.wire.submit(with("root_cause", json!(null))).await;

    let found = server.wire.query("react").await;
    let record = &found["experiences"][0];
    assert_eq!(record["title"], title);
    assert_eq!(record["keywords"], json!([keyword, "react", "c++"]));

    server.wire.query(&"é ".repeat(5_000)).await;
    server.wire.query_page("react", 50, 1_000_000_000).await;
    let defaults = server
        .wire
        .call("query_experiences", json!({"keywords": "react"}))
        .await;
    assert_eq!(defaults["data"]["limit"], 10);
    assert_eq!(defaults["data"]["offset"], 0);
}

#[tokio::test]
async fn arguments_of_the_wrong_type_or_name_are_named() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let session = McpSession::open(&server.wire, "/mcp", "2025-06-18").await;
    for (tool, arguments, field, words) in [
        (
            "submit_experience",
            with("title", json!(5)),
            "title",
            "a string",
        ),
        (
            "submit_experience",
            with("solution", json!(7)),
            "solution",
            "a number",
        ),
        (
            "submit_experience",
            with("keywords", json!("a,b")),
            "keywords",
            "a list",
        ),
        (
            "submit_experience",
            with("keywords", json!(["ok", 1])),
            "keywords[1]",
            "a string",
        ),
        (
            "submit_experience",
            with("keywords", json!(["ok", ""])),
            "keywords[1]",
            "empty",
        ),
        (
            "submit_experience",
            with("root-cause", json!("x")),
            "root-cause",
            "`root_cause`",
        ),
        (
            "query_experiences",
            json!({"keywords": "x", "keyword": "x"}),
            "keyword",
            "`keywords`",
        ),
        (
            "query_experiences",
            json!({"keywords": "x", "max": 1}),
            "max",
            "limit",
        ),
    ] {
        let plain = server.wire.call(tool, arguments.clone()).await;
        assert_eq!(plain["success"], false, "{plain}");
        let error = &plain["error"];
        assert_eq!(error["code"], "VALIDATION_ERROR", "{plain}");
        let refused = &error["validation_errors"][0];
        assert_eq!(refused["field"], field, "{plain}");
        let message = refused["message"].as_str().unwrap_or_default();
        assert!(message.contains(words), "{words}: {plain}");
        assert_eq!(envelope(&session.call(tool, arguments).await), plain);
    }
}

#[tokio::test]
async fn mcp_and_stdio_refuse_the_same_input_in_the_same_way() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let session = McpSession::open(&server.wire, "/mcp", "2025-06-18").await;
    let mut peer = StdioPeer::start(&home, &[]);
    let cases = [
        ("query_experiences", json!({"keywords": ""})),
        (
            "query_experiences",
            json!({"keywords": "a", "limit": "ten", "offset": -1}),
        ),
        ("submit_experience", json!({})),
        ("submit_experience", with("title", json!("x".repeat(501)))),
    ];
    for (tool, arguments) in cases {
        let plain = server.wire.call(tool, arguments.clone()).await;
        let mcp = session.call(tool, arguments.clone()).await;
        assert_eq!(mcp["result"]["isError"], true, "{mcp}");
        assert_eq!(envelope(&mcp), plain);
        let params = json!({"name": tool, "arguments": arguments});
        let line = peer.request("tools/call", params).await;
        assert_eq!(envelope(&line), plain);
    }
}

async fn check(wire: &Wire, tool: &str, arguments: Value, code: &str, fields: &[&str]) {
    let shown: String = arguments.to_string().chars().take(120).collect();
    let answer = wire.call(tool, arguments).await;
    let error = &answer["error"];
    assert_eq!(error["code"], code, "{shown}: {answer}");
    assert!(answer.get("data").is_none(), "{shown}: {answer}");
    assert!(
        error["message"].as_str().is_some_and(|m| m.len() > 8),
        "{answer}"
    );
    let listed = error["validation_errors"].as_array();
    let named: BTreeSet<&str> = listed
        .into_iter()
        .flatten()
        .filter_map(|entry| entry["field"].as_str())
        .collect();
    let expected: BTreeSet<&str> = fields.iter().copied().collect();
    assert_eq!(named, expected, "{shown}: {answer}");
}

fn query(field: &str, value: Value) -> Value {
    let mut arguments = json!({"keywords": "react"});
    arguments[field] = value;
    arguments
}

fn with(field: &str, value: Value) -> Value {
    let mut arguments = experience("A title");
    arguments[field] = value;
    arguments
}
