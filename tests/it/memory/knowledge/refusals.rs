//! Bad input to the knowledge base: each kind has an error code and a message, and nothing changes.

use recall_kit_tests::{EmbeddingsEndpoint, Home, Launch, Script, Server, Wire, make_key, python};
use serde_json::{Value, json};

use super::{add, timeout_entry};

async fn check(wire: &Wire, tool: &str, arguments: Value, code: &str) -> Value {
    let shown: String = arguments.to_string().chars().take(120).collect();
    let answer = wire.call(tool, arguments).await;
    let error = &answer["error"];
    assert_eq!(error["code"], code, "{tool} {shown}: {answer}");
    assert!(error["message"].as_str().unwrap().len() > 20, "{answer}");
    assert!(error["details"].is_object(), "{answer}");
    let status = status(code).map_or(Value::Null, Value::from);
    assert_eq!(error["details"]["status"], status, "{answer}");
    error.clone()
}

/// Returns the documented HTTP status of an error code.
fn status(code: &str) -> Option<u16> {
    match code {
        "ENTRY_NOT_FOUND" | "SUGGESTION_NOT_FOUND" => Some(404),
        "INVALID_ENTRY_TYPE" | "INVALID_RELATION_TYPE" | "SELF_LINK_ERROR" => Some(400),
        "EMBEDDINGS_DISABLED" | "MODEL_NOT_AVAILABLE" => Some(503),
        "LINK_ALREADY_EXISTS" => Some(409),
        "INTERNAL_ERROR" => Some(500),
        _ => None,
    }
}

fn with(field: &str, value: Value) -> Value {
    let mut entry = timeout_entry();
    entry[field] = value;
    entry
}

#[tokio::test]
async fn invalid_entries_and_searches_are_refused() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let secret = format!("{}_{}", "ghp", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5");
    for (arguments, code) in [
        (json!({}), "MISSING_REQUIRED_FIELDS"),
        (json!({"type": "bug"}), "MISSING_REQUIRED_FIELDS"),
        (with("type", json!("bugs")), "INVALID_ENTRY_TYPE"),
        (with("title", json!(" ")), "INVALID_TITLE"),
        (with("title", json!("é".repeat(101))), "INVALID_TITLE"),
        (with("confidence", json!(6)), "VALIDATION_ERROR"),
        (with("confidence", json!(-1)), "VALIDATION_ERROR"),
        (with("memory_type", json!("short")), "VALIDATION_ERROR"),
        (
            with("content", json!("x".repeat(1_000_001))),
            "VALIDATION_ERROR",
        ),
        (
            with("content", json!(format!("key {secret}"))),
            "VALIDATION_ERROR",
        ),
        (
            with("context", json!(format!("key {secret}"))),
            "CONTEXT_NOT_SANITIZED",
        ),
    ] {
        let error = check(&server.wire, "rekall_add", arguments, code).await;
        assert!(error["details"]["fields"].is_array(), "{error}");
        assert!(!error.to_string().contains(&secret), "{error}");
    }
    for (arguments, code) in [
        (json!({}), "MISSING_REQUIRED_FIELDS"),
        (json!({"query": " "}), "MISSING_REQUIRED_FIELDS"),
        (json!({"query": "x".repeat(10_001)}), "VALIDATION_ERROR"),
        (json!({"query": "x", "limit": 21}), "INVALID_LIMIT"),
        (json!({"query": "x", "limit": 0}), "INVALID_LIMIT"),
        (json!({"query": "x", "type": "note"}), "INVALID_ENTRY_TYPE"),
    ] {
        check(&server.wire, "rekall_search", arguments, code).await;
    }
    check(
        &server.wire,
        "rekall_help",
        json!({"topic": "x"}),
        "VALIDATION_ERROR",
    )
    .await;
    let found = server
        .wire
        .call("rekall_search", json!({"query": "timeout"}))
        .await;
    assert_eq!(found["total"], 0, "nothing refused is stored: {found}");

    let changed = json!({
        "type": "bug", "title": "é".repeat(100), "content": "x".repeat(1_000_000),
        "tags": ["Auth API", "auth-api"], "context": "word ".repeat(2_001),
    });
    let changed = server.wire.call("rekall_add", changed).await;
    let notes = changed["notes"].to_string();
    assert!(
        notes.contains("auth-api") && notes.contains("8,000"),
        "{changed}"
    );
    let search = json!({"query": "auth-api", "context": "word ".repeat(2_001)});
    let found = server.wire.call("rekall_search", search).await;
    assert_eq!(found["results"][0]["tags"], json!(["auth-api"]), "{found}");
    assert!(found["hint"].as_str().unwrap().contains("8,000"), "{found}");
}

