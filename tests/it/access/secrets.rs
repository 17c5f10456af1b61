//! Secrets are refused and never repeated, neither in an answer nor in the log.

use recall_kit_tests::{Home, Launch, Server, experience};
use serde_json::{Value, json};

#[tokio::test]
async fn a_secret_in_the_context_is_refused_and_never_repeated() {
    let home = Home::new();
    let server = Launch::new(&home)
        .env("RECALL_KIT_LOG__LEVEL", "debug")
        .start()
        .await;
    for (kind, secret) in secrets() {
        let mut record = experience("Deploys need a key");
        record["context"] = json!(format!("before\nconst key = \"{secret}\";\nafter"));
        let answer = server.wire.call("submit_experience", record.clone()).await;
        let error = &answer["error"];
        assert_eq!(error["code"], "CONTEXT_NOT_SANITIZED", "{kind}: {answer}");
        assert_eq!(
            error["validation_errors"],
            json!([{
                "field": "context",
                "message": "Context contains unsanitized code snippet",
            }]),
            "{kind}"
        );
        assert!(!answer.to_string().contains(&secret), "{kind}: {answer}");

        record["context"] = json!(sanitized(&error["details"]));
        assert!(record["context"].as_str().unwrap().contains("before"));
        server.wire.submit(record).await;
    }
    let log = server.stop().await;
    let refused = "Tool called: submit_experience";
    assert!(log.contains(refused), "what was refused is in {log}");
    for (kind, secret) in secrets() {
        assert!(!log.contains(&secret), "{kind} in the log");
    }
}

#[tokio::test]
async fn a_credential_in_another_field_is_refused_with_the_field_named() {
    let home = Home::new();
    let server = Launch::new(&home)
        .env("RECALL_KIT_LOG__LEVEL", "debug")
        .start()
        .await;
    let (_, secret) = secrets().swap_remove(0);
    for field in ["title", "problem_description", "root_cause", "solution"] {
        let mut record = experience("Deploys need a key");
        record[field] = json!(format!("works with {secret} only"));
        let answer = server.wire.call("submit_experience", record).await;
        let error = &answer["error"];
        assert_eq!(error["code"], "VALIDATION_ERROR", "{field}: {answer}");
        assert_eq!(error["validation_errors"][0]["field"], field, "{answer}");
        assert!(!answer.to_string().contains(&secret), "{field}: {answer}");
    }
    let mut record = experience("Deploys need a key");
    record["keywords"] = json!(["deploy", secret]);
    let answer = server.wire.call("submit_experience", record).await;
    let error = &answer["error"];
    assert_eq!(error["code"], "VALIDATION_ERROR", "{answer}");
    assert_eq!(error["validation_errors"][0]["field"], "keywords[1]");
    let log = server.stop().await;
    assert_eq!(log.matches("Tool called: submit_experience").count(), 5);
    assert!(!log.contains(&secret));
}

#[tokio::test]
async fn queries_and_records_are_not_logged() {
    let home = Home::new();
    let server = Launch::new(&home)
        .env("RECALL_KIT_LOG__LEVEL", "debug")
        .start()
        .await;
    let mut record = experience("Title of the private record");
    record["context"] = json!("contextmarker");
    server.wire.submit(record).await;
    server.wire.query("private querymarker").await;
    let unknown =
        json!({"name": "query_experiences", "arguments": {"keywords": 5, "x": "argumentmarker"}});
    server.wire.rpc("tools/call", unknown).await;
    server.wire.post("/mcp", "{\"bodymarker\":").await;
    let log = server.stop().await;
    // Without these lines the checks that markers are absent would prove nothing.
    for logged in [
        "DEBUG - ranked",
        "Tool called: query_experiences",
        "experience stored",
    ] {
        assert!(log.contains(logged), "no {logged:?} in {log}");
    }
    for marker in [
        "private record",
        "contextmarker",
        "querymarker",
        "argumentmarker",
        "bodymarker",
    ] {
        assert!(!log.contains(marker), "{marker} in {log}");
    }
}

#[tokio::test]
async fn ordinary_code_is_accepted() {
    let home = Home::new();
    let server = Server::start(&home).await;
    for context in [
        "const apiKey = \"YOUR_API_KEY\";\nfetch(\"https://api.example.com/data\")",
        "export TOKEN=$GITHUB_TOKEN; curl -H \"Authorization: Bearer ${TOKEN}\" http://localhost:8080",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b, id 550e8400-e29b-41d4-a716-446655440000",
        "password = os.environ[\"DB_PASSWORD\"]  # see https://docs.python.org/3/library/os.html",
    ] {
        let mut record = experience("Ordinary code");
        record["context"] = json!(context);
        server.wire.submit(record).await;
    }
}

/// Synthetic secrets, assembled here so that secret scanners do not report this file.
fn secrets() -> Vec<(&'static str, String)> {
    let letters = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5kL7n";
    vec![
        ("github token", format!("{}_{}", "ghp", &letters[..36])),
        ("aws key id", format!("{}{}", "AKIA", "Z7Q3M5X2K9W4R6T8")),
        ("password in a url", {
            let password = &letters[4..24];
            format!("postgres://admin:{password}@db.corp.internal/app")
        }),
    ]
}

fn sanitized(details: &Value) -> &str {
    let text = details["sanitized_context"].as_str();
    text.unwrap_or_else(|| panic!("no sanitized text in {details}"))
}
