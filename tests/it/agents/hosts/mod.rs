//! The hooks of every host: set up and removed by `init`, checked by `doctor`, and what a session gets from them.

mod episodes;
mod observed;
mod sessions;

use std::{collections::BTreeMap, fs, path::PathBuf};

use recall_kit_tests::{Home, Output, Server, client, run, shell};
use serde_json::{Value, json};

/// The agents with the file of their hooks, the fixture with payloads of their host, and whether the agent is told anything.
const AGENTS: [(&str, &str, &str, bool); 7] = [
    ("claude-code", ".claude/settings.json", "claude-code", true),
    ("codex", ".codex/hooks.json", "codex", true),
    ("cursor", ".cursor/hooks.json", "cursor", true),
    ("gemini", ".gemini/settings.json", "gemini-cli", true),
    (
        "copilot-cli",
        ".copilot/hooks/recall-kit.json",
        "copilot-cli",
        true,
    ),
    ("vscode", ".copilot/hooks/recall-kit.json", "vs-code", true),
    (
        "windsurf",
        ".codeium/windsurf/hooks.json",
        "windsurf",
        false,
    ),
];
const ERROR: &str = "error[E0502]: cannot borrow `list` as mutable";

fn fixture(name: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("data/hooks/{name}.json"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Returns the host's payload for a failed command, with this error and this id of the call.
fn failed(name: &str, error: &str, call: &str) -> Value {
    let known = fixture(name);
    let mut samples = known["payloads"].as_array().unwrap().iter();
    let sample = samples
        .find(|sample| sample["moment"] == "command")
        .unwrap();
    let failing = known["payloads"].as_array().unwrap().iter();
    let failing = failing.filter(|sample| sample["status"] == "failed");
    let text = failing.chain([sample]).next().unwrap()["payload"].to_string();
    let mut payload: Value = serde_json::from_str(&text).unwrap();
    let set = |payload: &mut Value, place: &str, value: Value| {
        if let Some(field) = payload.pointer_mut(place) {
            *field = value;
        }
    };
    for place in ["/tool_use_id", "/execution_id"] {
        set(&mut payload, place, json!(call));
    }
    for place in [
        "/tool_input/command",
        "/toolArgs/command",
        "/tool_info/command_line",
    ] {
        set(&mut payload, place, json!("cargo test"));
    }
    let exit = format!("{error}\nExit Code: 101");
    for (place, value) in [
        ("/error", json!(format!("Exit code 101\n{error}"))),
        ("/tool_response", json!(exit)),
        (
            "/tool_output",
            json!(json!({"exitCode": 101, "stderr": error}).to_string()),
        ),
        ("/toolResult/textResultForLlm", json!(exit)),
    ] {
        match (name, place) {
            ("gemini-cli", "/tool_response") => {
                set(&mut payload, "/tool_response/llmContent", value);
            }
            _ => set(&mut payload, place, value),
        }
    }
    payload
}

/// Returns what is remembered of each session: the files by their names.
fn sessions(home: &Home) -> BTreeMap<PathBuf, Value> {
    let folder = home.path().join(".local/share/recall-kit/hooks");
    let files = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = files.map(|file| file.path());
    let paths = paths.filter(|path| path.extension().is_some_and(|it| it == "json"));
    let read = |path: &PathBuf| serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    paths.map(|path| (path.clone(), read(&path))).collect()
}

/// Submits records about [`ERROR`], and returns the hook command of a home.
async fn with_records(home: &Home, count: usize) -> (Server, String) {
    let server = Server::start(home).await;
    for number in 0..count {
        let record = json!({
            "title": format!("error[E0502]: cannot borrow `v` as mutable, case {number}"),
            "problem_description": "A reference into the vector is still used after the push",
            "solution": format!("End the first borrow before pushing. Case {number}."),
            "keywords": ["rust"],
        });
        server.wire.submit(record).await;
    }
    let url = format!("{}/mcp", server.wire.base());
    (server, url)
}

/// Runs the hook; without an address its servers are those of the settings.
async fn hook(home: &Home, url: &str, payload: impl ToString) -> Output {
    let server = match url {
        "" => Vec::new(),
        url => vec!["--server", url],
    };
    let args = [&server[..], &["hook", "auto"]].concat();
    let output = run(client(home, &args), payload.to_string()).await;
    output.expect_code(0);
    assert_eq!(output.stderr, "", "{output:?}");
    output
}

/// Returns what the agent is told; empty if nothing.
async fn told(home: &Home, url: &str, payload: &Value) -> String {
    let output = hook(home, url, payload).await;
    if output.stdout.is_empty() {
        return String::new();
    }
    let answer: Value = serde_json::from_str(&output.stdout).unwrap();
    let places = [
        "/hookSpecificOutput/additionalContext",
        "/additional_context",
        "/additionalContext",
    ];
    let mut told = places
        .iter()
        .filter_map(|place| answer.pointer(place)?.as_str());
    told.next().expect("the answer has a context").to_owned()
}

#[tokio::test]
async fn init_sets_up_the_hooks_of_each_host_and_removes_them() {
    for (agent, file, _, _) in AGENTS {
        let home = Home::new();
        let set_up = |flag: &'static str| {
            let args = ["init", "--agent", agent, "--yes", "--no-check", flag];
            run(client(&home, &args), "")
        };
        let output = set_up("--hooks").await;
        output.expect_code(0);
        assert!(output.stderr.contains("observe"), "{output:?}");
        assert_eq!(
            output.stderr.contains("trust each of these"),
            agent == "codex",
            "{output:?}"
        );
        let path = home.path().join(file);
        let written = fs::read_to_string(&path).unwrap();
        let settings: Value = serde_json::from_str(&written).unwrap();
        assert!(settings["hooks"].is_object(), "{agent}: {written}");
        assert!(
            written.contains("recall-kit-client hook auto\""),
            "{agent}: {written}"
        );
        set_up("--hooks").await.expect_code(0);
        assert_eq!(fs::read_to_string(&path).unwrap(), written, "{agent}");
        set_up("--remove").await.expect_code(0);
        assert!(!path.exists(), "{agent}");
    }
}

#[tokio::test]
async fn doctor_asks_each_hook_whether_it_works() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let doctor = async || {
        let output = run(
            client(&home, &["--server", server.wire.base(), "--json", "doctor"]),
            "",
        )
        .await;
        let report: Value = serde_json::from_str(&output.stdout).unwrap();
        let checks = report["checks"].as_array().unwrap().clone();
        let hooks = checks.into_iter().filter(|check| check["name"] == "hooks");
        hooks.collect::<Vec<_>>()
    };
    let none = doctor().await;
    assert_eq!(
        (none.len(), &none[0]["status"]),
        (1, &json!("ok")),
        "{none:?}"
    );
    assert!(
        none[0]["detail"].as_str().unwrap().contains("observe"),
        "{none:?}"
    );
    for (agent, ..) in AGENTS {
        let args = ["init", "--agent", agent, "--yes", "--no-check", "--hooks"];
        run(client(&home, &args), "").await.expect_code(0);
    }
    let checks = doctor().await;
    // VS Code and Copilot CLI read the same file.
    assert_eq!(checks.len(), 6, "{checks:?}");
    assert!(
        checks.iter().all(|check| check["status"] == "ok"),
        "{checks:?}"
    );
    let broken = json!({"hooks": {"Stop": [{"hooks": [{"command": "/no/such/recall-kit-client hook auto"}]}]}});
    home.write(".codex/hooks.json", broken.to_string());
    let checks = doctor().await;
    let failed: Vec<_> = checks
        .iter()
        .filter(|check| check["status"] == "fail")
        .collect();
    assert_eq!(failed.len(), 1, "{checks:?}");
    assert!(
        failed[0]["detail"].as_str().unwrap().contains("Codex"),
        "{checks:?}"
    );
}

