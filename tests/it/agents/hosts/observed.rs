//! Outcomes that hooks observe: reported as the settings say, kept in the outbox while the server is away.

use std::fs;

use recall_kit_tests::{Gateway, Home, Recorder, Server, client, run};
use serde_json::{Value, json};

use super::{hook, told};

/// Lets a session of Claude Code fail, do what the first record advises, and succeed. `before_success` runs in between.
async fn solve(home: &Home, url: &str, before_success: impl AsyncFnOnce()) {
    let of = |event: &str, call: &str, command: &str, more: Value| {
        let mut payload = json!({
            "hook_event_name": event, "session_id": "s", "cwd": "/srv/shop", "tool_name": "Bash",
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
        let stop = json!({"hook_event_name": "Stop", "session_id": "s", "cwd": "/srv/shop"});
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
    let files = files.filter(|file| file.path().extension().is_some_and(|it| it == "observed"));
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

/// The command that was advised is the command that fails: the error came back twice after it.
#[tokio::test]
async fn advice_that_does_not_help_is_reported_as_such() {
    let home = Home::new();
    let (_server, url) = with_two_solutions(&home).await;
    home.configure_client(json!({"outcomes": "observe"}).to_string());
    let lines = [
        "npm install",
        "rm -rf node_modules lock.json && npm install --legacy-peer-deps",
        "npm install --legacy-peer-deps",
    ];
    for (call, line) in lines.into_iter().enumerate() {
        let failed = json!({
            "hook_event_name": "PostToolUseFailure", "session_id": "s", "cwd": "/srv/shop", "tool_name": "Bash",
            "tool_use_id": call.to_string(), "tool_input": {"command": line},
            "error": "Exit code 1\nnpm error ERESOLVE unable to resolve dependency tree",
        });
        told(&home, &url, &failed).await;
    }
    // What helps in the end is something else.
    let passed = json!({
        "hook_event_name": "PostToolUse", "session_id": "s", "cwd": "/srv/shop", "tool_name": "Bash",
        "tool_use_id": "9", "tool_input": {"command": "npm install --force"},
        "tool_response": {"stdout": "added 412 packages", "stderr": ""},
    });
    assert_eq!(told(&home, &url, &passed).await, "");
    let query = client(&home, &["--server", &url, "--json", "query", "ERESOLVE"]);
    let output = run(query, "").await;
    let found: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    for record in found["experiences"].as_array().unwrap() {
        let solution = record["solution"].as_str().unwrap();
        let standing = record["standing"].as_str().unwrap_or_default();
        let is_followed = solution.contains("legacy-peer-deps");
        assert_eq!(
            standing.starts_with("did not work 1×"),
            is_followed,
            "{record}"
        );
        assert!(!standing.contains("worked 1×"), "{record}");
    }
}

/// A report that is not answered neither delays the recall of the same call nor is lost.
#[tokio::test]
async fn a_slow_report_delays_no_recall() {
    let home = Home::new();
    let (server, _) = with_two_solutions(&home).await;
    for number in 0..3 {
        let record = json!({
            "title": format!("npm error ERESOLVE unable to resolve dependency tree, other case {number}"),
            "problem_description": "It cannot be installed", "solution": format!("Wait for release {number}."),
            "keywords": ["npm"],
        });
        server.wire.submit(record).await;
    }
    let gateway = Gateway::answering("report_outcome", server.port()).await;
    gateway.hold();
    let away = "http://127.0.0.1:9/mcp";
    let failed = |call: &str, line: &str| {
        json!({
            "hook_event_name": "PostToolUseFailure", "session_id": "s", "cwd": "/srv/shop", "tool_name": "Bash",
            "tool_use_id": call, "tool_input": {"command": line},
            "error": "Exit code 1\nnpm error ERESOLVE unable to resolve dependency tree",
        })
    };
    let first = told(&home, &gateway.url(), &failed("1", "npm install")).await;
    assert!(first.contains("legacy-peer-deps"), "{first}");
    let followed = "rm -rf node_modules lock.json && npm install --legacy-peer-deps";
    assert_eq!(told(&home, away, &failed("2", followed)).await, "");
    let second = told(&home, &gateway.url(), &failed("3", followed)).await;
    assert!(second.contains("Solution: "), "{second}");
    let outbox = home.path().join(".local/share/recall-kit/outbox");
    let files = fs::read_dir(&outbox).unwrap().flatten();
    let files = files.filter(|file| file.path().extension().is_some_and(|it| it == "observed"));
    let kept: Vec<String> = files
        .map(|file| fs::read_to_string(file.path()).unwrap())
        .collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert!(kept[0].contains("did_not_work"), "{kept:?}");
    // It is listed apart from what the user confirmed.
    let listed = run(client(&home, &["outbox", "list"]), "").await;
    assert!(listed.expect_code(0).contains("did_not_work"), "{listed:?}");
    assert!(listed.stderr.contains("observed by hooks"), "{listed:?}");
    assert!(!listed.stderr.contains("encrypted"), "{listed:?}");
    let listed = run(client(&home, &["--json", "outbox", "list"]), "").await;
    let listed: Value = serde_json::from_str(listed.expect_code(0)).unwrap();
    assert_eq!(listed["experiences"][0]["observed"], true, "{listed}");
}

/// Of two servers, the one that has the record learns the outcome, and the other one nothing.
#[tokio::test]
async fn with_two_servers_the_one_with_the_record_gets_the_report() {
    let home = Home::new();
    let empty_home = Home::new();
    let empty = Server::start(&empty_home).await;
    let records_home = Home::new();
    let (server, _) = with_two_solutions(&records_home).await;
    let wires = [
        Recorder::start(empty.port(), true).await,
        Recorder::start(server.port(), true).await,
    ];
    let servers = ["team", "public"].iter().zip(&wires);
    let servers = servers.map(|(name, wire)| json!({"name": name, "url": wire.url()}));
    let servers: Vec<Value> = servers.collect();
    let own = ".config/recall-kit/recall-kit-client.config.json";
    let settings = json!({"servers": servers, "submitTo": "team", "outcomes": "observe"});
    home.write(own, settings.to_string());
    solve(&home, "", async || {}).await;
    let [to_empty, to_server] = wires.map(|wire| wire.sent());
    assert!(
        to_empty.contains("query_experiences"),
        "both are asked: {to_empty}"
    );
    assert!(!to_empty.contains("report_outcome"), "{to_empty}");
    assert_eq!(
        to_server.matches("\"report_outcome\"").count(),
        1,
        "{to_server}"
    );
    let found = server.wire.query("ERESOLVE legacy-peer-deps").await;
    let id = found["experiences"][0]["id"].as_str().unwrap();
    // Nothing else that is sent has an id.
    assert!(to_server.contains(id), "{id}: {to_server}");
    assert!(!to_empty.contains(id), "{id}: {to_empty}");
}
