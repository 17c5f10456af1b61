//! Secrets and personal strings that are planted in what the client is given: none of them reaches a
//! server or a model, lies on disk, or stands in a log. What is planted is in `planted`.

mod planted;

use std::{fs, path::Path};

use recall_kit_tests::{Home, Recorder, Server, StdioPeer, client, run};
use serde_json::{Value, json};

pub(crate) use planted::{Canary, KINDS, Kind, planted};

const TITLE: &str = "Publishing with planted strings fails";
const PROBLEM: &str = "The registry says that something is missing";
const SOLUTION: &str = "Log in first";

/// Checks that none of the planted strings is among what was seen; says in which frames they stood, not
/// which strings they are.
pub(crate) fn check(kind: Kind, planted: &[Canary], seen: &[String]) {
    // JSON doubles the backslashes.
    let plain: Vec<String> = seen.iter().map(|text| text.replace(r"\\", r"\")).collect();
    let stands = |secret: &String| seen.iter().chain(&plain).any(|text| text.contains(secret));
    let leaked: Vec<usize> = planted
        .iter()
        .filter(|canary| canary.secrets.iter().any(stands))
        .map(|canary| canary.frame)
        .collect();
    let (count, all) = (leaked.len(), planted.len());
    assert!(leaked.is_empty(), "{kind:?}: {count} of {all}, {leaked:?}");
}

/// All lines of what is planted.
fn lines(planted: &[Canary]) -> String {
    let lines = planted.iter().map(|canary| canary.line.clone() + "\n");
    lines.collect()
}

/// Everything that lies in a home: settings, the outbox, logs, and the server's data.
fn on_disk(folder: &Path) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let path = entry.path();
        match entry.file_type().unwrap() {
            kind if kind.is_dir() => text.push_str(&on_disk(&path)),
            kind if kind.is_file() => {
                let bytes = fs::read(&path).unwrap_or_default();
                text.push_str(&String::from_utf8_lossy(&bytes));
            }
            _ => {}
        }
    }
    text
}

#[tokio::test]
async fn no_planted_string_of_a_submission_leaves_or_stays_on_disk() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let wire = Recorder::start(server.port(), true).await;
    let submit = |kind: Kind| {
        let url = wire.url();
        let mut command = client(&home, &["-vv", "--server", &url, "submit", "--yes"]);
        let title = format!("{TITLE}: {kind:?}");
        command.args(["--title", &title, "--problem", PROBLEM]);
        command.args(["--solution", SOLUTION, "--context", "-"]);
        run(command, lines(&planted(kind)))
    };
    let mut said = String::new();
    for kind in KINDS {
        let sent = submit(kind).await;
        sent.expect_code(0);
        said.push_str(&(sent.stdout + &sent.stderr));
    }
    assert!(wire.sent().contains(TITLE), "nothing was sent");
    let log = server.log();
    server.stop().await;
    for kind in KINDS {
        let kept = submit(kind).await;
        assert!(kept.stderr.contains("outbox"), "{kind:?}: {kept:?}");
        said.push_str(&(kept.stdout + &kept.stderr));
    }
    let disk = on_disk(home.path());
    assert!(disk.contains(TITLE), "nothing was kept");
    let seen = [wire.sent(), log, disk, said];
    for kind in KINDS {
        check(kind, &planted(kind), &seen);
    }
}

#[tokio::test]
async fn no_planted_string_of_an_agent_leaves() {
    let home = Home::new();
    let server = Server::start(&home).await;
    for kind in KINDS {
        let planted = planted(kind);
        let text = lines(&planted);
        let wire = Recorder::start(server.port(), true).await;
        let mut host = StdioPeer::of(client(&home, &["-vv", "--server", &wire.url(), "mcp"]));
        crate::agents::served::greet(&mut host, json!({})).await;
        let drafted = json!({
            "title": format!("{TITLE}: {kind:?}"),
            "problem_description": PROBLEM,
            "solution": SOLUTION,
            "context": text,
        });
        let drafted = called(&mut host, "share_experience", drafted).await;
        let id = &drafted["draft_id"];
        let confirm = json!({"draft_id": id, "answer": "confirm"});
        let stored = called(&mut host, "confirm_experience", confirm).await;
        assert_eq!(stored["status"], "stored", "{kind:?}: {stored}");
        let entry = json!({"type": "bug", "title": format!("Planted {kind:?}"), "content": text});
        let added = called(&mut host, "rekall_add", entry).await;
        assert_eq!(added["created"], true, "{kind:?}: {added}");
        for part in planted.chunks(40) {
            let query = json!({"query": lines(part)});
            called(&mut host, "rekall_search", query).await;
        }
        let said = [drafted, stored, added].map(|answer| answer.to_string());
        let (code, log) = host.close().await;
        assert_eq!(code, Some(0), "{kind:?}: {log}");
        let seen = [wire.sent(), server.log(), log, said.concat()];
        check(kind, &planted, &seen);
    }
}

/// What a tool answered.
async fn called(host: &mut StdioPeer, tool: &str, arguments: Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    let answer = host.request("tools/call", params).await;
    let result = &answer["result"];
    assert_ne!(result["isError"], true, "{tool}: {answer}");
    result["structuredContent"].clone()
}

#[tokio::test]
async fn no_planted_string_of_a_failed_command_leaves() {
    /// How many lines of a failed command a hook asks about.
    const LINES: usize = 6;
    let home = Home::new();
    let server = Server::start(&home).await;
    for kind in KINDS {
        let wire = Recorder::start(server.port(), true).await;
        let planted = planted(kind);
        let mut said = String::new();
        for part in planted.chunks(LINES) {
            let errors = part.iter().map(|canary| canary.line.replace('\n', " "));
            let errors: Vec<String> = errors.map(|line| format!("error: {line}")).collect();
            let failed = json!({
                "hook_event_name": "PostToolUseFailure",
                "tool_name": "Bash",
                "error": errors.join("\n"),
            });
            let command = client(&home, &["-vv", "--server", &wire.url(), "hook", "error"]);
            let output = run(command, failed.to_string()).await;
            output.expect_code(0);
            said.push_str(&output.stdout);
            said.push_str(&output.stderr);
        }
        assert!(
            wire.sent().contains("error: "),
            "{kind:?}: nothing was asked"
        );
        check(kind, &planted, &[wire.sent(), server.log(), said]);
    }
}
