//! The client beside an agent and a person: hooks, manual pages, and terminal output.

use std::fs;

use recall_kit_tests::{
    EmbeddingsEndpoint, Home, Launch, Script, Server, client, on_terminal, run, start,
    within_deadline,
};
use serde_json::{Value, json};
use tokio::process::Command;

#[tokio::test]
async fn hooks_are_added_beside_existing_ones_and_removed() {
    let home = Home::new();
    let others = "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [{ \"type\": \"command\", \"command\": \"say done\" }]\n      }\n    ]\n  }\n}\n";
    let path = home.write(".claude/settings.json", others);
    let set_up = |flag: &'static str| {
        let args = ["init", "--agent", "claude-code", "--yes", flag];
        run(client(&home, &args), "")
    };
    set_up("--hooks").await.expect_code(0);
    let written = fs::read_to_string(&path).unwrap();
    let settings: Value = serde_json::from_str(&written).unwrap();
    let stop = settings["hooks"]["Stop"].as_array().unwrap();
    assert_eq!(stop.len(), 2, "{written}");
    assert_eq!(stop[0]["hooks"][0]["command"], "say done");
    for (event, matcher) in [
        ("PostToolUse", "Bash|Edit|Write|MultiEdit"),
        ("PostToolUseFailure", "Bash"),
    ] {
        assert_eq!(settings["hooks"][event][0]["matcher"], matcher, "{written}");
    }
    // The command works in a shell, and prints nothing for a command that succeeded.
    let hook = &settings["hooks"]["PostToolUse"][0]["hooks"][0]["command"];
    let mut shell = Command::new("sh");
    shell.args(["-c", hook.as_str().unwrap()]);
    let payload = json!({"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_response": {"stdout": "ok"}});
    let output = run(shell, payload.to_string()).await;
    assert_eq!(output.expect_code(0), "");
    set_up("--hooks").await.expect_code(0);
    assert_eq!(fs::read_to_string(&path).unwrap(), written);
    set_up("--remove").await.expect_code(0);
    assert_eq!(fs::read_to_string(&path).unwrap(), others);
}

#[tokio::test]
async fn a_failed_command_shows_matching_experiences() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let record = json!({
        "title": "error[E0502]: cannot borrow `v` as mutable",
        "problem_description": "A reference into the vector is still used after the push",
        "solution": "End the first borrow before pushing",
        "keywords": ["rust"],
    });
    server.wire.submit(record).await;
    let url = format!("{}/mcp", server.wire.base());
    let hook = |payload: String| run(client(&home, &["--server", &url, "hook", "error"]), payload);
    let failed = |error: &str| {
        json!({
            "hook_event_name": "PostToolUseFailure",
            "tool_name": "Bash",
            "tool_input": {"command": "cargo check"},
            "error": error,
        })
        .to_string()
    };
    let error = "Exit code 101\nerror[E0502]: cannot borrow `list` as mutable";
    let output = hook(failed(error)).await;
    let answer: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    let hook_output = &answer["hookSpecificOutput"];
    assert_eq!(hook_output["hookEventName"], "PostToolUseFailure");
    let context = hook_output["additionalContext"].as_str().unwrap();
    assert!(context.contains("End the first borrow"), "{context}");

    for payload in [
        failed("chromodynamics failed"),
        failed(""),
        "no JSON".to_owned(),
        "[]".to_owned(),
        String::new(),
    ] {
        let output = hook(payload).await;
        assert_eq!(output.expect_code(0), "");
        assert_eq!(output.stderr, "");
    }
    assert_eq!(
        server.wire.query("borrow").await["total"],
        1,
        "nothing was sent"
    );
    // A configuration file that comes with a project does not decide where errors are sent.
    let project = Home::new();
    project.write(
        "recall-kit-client.config.json",
        json!({"server": {"url": &url}}).to_string(),
    );
    let found = run(client(&project, &["hook", "error"]), failed(error)).await;
    assert_eq!(found.expect_code(0), "", "{found:?}");
    server.stop().await;
    let output = hook(failed(error)).await;
    assert_eq!(output.expect_code(0), "");
    assert_eq!(output.stderr, "");
    for args in [&["hook"][..], &["hook", "later", "more"]] {
        run(client(&home, args), "").await.expect_code(0);
    }
}

#[tokio::test]
async fn a_hook_sanitizes_its_query() {
    let home = Home::new();
    let endpoint = EmbeddingsEndpoint::start(Script::Answer).await;
    let server = Launch::new(&home)
        .embeddings("openai")
        .env("RECALL_KIT_EMBEDDINGS__BASE_URL", endpoint.url())
        .start()
        .await;
    let token = ["ghp", &"aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5"[..36]].join("_");
    let error = format!("error: cannot push with {token}");
    let clean = run(client(&home, &["sanitize"]), &error).await;
    let clean = clean.expect_code(0);
    assert!(!clean.contains(&token), "{clean}");
    let payload =
        json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "error": error});
    let url = format!("{}/mcp", server.wire.base());
    let hook = client(&home, &["--server", &url, "hook", "error"]);
    run(hook, payload.to_string()).await.expect_code(0);
    // The server sends the text of the query on to the model.
    endpoint.received(clean).await;
}

