//! `recall` answers from experiences, knowledge and documentation at once.

use recall_kit_tests::{BothProtocols, Home, Launch, McpSession, Server, envelope, experience};
use serde_json::{Value, json};

use crate::libraries::with_library;

/// Stores a record of each family about middleware, and others about something else.
async fn fill(server: &Server) {
    let mut solved = experience("Gin middleware runs twice");
    solved["problem_description"] = json!("The logger middleware writes each line twice");
    let mut other = experience("The pool runs dry at night");
    other["problem_description"] = json!("Connections are never given back");
    for one in [solved, other] {
        server.wire.call("submit_experience", one).await;
    }
    for (title, project) in [
        ("Log every request in middleware", "shop"),
        ("Name branches after tickets", "web"),
    ] {
        let entry = json!({
            "type": "decision", "title": title, "content": format!("{title}, without exception."), "project": project,
        });
        server.wire.call("rekall_add", entry).await;
    }
}

async fn recall(protocols: &BothProtocols, arguments: Value) -> Value {
    let result = protocols.call("recall", arguments).await;
    envelope(&json!({ "result": result }))
}

fn families(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().unwrap().iter();
    results.map(|one| one["family"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn the_best_of_each_family_is_found_and_can_be_opened() {
    let home = Home::new();
    with_library(&home).await;
    let server = Launch::new(&home).start().await;
    fill(&server).await;
    let protocols = BothProtocols::open(&server.wire).await;

    let answer = recall(&protocols, json!({"query": "logger middleware"})).await;
    let found = families(&answer);
    for family in ["experience", "knowledge", "library"] {
        assert!(found.contains(&family), "{family}: {answer}");
    }
    let scores: Vec<f64> = answer["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["score"].as_f64().unwrap())
        .collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{answer}");
    assert!(!answer.to_string().contains("pool"), "{answer}");

    for one in answer["results"].as_array().unwrap() {
        let open = &one["open"];
        let tool = open["tool"].as_str().unwrap();
        let opened = server.wire.call(tool, open["arguments"].clone()).await;
        assert!(opened.get("error").is_none(), "{open}: {opened}");
        let text = opened.to_string().to_lowercase();
        assert!(text.contains("middleware"), "{open}: {text}");
    }

    let only = json!({"query": "logger middleware", "limit": 1});
    assert_eq!(families(&recall(&protocols, only).await).len(), 1);
    let elsewhere = json!({"query": "logger middleware", "project": "web"});
    assert!(!families(&recall(&protocols, elsewhere).await).contains(&"knowledge"));
    let unknown = recall(&protocols, json!({"query": "zebra crossing"})).await;
    assert_eq!(unknown["results"], json!([]), "{unknown}");
    assert!(
        unknown["hint"]
            .as_str()
            .unwrap()
            .starts_with("Nothing relevant")
    );
}

#[tokio::test]
async fn a_result_counts_as_listed() {
    let home = Home::new();
    let server = Server::start(&home).await;
    fill(&server).await;
    let query = json!({"query": "logger middleware"});
    let answer = server.wire.call("recall", query).await;
    let results = answer["results"].as_array().unwrap().iter();
    let mut solved = results.filter(|one| one["family"] == "experience");
    let open = &solved.next().unwrap()["open"]["arguments"];
    let shown = server.wire.call("rekall_show", open.clone()).await;
    assert_eq!(shown["access_count"], 1, "{shown}");
}

#[tokio::test]
async fn what_is_wrong_with_a_question_is_said() {
    let home = Home::new();
    with_library(&home).await;
    let server = Server::start(&home).await;
    let protocols = BothProtocols::open(&server.wire).await;
    let code = |answer: &Value| {
        answer["error"]["code"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    for (arguments, expected) in [
        (json!({}), "MISSING_REQUIRED_FIELDS"),
        (json!({"query": "  "}), "MISSING_REQUIRED_FIELDS"),
        (json!({"query": "x", "limit": 11}), "INVALID_LIMIT"),
        (json!({"query": "x".repeat(10_001)}), "VALIDATION_ERROR"),
        (json!({"query": "x", "library": "jin"}), "LIBRARY_NOT_FOUND"),
    ] {
        let answer = recall(&protocols, arguments.clone()).await;
        assert_eq!(code(&answer), expected, "{arguments}: {answer}");
    }
    let answer = recall(&protocols, json!({"query": "x", "library": "jin"})).await;
    assert!(answer.to_string().contains("did you mean"), "{answer}");
}

#[tokio::test]
async fn the_core_profile_lists_a_few_tools_and_runs_all() {
    let home = Home::new();
    let server = Launch::new(&home)
        .settings("[tools]\nprofile = \"core\"\n")
        .start()
        .await;
    let session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    let instructions = session.server["instructions"].as_str().unwrap();
    assert!(instructions.contains("→ recall"), "{instructions}");
    let core = [
        "recall",
        "submit_experience",
        "report_outcome",
        "rekall_add",
        "rekall_show",
        "get-library-docs",
    ];
    let plain = server.wire.rpc("tools/list", json!({})).await;
    for listed in [session.request("tools/list", json!({})).await, plain] {
        let tools = listed["result"]["tools"].as_array().unwrap();
        let names: Vec<&str> = tools
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .collect();
        assert_eq!(names, core);
    }
    let called = session.call("rekall_help", json!({})).await;
    assert_eq!(called["result"]["isError"], false, "{called}");
}
