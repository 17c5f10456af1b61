//! Suggestions with the built-in model: they are created automatically, decided once, and never return.

use recall_kit_tests::{Home, Launch, Wire, built, python, run};
use serde_json::{Value, json};
use tokio::process::Command;

use super::add;

/// Three entries about one topic, in three languages.
const SIMILAR: [(&str, &str); 3] = [
    (
        "Docker fills the disk with old images",
        "Unused images pile up until no space is left; docker system prune frees it",
    ),
    (
        "Clean up unused Docker images",
        "Run docker image prune on the build machine, old images had filled the disk",
    ),
    (
        "Docker remplit le disque avec de vieilles images",
        "Les images inutilisées s'accumulent ; docker system prune libère la place",
    ),
];
const DIFFERENT: (&str, &str) = (
    "Mutable default argument bug",
    "def f(items=[]) shares one list over all calls in Python",
);

async fn pending(wire: &Wire, tool: &str) -> Vec<Value> {
    let listed = wire.call(tool, json!({})).await;
    let suggestions = listed["suggestions"].as_array().expect("a list").clone();
    assert_eq!(listed["total_pending"], suggestions.len(), "{listed}");
    suggestions
}

async fn decide(wire: &Wire, verb: &str, suggestion: &Value) -> Value {
    let tool = format!("rekall_{verb}_suggestion");
    wire.call(&tool, json!({"suggestion_id": suggestion["id"]}))
        .await
}

#[tokio::test]
async fn similar_entries_are_suggested_and_decided_once() {
    let home = Home::new();
    let folder = home.path().join("a folder");
    let server = Launch::new(&home)
        .embeddings("builtin")
        .args(&["--data-dir", &folder.to_string_lossy()])
        .start()
        .await;
    let wire = &server.wire;
    let mut added = Vec::new();
    for (title, content) in [SIMILAR[0], DIFFERENT, SIMILAR[1], SIMILAR[2]] {
        let entry = json!({"type": "bug", "title": title, "content": content, "tags": ["ops"]});
        added.push(wire.call("rekall_add", entry).await);
    }
    assert_eq!(added[1]["similar_entries"], json!([]), "{}", added[1]);
    assert_eq!(
        added[2]["similar_entries"][0]["title"], SIMILAR[0].0,
        "{}",
        added[2]
    );
    assert_eq!(added[2]["suggestions_created"], 1, "{}", added[2]);
    assert_eq!(
        added[3]["suggestions_created"], 3,
        "two links, one generalisation"
    );

    let links = pending(wire, "rekall_suggest_links").await;
    assert_eq!(links.len(), 3, "{links:?}");
    for link in &links {
        let titles = [&link["entry_a"]["title"], &link["entry_b"]["title"]];
        assert!(titles.iter().all(|title| **title != DIFFERENT.0), "{link}");
        assert!(link["score"].as_f64().unwrap() >= 0.75, "{link}");
        let reason = link["reason"].as_str().unwrap();
        assert!(
            reason.contains("imilar") || reason.contains("same meaning"),
            "{link}"
        );
        assert!(
            reason.contains("docker") && reason.contains("ops"),
            "{link}"
        );
    }
    let accepted = decide(wire, "accept", &links[0]).await;
    assert_eq!(accepted["suggestion_type"], "link", "{accepted}");
    let made = &accepted["link_created"];
    assert_eq!(made["source_id"], links[0]["entry_b"]["id"], "{accepted}");
    let shown = wire
        .call("rekall_show", json!({"id": made["source_id"]}))
        .await;
    assert_eq!(
        shown["links"]["outgoing"][0]["target_id"], made["target_id"],
        "{shown}"
    );
    let rejected = decide(wire, "reject", &links[1]).await;
    assert_eq!(
        rejected,
        json!({"rejected": true, "suggestion_id": links[1]["id"]})
    );
    for (verb, suggestion) in [("accept", 0), ("reject", 0), ("accept", 1), ("reject", 1)] {
        let again = decide(wire, verb, &links[suggestion]).await;
        assert_eq!(again["error"]["code"], "SUGGESTION_NOT_FOUND", "{again}");
    }
    let left = pending(wire, "rekall_suggest_links").await;
    assert_eq!(left, links[2..], "decided suggestions do not return");

    let clusters = pending(wire, "rekall_suggest_generalize").await;
    let ids: Vec<&str> = [0, 2, 3]
        .map(|at| added[at]["id"].as_str().unwrap())
        .to_vec();
    let entries = clusters[0]["entries"].as_array().unwrap();
    assert!(
        entries
            .iter()
            .map(|one| one["id"].as_str().unwrap())
            .eq(ids.clone())
    );
    let accepted = decide(wire, "accept", &clusters[0]).await;
    let (folder, ids) = (folder.display(), ids.join(" "));
    let arguments = format!("generalize --data-dir '{folder}' {ids}");
    assert_eq!(
        accepted["generalize_command"],
        format!("recall-kit-server {arguments}"),
        "{accepted}"
    );
    // The command runs as it is printed, independent of the shell's environment.
    let program = built("recall-kit-server");
    let command = format!("'{}' {arguments} --dry-run", program.display());
    let mut shell = Command::new("sh");
    shell.args(["-c", &command]);
    run(shell, "").await.expect_code(0);
    assert_eq!(accepted["link_created"], Value::Null, "{accepted}");
    assert_eq!(
        pending(wire, "rekall_suggest_generalize").await,
        [Value::Null; 0]
    );
}

#[tokio::test]
async fn concurrent_accepts_succeed_once_and_a_deleted_entry_is_reported() {
    let home = Home::new();
    let server = Launch::new(&home).embeddings("builtin").start().await;
    let wire = &server.wire;
    for (title, content) in SIMILAR {
        add(wire, "bug", title, content).await;
    }
    let links = pending(wire, "rekall_suggest_links").await;
    let accepts = (0..8).map(|_| decide(wire, "accept", &links[0]));
    let answers = futures_of(accepts).await;
    let won = answers
        .iter()
        .filter(|answer| answer["accepted"] == true)
        .count();
    let not_found = answers
        .iter()
        .filter(|answer| answer["error"]["code"] == "SUGGESTION_NOT_FOUND");
    assert_eq!((won, not_found.count()), (1, 7), "{answers:?}");

    let deleted = links[1]["entry_a"]["id"].as_str().unwrap();
    let database = home.database();
    let args = [&*database.to_string_lossy(), deleted];
    python(&home, "delete_entry.py", &args).await.expect_code(0);
    let refused = decide(wire, "accept", &links[1]).await;
    assert_eq!(refused["error"]["code"], "ENTRY_NOT_FOUND", "{refused}");
    let refused = decide(wire, "accept", &links[1]).await;
    assert_eq!(
        refused["error"]["code"], "ENTRY_NOT_FOUND",
        "nothing changed: {refused}"
    );
}

/// Awaits all futures at once.
async fn futures_of(all: impl Iterator<Item = impl Future<Output = Value>>) -> Vec<Value> {
    futures::future::join_all(all).await
}
