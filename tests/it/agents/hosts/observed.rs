//! Outcomes that hooks observe: reported as the settings say, kept in the outbox while the server is away.

use std::fs;

use recall_kit_tests::{Home, Server, client, run};
use serde_json::{Value, json};

use super::{hook, told};

/// Lets a session of Claude Code fail, do what the first record advises, and succeed. `before_success` runs in between.
async fn solve(home: &Home, url: &str, before_success: impl AsyncFnOnce()) {
    let of = |event: &str, call: &str, command: &str, more: Value| {
        let mut payload = json!({
            "hook_event_name": event, "session_id": "s", "cwd": "/work/shop", "tool_name": "Bash",
            "tool_use_id": call, "tool_input": {"command": command},
        });
        let fields = payload.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        payload
    };
    let error = "Exit code 1\nnpm error ERESOLVE unable to resolve dependency tree";
    let failed = of(
        "PostToolUseFailure",
        "1",
        "npm install",
        json!({"error": error}),
    );
    let context = told(home, url, &failed).await;
    assert!(context.contains("legacy-peer-deps"), "{context}");
    let done = |stdout: &str| json!({"tool_response": {"stdout": stdout, "stderr": ""}});
    let removed = of(
        "PostToolUse",
        "2",
        "rm -rf node_modules lock.json",
        done(""),
    );
    assert_eq!(told(home, url, &removed).await, "");
    before_success().await;
    let command = "npm install --legacy-peer-deps";
    let passed = of("PostToolUse", "3", command, done("added 412 packages"));
    assert_eq!(told(home, url, &passed).await, "");
}

async fn with_two_solutions(home: &Home) -> (Server, String) {
    let server = Server::start(home).await;
    for (title, solution) in [
        (
            "npm error ERESOLVE unable to resolve dependency tree",
            "Run `rm -rf node_modules lock.json` and `npm install --legacy-peer-deps`.",
        ),
        (
            "npm error ERESOLVE unable to resolve dependency tree of react",
            "Pin the peer in package.json and run `npm dedupe --omit=optional`.",
        ),
    ] {
        let record = json!({
            "title": title, "problem_description": "It cannot be installed", "solution": solution,
            "keywords": ["npm"],
        });
        server.wire.submit(record).await;
    }
    let url = format!("{}/mcp", server.wire.base());
    (server, url)
}

#[tokio::test]
async fn what_a_hook_saw_is_reported_if_the_settings_say_so() {
    for (mode, is_reported) in [("observe", true), ("ask", false), ("off", false)] {
        let home = Home::new();
        let (_server, url) = with_two_solutions(&home).await;
        home.configure_client(json!({"outcomes": mode}).to_string());
        solve(&home, &url, async || {}).await;
        let query = client(&home, &["--server", &url, "--json", "query", "ERESOLVE"]);
        let output = run(query, "").await;
        let found: Value = serde_json::from_str(output.expect_code(0)).unwrap();
        for record in found["experiences"].as_array().unwrap() {
            let is_used = record["solution"]
                .as_str()
                .unwrap()
                .contains("legacy-peer-deps");
            let standing = record["standing"].as_str().unwrap_or_default();
            let is_said = standing.starts_with("worked 1×");
            assert_eq!(is_said, is_used && is_reported, "{mode}: {record}");
        }
        let stop = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": "/work/shop"});
        let said = hook(&home, &url, stop).await.stdout;
        assert_eq!(
            said.contains("recall-kit-client outcome"),
            mode == "ask",
            "{mode}: {said}"
        );
    }
}

#[tokio::test]
async fn a_report_waits_in_the_outbox_and_holds_no_text() {
    let home = Home::new();
    let (server, url) = with_two_solutions(&home).await;
    solve(&home, &url, async || {
        server.stop().await;
    })
    .await;
    let outbox = home.path().join(".local/share/recall-kit/outbox");
    let files = fs::read_dir(&outbox).unwrap().flatten();
    let files = files.filter(|file| file.path().extension().is_some_and(|it| it == "experience"));
    let kept: Vec<String> = files
        .map(|file| fs::read_to_string(file.path()).unwrap())
        .collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    let report: Value = serde_json::from_str(&kept[0]).unwrap();
    assert_eq!(report["outcome"]["outcome"], "worked", "{report}");
    assert_eq!(report["evidence"], "observed", "{report}");
    for text in ["npm", "legacy", "/work", "ERESOLVE"] {
        assert!(!kept[0].contains(text), "{text}: {}", kept[0]);
    }
}