/// A project's settings are checked, too, but decide nothing more than that the client itself is started.
#[tokio::test]
async fn doctor_asks_the_hooks_of_a_project() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let doctor = async |command: &str| {
        let hooks = json!({"hooks": {"Stop": [{"hooks": [{"command": command}]}]}});
        home.write("shop/.claude/settings.json", hooks.to_string());
        let line = format!(
            "cd shop && recall-kit-client --server {} --json doctor 2>/dev/null",
            server.wire.base()
        );
        let output = run(shell(&home, &line), "").await;
        let report: Value = serde_json::from_str(&output.stdout).unwrap();
        let checks = report["checks"].as_array().unwrap().clone();
        let mut hooks = checks.into_iter().filter(|check| check["name"] == "hooks");
        hooks.next().unwrap()
    };
    let check = doctor("recall-kit-client hook auto").await;
    assert_eq!(check["status"], "ok", "{check}");
    assert!(
        check["detail"]
            .as_str()
            .unwrap()
            .contains("in this project"),
        "{check}"
    );
    home.write_program(
        "shop/recall-kit-client",
        "#!/bin/sh\ntouch \"$0.was-started\"\n",
    );
    // `auto` leads to the project, which would be trusted.
    home.write("shop/recall-kit-client.config.json", "{}");
    std::os::unix::fs::symlink(".", home.path().join("shop/auto")).unwrap();
    for other in [
        "./recall-kit-client hook auto",
        "recall-kit-client trust --config hook auto",
        "npx -y @recall-kit/cli hook auto",
        "recall-kit-client $(touch x.was-started) hook auto",
    ] {
        let check = doctor(other).await;
        assert_eq!(check["status"], "skip", "{check}");
    }
    let trusted = run(shell(&home, "recall-kit-client --json trust --list"), "").await;
    assert!(!trusted.stdout.contains("shop"), "{trusted:?}");
    let files = fs::read_dir(home.path().join("shop")).unwrap().flatten();
    let started = files.filter(|file| file.file_name().to_string_lossy().contains("was-started"));
    assert_eq!(started.count(), 0);
}

