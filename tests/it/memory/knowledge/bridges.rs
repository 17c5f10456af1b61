//! Experiences and entries together: promotion, common search, and repeated additions.

use recall_kit_tests::{
    BothProtocols, Home, Launch, Output, Server, Wire, envelope, experience, run, server_command,
};
use serde_json::{Value, json};

use super::{add, check_tokens, timeout_entry};

async fn promote(home: &Home, args: &[&str]) -> Output {
    let args = [&["entries", "promote"], args].concat();
    run(server_command(home, &args), "").await
}

async fn submitted(wire: &Wire, title: &str) -> String {
    let mut record = experience(title);
    record["keywords"] = json!(["connection pool", "db"]);
    wire.submit(record).await
}

#[tokio::test]
async fn an_experience_is_promoted_once_and_linked_with_its_entry() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let id = submitted(&server.wire, &"The pool runs dry at night, ".repeat(5)).await;
    let made = promote(
        &home,
        &[&id[..20], "--type", "pitfall", "--project", "Shop"],
    )
    .await;
    let entry = made.expect_code(0).trim().to_owned();
    assert!(
        made.stderr.contains("promoted to 'The pool runs dry"),
        "{made:?}"
    );

    let show = async |id: &str| server.wire.call("rekall_show", json!({"id": id})).await;
    let shown = show(&entry).await;
    assert_eq!(shown["promoted_from"]["id"], id, "{shown}");
    assert_eq!(
        (&shown["type"], &shown["project"]),
        (&json!("pitfall"), &json!("Shop"))
    );
    assert_eq!(shown["tags"], json!(["connection-pool", "db"]));
    assert!(shown["title"].as_str().unwrap().ends_with('…'), "{shown}");
    let content = shown["content"].as_str().unwrap();
    assert!(content.starts_with("## Problem\n\n"), "{content}");
    assert!(content.contains("\n\n## Solution\n\n"), "{content}");
    let shown = show(&id[..13]).await;
    assert_eq!(
        (&shown["type"], &shown["id"]),
        (&json!("experience"), &json!(id))
    );
    assert_eq!(shown["promoted_to"]["id"], entry, "{shown}");
    let page = run(server_command(&home, &["entries", "show", &entry]), "").await;
    assert!(
        page.expect_code(0)
            .contains(&format!("  made from   {id} ")),
        "{page:?}"
    );

    let again = promote(&home, &[&id, "--title", "Other", "--json"]).await;
    let again: Value = serde_json::from_str(again.expect_code(0)).unwrap();
    assert_eq!(
        (&again["created"], &again["entry"]["id"]),
        (&json!(false), &json!(entry))
    );
    for (args, words) in [
        (vec!["01a0"], "UUID or at least its first 13 characters"),
        (vec!["00000000-0000-7000-8000-000000000000"], "not found"),
        (vec![&*id, "--type"], "a value is required"),
    ] {
        let refused = promote(&home, &args).await;
        assert!(refused.stderr.contains(words), "{args:?}: {refused:?}");
        assert_eq!(refused.stdout, "", "{args:?}");
    }
    let other = submitted(&server.wire, "Another").await;
    let refused = promote(&home, &[&other, "--type", "bugs"]).await;
    assert_eq!(refused.expect_code(1), "");
    assert!(
        refused.stderr.contains("Unknown entry type 'bugs'"),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_search_finds_experiences_if_enabled() {
    let home = Home::new();
    let server = Launch::new(&home)
        .settings("[knowledge]\nsearch_experiences = true\n")
        .start()
        .await;
    let wire = &server.wire;
    add(
        wire,
        "bug",
        "Pool of connections is exhausted",
        "The pool ran dry.",
    )
    .await;
    let first = submitted(wire, "Pool exhausted at night").await;
    submitted(wire, "Pool exhausted by day").await;
    let protocols = BothProtocols::open(wire).await;
    let find = async |more: Value| {
        let mut arguments = json!({"query": "pool exhausted"});
        arguments
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let found = protocols.call("rekall_search", arguments).await;
        found["structuredContent"].clone()
    };
    let types = |found: &Value| {
        let results = found["results"].as_array().unwrap().iter();
        let mut types: Vec<String> = results
            .map(|one| one["type"].as_str().unwrap().to_owned())
            .collect();
        types.sort();
        types
    };
    let found = find(json!({})).await;
    assert_eq!(found["total"], 3, "{found}");
    assert_eq!(types(&found), ["bug", "experience", "experience"]);
    let scores = found["results"].as_array().unwrap().iter();
    let scores: Vec<f64> = scores.map(|one| one["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{found}");
    let shown = found["results"].as_array().unwrap().iter();
    let shown = shown
        .filter(|one| one["type"] == "experience")
        .map(|one| one["id"].as_str().unwrap());
    for id in shown {
        let shown_record = wire.call("rekall_show", json!({"id": id})).await;
        assert_eq!(shown_record["type"], "experience", "{id}: {shown_record}");
    }
    check_tokens(&home, found.to_string(), 200).await;
    for filter in [json!({"type": "bug"}), json!({"project": "Shop"})] {
        let found = find(filter).await;
        assert!(!types(&found).contains(&"experience".to_owned()), "{found}");
    }
    assert_eq!(
        find(json!({"limit": 1})).await["results"]
            .as_array()
            .unwrap()
            .len(),
        1
    );

    promote(&home, &[&first]).await.expect_code(0);
    let found = find(json!({})).await;
    assert_eq!(
        types(&found),
        ["bug", "bug", "experience"],
        "promoted: found as an entry alone"
    );
    assert_eq!(found["total"], 3, "{found}");
    let without = Server::start(&home).await;
    let found = without
        .wire
        .call("rekall_search", json!({"query": "pool exhausted"}))
        .await;
    assert_eq!(types(&found), ["bug", "bug"], "off by default");
}

#[tokio::test]
async fn an_addition_with_an_idempotency_key_is_stored_once() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let keyed = async |key: Value, entry: &Value| {
        let params = json!({
            "name": "rekall_add",
            "arguments": entry,
            "_meta": {"io.recallkit/idempotency-key": key},
        });
        server.wire.rpc("tools/call", params).await
    };
    let entry = timeout_entry();
    let first = envelope(&keyed(json!("key-1"), &entry).await);
    let (again, twice) = tokio::join!(keyed(json!("key-1"), &entry), keyed(json!("key-1"), &entry));
    for again in [envelope(&again), envelope(&twice)] {
        assert_eq!(
            (&again["id"], &again["created"]),
            (&first["id"], &json!(true)),
            "{again}"
        );
        assert!(
            again["notes"]
                .to_string()
                .contains("nothing was added twice"),
            "{again}"
        );
    }
    let found = server
        .wire
        .call("rekall_search", json!({"query": "timeout"}))
        .await;
    assert_eq!(found["total"], 1, "{found}");
    let mut other = entry.clone();
    other["title"] = json!("Another");
    let refused = envelope(&keyed(json!("key-1"), &other).await);
    assert_eq!(refused["error"]["code"], "VALIDATION_ERROR", "{refused}");
    let refused = envelope(&keyed(json!("a key"), &other).await);
    assert!(
        refused.to_string().contains("1–128 printable ASCII"),
        "{refused}"
    );
    assert_eq!(keyed(json!(5), &other).await["error"]["code"], -32602);
    let second = envelope(&keyed(json!("key-2"), &entry).await);
    assert_ne!(second["id"], first["id"]);
}