#[tokio::test]
async fn unknown_or_ambiguous_ids_and_invalid_links_are_refused() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let wire = &server.wire;
    let a = add(wire, "bug", "First", "").await;
    let b = add(wire, "bug", "Second", "").await;
    let c = add(wire, "bug", "Third", "").await;
    let unknown = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    for (id, code) in [
        (unknown, "ENTRY_NOT_FOUND"),
        ("not an id at all", "ENTRY_NOT_FOUND"),
        ("", "VALIDATION_ERROR"),
        (&a[..4], "VALIDATION_ERROR"),
    ] {
        check(wire, "rekall_show", json!({"id": id}), code).await;
    }
    let error = check(
        wire,
        "rekall_show",
        json!({"id": &a[..5]}),
        "VALIDATION_ERROR",
    )
    .await;
    let candidates = error["details"]["candidates"].as_array().unwrap();
    assert_eq!(candidates.len(), 3, "{error}");
    assert_eq!(candidates[0], json!({"id": a, "title": "First"}));

    let link = |source: &str, target: &str, relation: &str| json!({"source_id": source, "target_id": target, "relation_type": relation});
    for (source, target, relation) in [
        (&a, &b, "related"),
        (&a, &b, "supersedes"),
        (&b, &c, "supersedes"),
    ] {
        let made = wire
            .call("rekall_link", link(source, target, relation))
            .await;
        assert_eq!(made["created"], true, "{made}");
    }
    for (arguments, code) in [
        (link(&a, &a, "related"), "SELF_LINK_ERROR"),
        (link(&a, &b, "related"), "LINK_ALREADY_EXISTS"),
        (link(&b, &a, "related"), "LINK_ALREADY_EXISTS"),
        (link(&a, &b, "supersedes"), "LINK_ALREADY_EXISTS"),
        (link(&c, &a, "supersedes"), "VALIDATION_ERROR"),
        (link(&a, &b, "likes"), "INVALID_RELATION_TYPE"),
        (link(&a, unknown, "related"), "ENTRY_NOT_FOUND"),
        (link(unknown, &a, "related"), "ENTRY_NOT_FOUND"),
    ] {
        check(wire, "rekall_link", arguments, code).await;
    }
    let shown = wire.call("rekall_show", json!({"id": a})).await;
    assert_eq!(
        shown["links"]["outgoing"].as_array().unwrap().len(),
        2,
        "{shown}"
    );
    for tool in ["rekall_accept_suggestion", "rekall_reject_suggestion"] {
        for id in [unknown, "x", ""] {
            check(
                wire,
                tool,
                json!({"suggestion_id": id}),
                "SUGGESTION_NOT_FOUND",
            )
            .await;
        }
    }
}

#[tokio::test]
async fn suggestions_need_a_model_and_a_working_database() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let added = server.wire.call("rekall_add", timeout_entry()).await;
    assert_eq!(added["embeddings_calculated"], false, "{added}");
    let tools = ["rekall_suggest_links", "rekall_suggest_generalize"];
    for tool in tools {
        check(&server.wire, tool, json!({}), "EMBEDDINGS_DISABLED").await;
        check(&server.wire, tool, json!({"limit": 51}), "INVALID_LIMIT").await;
    }
    python(
        &home,
        "drop_entries.py",
        &[&home.database().to_string_lossy()],
    )
    .await
    .expect_code(0);
    check(
        &server.wire,
        "rekall_add",
        timeout_entry(),
        "INTERNAL_ERROR",
    )
    .await;

    let home = Home::new();
    let endpoint = EmbeddingsEndpoint::start(Script::Refuse(500)).await;
    let server = Launch::new(&home)
        .embeddings("openai")
        .env("RECALL_KIT_EMBEDDINGS__BASE_URL", endpoint.url())
        .start()
        .await;
    let added = server.wire.call("rekall_add", timeout_entry()).await;
    assert_eq!(added["embeddings_calculated"], false, "{added}");
    for tool in tools {
        check(&server.wire, tool, json!({}), "MODEL_NOT_AVAILABLE").await;
    }
    endpoint.set_script(Script::Answer);
    let pending = server.wire.call("rekall_suggest_links", json!({})).await;
    assert_eq!(pending, json!({"suggestions": [], "total_pending": 0}));
}

#[tokio::test]
async fn a_read_key_cannot_write() {
    let home = Home::new();
    let key = make_key(&home, "reader", "read").await;
    let server = Server::start(&home).await;
    let id = add(&server.wire, "bug", "Readable", "").await;
    let reader = Wire::with_headers(server.wire.base(), &[("x-api-key", &key)]);
    let shown = reader.call("rekall_show", json!({"id": id})).await;
    assert_eq!(shown["title"], "Readable", "{shown}");
    for tool in [
        "rekall_add",
        "rekall_link",
        "rekall_accept_suggestion",
        "rekall_reject_suggestion",
    ] {
        let params = json!({"name": tool, "arguments": {}});
        let answer = reader.rpc("tools/call", params).await;
        assert_eq!(answer["error"]["code"], -32005, "{tool}: {answer}");
    }
}