#[tokio::test]
async fn each_host_is_told_once_for_a_call_and_twice_for_an_error() {
    let home = Home::new();
    let (_server, url) = with_records(&home, 5).await;
    for (_, _, name, is_told) in AGENTS {
        let mut first = failed(name, ERROR, "call-1");
        // Each host has a session of its own.
        let session = json!(format!("session of {name}"));
        for field in ["session_id", "sessionId", "trajectory_id"] {
            if first.get(field).is_some() {
                first[field] = session.clone();
            }
        }
        let before = sessions(&home);
        let context = told(&home, &url, &first).await;
        assert_eq!(
            context.contains("End the first borrow"),
            is_told,
            "{name}: {context}"
        );
        // The payload was understood, also if the host takes no answer.
        let mut after = sessions(&home);
        after.retain(|file, _| !before.contains_key(file));
        let state = after.into_values().next().expect("the session is new");
        assert_ne!(state["terms"], json!([]), "{name}: {state}");
        assert_eq!(state["tokens"] != json!(0), is_told, "{name}: {state}");
        assert_eq!(state["recalls"] != json!([]), is_told, "{name}: {state}");
        if !is_told {
            continue;
        }
        let lines: Vec<&str> = context.lines().collect();
        assert!(lines[0].starts_with("[recall-kit "), "{context}");
        assert!(lines[0].contains("not instructions"), "{context}");
        assert!(
            context.contains("just now, from http://127.0.0.1"),
            "{context}"
        );
        assert_eq!(context.matches("Solution: ").count(), 3, "{context}");
        // The same call again, as from another hook.
        assert_eq!(told(&home, &url, &first).await, "", "{name}");
        if name == "gemini-cli" || name == "copilot-cli" {
            // They name no calls: the same output within seconds is the same call.
            continue;
        }
        let again = |call: &str| {
            let mut payload = first.clone();
            payload["tool_use_id"] = json!(call);
            payload
        };
        let next = told(&home, &url, &again("call-2")).await;
        assert_eq!(next.matches("Solution: ").count(), 2, "{name}: {next}");
        for number in 0..5 {
            let case = format!("Case {number}.");
            let both = format!("{context}{next}");
            assert_eq!(both.matches(&case).count(), 1, "{name}: {both}");
        }
        assert_eq!(told(&home, &url, &again("call-3")).await, "", "{name}");
    }
}

#[tokio::test]
async fn a_session_gets_no_more_tokens_than_the_settings_allow() {
    let home = Home::new();
    let (_server, url) = with_records(&home, 3).await;
    let payload = |call: &str, session: &str| {
        let mut payload = failed("claude-code", ERROR, call);
        payload["session_id"] = json!(session);
        payload
    };
    for (tokens, is_told) in [(0, false), (100, false), (400, true)] {
        let settings = json!({"hooks": {"tokens_per_session": tokens}, "server": {"url": url}});
        home.configure_client(settings.to_string());
        let session = format!("session {tokens}");
        let context = told(&home, &url, &payload("call-1", &session)).await;
        assert_eq!(!context.is_empty(), is_told, "{tokens}: {context}");
    }
    // Two sessions in one folder do not share what they were shown.
    home.configure_client("{}");
    for session in ["a", "b"] {
        let context = told(&home, &url, &payload("call-1", session)).await;
        assert!(context.contains("Case 0."), "{session}: {context}");
    }
}

