//! Titles and descriptions of examples, written by a language model behind a scripted endpoint.

use recall_kit_tests::{ChatEndpoint, ChatScript, Home, Launch, run, server_command};
use serde_json::{Value, json};

use crate::libraries::events;

const MODEL_ANSWER: &str =
    r#"{"title": "Route a\nrequest", "description": "It answers with pong."}"#;
const PAGE: &str = "# Gin\n\n## Routing\n\nThis answers a ping:\n\n```go\n\
     router := gin.Default()\nrouter.GET(\"/ping\", pong)\n```\n";

/// Ingests the folder `docs`, with descriptions from the endpoint if there is one; returns the report.
async fn ingest(home: &Home, endpoint: Option<&ChatEndpoint>) -> Value {
    let docs = home.path().join("docs").display().to_string();
    let mut args = vec!["ingest", "gin", &docs, "--json"];
    let config = endpoint.map(|endpoint| {
        let settings = format!("{}describe_examples = true\n", endpoint.settings());
        let config = home.write("ai.toml", settings);
        config.display().to_string()
    });
    args.extend(config.iter().flat_map(|config| ["--config", config]));
    let output = run(server_command(home, &args), "").await;
    events(output.expect_code(0)).pop().unwrap()
}

/// Returns title and description of the only example.
async fn example(home: &Home) -> (Value, Value) {
    let server = Launch::new(home).start().await;
    let arguments = json!({"topic": "router ping", "mode": "code"});
    let params = json!({"name": "get-library-docs", "arguments": arguments});
    let answer = server.wire.rpc("tools/call", params).await;
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    let found: Value = serde_json::from_str(text).unwrap();
    server.stop().await;
    assert_eq!(found["documents"].as_array().unwrap().len(), 1, "{found}");
    let document = &found["documents"][0];
    (document["title"].clone(), document["description"].clone())
}

#[tokio::test]
async fn a_model_describes_each_example_once() {
    let home = Home::new();
    let endpoint = ChatEndpoint::start(ChatScript::Say(MODEL_ANSWER)).await;
    home.write("docs/README.md", PAGE);
    let report = ingest(&home, Some(&endpoint)).await;
    assert_eq!(
        (&report["examples"], &report["described"]),
        (&json!(1), &json!(1))
    );
    let expected = (json!("Route a request"), json!("It answers with pong."));
    assert_eq!(example(&home).await, expected);
    let (_, body) = &endpoint.requests()[0];
    let text = body["messages"][1]["content"].as_str().unwrap();
    assert!(text.contains("Headings: Gin > Routing\n"), "{text}");
    assert!(text.contains("This answers a ping:"), "{text}");

    // An unchanged file is not read again, and the example in a changed file is known already.
    let report = ingest(&home, Some(&endpoint)).await;
    assert_eq!(report["unchanged"], json!(1));
    home.write(
        "docs/README.md",
        format!("{PAGE}\n## More\n\nNothing yet.\n"),
    );
    let report = ingest(&home, Some(&endpoint)).await;
    assert_eq!(
        (&report["unchanged"], &report["described"]),
        (&json!(0), &json!(1))
    );
    assert_eq!(example(&home).await, expected);
    assert_eq!(endpoint.requests().len(), 1);
}

#[tokio::test]
async fn a_failing_model_does_not_fail_the_ingest_and_is_called_again_by_the_next() {
    let extracted = (json!("Gin > Routing"), json!("This answers a ping:"));
    for (script, words) in [
        (ChatScript::Refuse(401), "it refused with status 401"),
        (ChatScript::Decline, "the AI model declined to answer"),
        (
            ChatScript::Say(r#"{"title": " ", "description": ""}"#),
            "not of the shape",
        ),
    ] {
        let home = Home::new();
        home.write("docs/README.md", PAGE);
        let failing = ChatEndpoint::start(script).await;
        let report = ingest(&home, Some(&failing)).await;
        assert_eq!(
            (&report["examples"], &report["described"]),
            (&json!(1), &json!(0))
        );
        assert!(
            report["notDescribed"].as_str().unwrap().contains(words),
            "{report}"
        );
        assert_eq!(example(&home).await, extracted);

        let working = ChatEndpoint::start(ChatScript::Say(MODEL_ANSWER)).await;
        let report = ingest(&home, Some(&working)).await;
        assert_eq!(report["described"], json!(1), "{report}");
        assert_eq!(example(&home).await.0, json!("Route a request"));
    }
}

#[tokio::test]
async fn without_the_setting_the_model_is_not_called() {
    let home = Home::new();
    home.write("docs/README.md", PAGE);
    let endpoint = ChatEndpoint::start(ChatScript::Say(MODEL_ANSWER)).await;
    // The endpoint is configured for drafts, but not for descriptions.
    let config = home.write("ai.toml", endpoint.settings());
    let docs = home.path().join("docs").display().to_string();
    let config = config.display().to_string();
    let args = ["ingest", "gin", &docs, "--config", &config, "--json"];
    run(server_command(&home, &args), "").await.expect_code(0);
    assert_eq!(endpoint.requests(), []);
    let report = ingest(&home, None).await;
    assert_eq!(report["unchanged"], json!(1));
}
