//! Transcripts of agents: errors that were solved in them.

use std::fs;

use recall_kit_tests::{Home, Server};
use serde_json::json;

use super::{counts, import, secret};

/// A session of Claude Code in which a command fails and passes later.
fn session(error: &str, fix: &str) -> String {
    let user = |content: serde_json::Value| json!({"type": "user", "message": {"role": "user", "content": content}});
    let agent = |content: serde_json::Value| json!({"type": "assistant", "message": {"role": "assistant", "content": content}});
    let call = |id: &str, command: &str| {
        let input = json!({"command": command});
        agent(json!([{"type": "tool_use", "id": id, "name": "Bash", "input": input}]))
    };
    let result = |id: &str, text: &str, failed: bool| {
        user(
            json!([{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed}]),
        )
    };
    let lines = [
        user(json!("Make the build pass")),
        call("1", "make build"),
        result("1", error, true),
        call("2", "make build FAST=1"),
        result("2", "built", false),
        agent(json!([{"type": "text", "text": fix}])),
    ];
    lines.map(|line| line.to_string() + "\n").concat()
}

#[tokio::test]
async fn solved_errors_become_experiences_each_once_the_most_frequent_first() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let linker = |n: u32| format!("error: cannot find -lssl at /work/part{n}/a.c:{n}0");
    let fix = format!(
        "The library was missing. Install it with the token {}.",
        secret()
    );
    for n in 0..3 {
        home.write(
            &format!(".claude/projects/p/{n}.jsonl"),
            session(&linker(n), &fix),
        );
    }
    let other = "error: undefined reference to main";
    home.write(
        ".claude/projects/p/other.jsonl",
        session(other, "Add the file to the list."),
    );
    home.write(".claude/projects/p/half.jsonl", "{\"type\":\"user\",\"mess");
    let codex = fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/data/transcripts/codex_rollout.jsonl"
    ));
    home.write(".codex/sessions/2026/11/01/rollout-1.jsonl", codex.unwrap());

    let listed = import(&home, &server, &["history", "--dry-run"]).await;
    let titles: Vec<&str> = listed.expect_code(0).lines().collect();
    assert!(titles[0].contains("cannot find -lssl"), "{titles:?}");
    let dry = import(&home, &server, &["history", "--dry-run", "--json"]).await;
    let found = counts(&dry);
    let skipped = found["skipped"].as_array().unwrap();
    let same = skipped
        .iter()
        .filter(|it| it.to_string().contains("the same error"));
    assert_eq!(same.count(), 2, "{found}");
    let half = skipped
        .iter()
        .any(|it| it.to_string().contains("half.jsonl: "));
    assert!(half, "what is no transcript is named: {found}");

    let done = import(&home, &server, &["history", "--yes", "--json"]).await;
    assert_eq!(counts(&done)["stored"], found["kept"], "{done:?}");
    let records = server.wire.query("cannot find -lssl make build").await;
    let record = &records["experiences"][0];
    let solution = record["solution"].as_str().unwrap();
    assert!(solution.contains("The library was missing"), "{record}");
    assert!(solution.contains("make build FAST=1"), "{record}");
    let context = record["context"].as_str().unwrap();
    let (_, origin) = context.split_once("(imported from history: ").unwrap();
    let id = origin.split(',').next().unwrap();
    let is_hash = id.len() == 16 && id.bytes().all(|b| b.is_ascii_hexdigit());
    assert!(is_hash, "the error itself is no id: {record}");
    assert!(!format!("{listed:?}{dry:?}{done:?}{records}").contains(&secret()));

    let again = import(&home, &server, &["history", "--yes", "--json"]).await;
    assert_eq!(counts(&again)["kept"], 0, "{again:?}");
    fs::remove_file(home.path().join(".claude/projects/p/0.jsonl")).unwrap();
    for n in 1..3 {
        let other = session(&linker(n), "Another session says it in other words.");
        home.write(&format!(".claude/projects/p/{n}.jsonl"), other);
    }
    let moved = import(&home, &server, &["history", "--yes", "--json"]).await;
    assert_eq!(counts(&moved)["kept"], 0, "the same error again: {moved:?}");
    let none = import(
        &home,
        &server,
        &["history", "--since", "0h", "--dry-run", "--json"],
    )
    .await;
    assert_eq!(counts(&none)["found"], 0, "{none:?}");
    let wrong = import(&home, &server, &["history", "--since", "soon", "--dry-run"]).await;
    wrong.expect_code(2);
}