#[tokio::test]
async fn a_hook_does_not_wait_for_an_agent_that_sends_no_input() {
    let home = Home::new();
    let mut hook = start(&mut client(&home, &["hook", "error"]));
    let input = hook.stdin.take();
    let end = within_deadline("the hook's end", hook.wait()).await;
    assert!(end.is_ok_and(|status| status.success()));
    drop(input);
}

#[tokio::test]
async fn a_solved_problem_is_offered_for_sharing() {
    let home = Home::new();
    let entry = |kind: &str, block: Value| json!({"type": kind, "message": {"content": [block]}});
    let call = |id: &str| {
        entry(
            "assistant",
            json!({"type": "tool_use", "id": id, "name": "Bash"}),
        )
    };
    let result = |id: &str, is_error: bool| {
        let block = json!({"type": "tool_result", "tool_use_id": id, "is_error": is_error});
        entry("user", block)
    };
    let lines = [
        entry("user", json!({"type": "text", "text": "fix the build"})),
        call("1"),
        result("1", true),
        call("2"),
        result("2", false),
    ];
    let solved: String = lines.iter().map(|line| format!("{line}\n")).collect();
    for (transcript, is_offered) in [(solved.as_str(), true), ("{}\n", false)] {
        let path = home.write("transcript.jsonl", transcript);
        let payload = json!({"hook_event_name": "Stop", "transcript_path": path});
        let output = run(client(&home, &["hook", "solved"]), payload.to_string()).await;
        let answer = output.expect_code(0);
        assert_eq!(answer.contains("systemMessage"), is_offered, "{answer}");
        assert!(!answer.contains("decision"), "{answer}");
    }
}

#[tokio::test]
async fn manual_pages_are_written_and_printed() {
    let home = Home::new();
    let printed = run(client(&home, &["man"]), "").await;
    assert!(printed.expect_code(0).contains(".TH recall-kit-client 1"));
    run(client(&home, &["man", "pages/man1"]), "")
        .await
        .expect_code(0);
    let pages = home.path().join("pages/man1");
    for (page, words) in [
        ("recall-kit-client.1", "recall\\-kit\\-client"),
        ("recall-kit-client-init.1", "\\-\\-agent"),
        ("recall-kit-client-query.1", "\\-\\-limit"),
    ] {
        let text = fs::read_to_string(pages.join(page)).unwrap();
        assert!(text.contains(words), "{page}: {text}");
    }
}

#[tokio::test]
async fn a_terminal_shows_a_progress_note_and_coloured_code() {
    let home = Home::new();
    let endpoint = EmbeddingsEndpoint::start(Script::Answer).await;
    let server = Launch::new(&home)
        .embeddings("openai")
        .env("RECALL_KIT_EMBEDDINGS__BASE_URL", endpoint.url())
        .env("RECALL_KIT_EMBEDDINGS__TIMEOUT_MS", 60_000)
        .start()
        .await;
    let record = json!({
        "title": "React useState not updating state",
        "problem_description": "State variable not updating after setState call",
        "solution": "Use functional update form",
        "context": "Code example:\nreturn \"x\"; // why",
    });
    server.wire.submit(record).await;
    let url = format!("{}/mcp", server.wire.base());
    let query = |words: &str| {
        let mut command = client(&home, &["--server", &url, "query", words]);
        command.env("LC_ALL", "fr_FR.UTF-8");
        command
    };
    let shown = on_terminal(&home, &query("react state"), &[]).await;
    let shown = shown.expect_code(0);
    assert!(shown.contains("\u{1b}[34mreturn\u{1b}[0m"), "{shown:?}");
    assert!(shown.contains("à l’instant"), "{shown}");
    for (name, value) in [("NO_COLOR", "1"), ("CLICOLOR", "0")] {
        let mut plain = query("react state");
        plain.env(name, value);
        let shown = on_terminal(&home, &plain, &[]).await.stdout;
        assert!(shown.contains("return \"x\""), "{shown}");
        assert!(!shown.contains("\u{1b}[3"), "{name}: {shown:?}");
    }
    // The command waits long enough to show the note, and times out before an answer arrives.
    endpoint.set_script(Script::Hang);
    let mut command = query("something that was not asked before");
    command.env("RECALL_KIT_CLIENT_SERVER__TIMEOUT", "900");
    let shown = on_terminal(&home, &command, &[]).await;
    shown.expect_code(1);
    assert!(shown.stdout.contains("recherche …"), "{}", shown.stdout);
    endpoint.set_script(Script::Answer);
}