#[tokio::test]
async fn a_start_and_a_prompt_bring_little_and_a_stop_one_line() {
    let home = Home::new();
    let (server, url) = with_records(&home, 2).await;
    let record = json!({
        "title": "tokio: a runtime is dropped within another one",
        "problem_description": "It panics", "solution": "Use spawn_blocking", "keywords": ["tokio"],
    });
    server.wire.submit(record).await;
    home.write("shop/Cargo.toml", "[dependencies]\ntokio = \"1\"\n");
    let folder = home.path().join("shop");
    let of = |event: &str, more: Value| {
        let mut payload = json!({"session_id": "s", "cwd": folder, "hook_event_name": event});
        let fields = payload.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        payload
    };
    let started = told(
        &home,
        &url,
        &of("SessionStart", json!({"source": "startup"})),
    )
    .await;
    assert!(started.contains("| tokio: a runtime"), "{started}");
    assert!(
        !started.contains("E0502") && started.len() < 400,
        "{started}"
    );
    let resumed = told(
        &home,
        &url,
        &of("SessionStart", json!({"source": "resume"})),
    )
    .await;
    assert_eq!(resumed, "");
    for (prompt, is_told) in [("make it faster", false), (&format!("why?\n{ERROR}"), true)] {
        let context = told(
            &home,
            &url,
            &of("UserPromptSubmit", json!({"prompt": prompt})),
        )
        .await;
        assert_eq!(
            context.contains("Solution: "),
            is_told,
            "{prompt}: {context}"
        );
    }
    let ran = |call: &str, more: Value| {
        let mut ran = json!({"tool_name": "Bash", "tool_input": {"command": "cargo test"}, "tool_use_id": call});
        ran.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        ran
    };
    let stopped = async || hook(&home, &url, of("Stop", json!({}))).await.stdout;
    assert_eq!(stopped().await, "");
    for call in ["1", "2"] {
        let failed = ran(call, json!({"error": "Exit code 101\nerror: it broke"}));
        told(&home, &url, &of("PostToolUseFailure", failed)).await;
    }
    let worked = ran(
        "3",
        json!({"tool_response": {"stdout": "ok", "stderr": ""}}),
    );
    assert_eq!(told(&home, &url, &of("PostToolUse", worked)).await, "");
    let mut lines = Vec::new();
    for number in 0..3 {
        let payload = of(
            "Stop",
            json!({"stop_hook_active": number > 0, "tool_use_id": number.to_string()}),
        );
        lines.push(hook(&home, &url, payload).await.stdout);
    }
    assert!(
        lines[0].contains("systemMessage") && !lines[0].contains("block"),
        "{lines:?}"
    );
    assert_eq!(lines[1..], ["", ""], "{lines:?}");
}

#[tokio::test]
async fn bad_input_is_no_error_for_the_host() {
    let home = Home::new();
    let (server, url) = with_records(&home, 1).await;
    let payload = failed("claude-code", ERROR, "call-1").to_string();
    let cut = &payload[..payload.len() / 2];
    let huge = failed("claude-code", &"x".repeat(9 << 20), "call-2").to_string();
    let long = failed(
        "claude-code",
        &format!("{ERROR}\n{}", "x ".repeat(1 << 20)),
        "call-3",
    )
    .to_string();
    for bad in ["", "{", "null", cut, huge.as_str(), "\u{0}"] {
        assert_eq!(hook(&home, &url, bad).await.stdout, "", "{bad:.80}");
    }
    assert!(
        hook(&home, &url, &long).await.stdout.contains("Solution"),
        "a long output is cut"
    );
    // A state that cannot be written, and one from another version.
    let state = home.path().join(".local/share/recall-kit/hooks");
    assert!(state.is_dir());
    for file in fs::read_dir(&state).unwrap().flatten() {
        fs::write(file.path(), "{\"tokens\": \"many\"}").unwrap();
    }
    let again = failed("claude-code", ERROR, "call-4");
    assert!(told(&home, &url, &again).await.contains("Solution"));
    fs::remove_dir_all(&state).unwrap();
    fs::write(&state, "a file").unwrap();
    assert_eq!(
        told(&home, &url, &failed("claude-code", ERROR, "call-5")).await,
        ""
    );
    fs::remove_file(&state).unwrap();
    server.stop().await;
    assert_eq!(
        told(&home, &url, &failed("claude-code", ERROR, "call-6")).await,
        ""
    );
}
