//! Whole sessions: the tokens that they get, counted exactly, what is used up while the server is away, and payloads that are
//! too large.

use std::{fs::File, time::Instant};

use recall_kit_tests::{Home, Server};
use serde_json::{Value, json};

use super::{hook, told};

/// The most tokens of a session, as the settings have them by default.
const MOST: usize = 2000;

/// Returns a payload of Claude Code in the session `s`.
fn of(event: &str, call: usize, more: Value) -> Value {
    let mut payload = json!({
        "hook_event_name": event, "session_id": "s", "cwd": "/srv/shop", "tool_use_id": format!("call {call}"),
    });
    let fields = payload.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    payload
}

fn failed(call: usize, command: &str, error: &str) -> Value {
    let more = json!({
        "tool_name": "Bash", "tool_input": {"command": command}, "error": format!("Exit code 1\n{error}"),
    });
    of("PostToolUseFailure", call, more)
}

fn passed(call: usize, command: &str, output: &str) -> Value {
    let more = json!({
        "tool_name": "Bash", "tool_input": {"command": command},
        "tool_response": {"stdout": output, "stderr": ""},
    });
    of("PostToolUse", call, more)
}

/// Words that tell errors apart, whatever of a message is left out.
const ERRORS: [&str; 16] = [
    "cannot borrow list as mutable",
    "undefined symbol crypto_sign",
    "module lodash not found",
    "permission denied writing cache",
    "connection refused by postgres",
    "unexpected token in template",
    "lifetime may not live long enough",
    "certificate has expired",
    "peer dependency react conflicts",
    "division by zero in pricing",
    "unknown feature simd",
    "missing field currency",
    "deadlock detected in pool",
    "invalid utf sequence",
    "stack overflow in parser",
    "checksum mismatch for archive",
];

async fn with_solutions(home: &Home) -> (Server, String) {
    let server = Server::start(home).await;
    let long = [
        "First end the borrow, then push: `let ids: Vec<_> = list.iter().map(|it| it.id).collect();`. ".repeat(12),
        "先运行这个命令，然后再检查一遍配置文件。".repeat(30),
        "Exécutez `npm ci --legacy-peer-deps`, puis réessayez avec `--verbose` ; vérifiez 0x7f3a9c. ".repeat(12),
    ];
    for (number, error) in ERRORS.iter().enumerate() {
        for (way, solution) in long.iter().enumerate() {
            let record = json!({
                "title": format!("error: {error}, way {way}"), "problem_description": format!("error: {error}"),
                "solution": format!("Way {way} for {number}. {solution}"), "root_cause": solution, "keywords": ["x"],
            });
            server.wire.submit(record).await;
        }
    }
    let url = format!("{}/mcp", server.wire.base());
    (server, url)
}

#[tokio::test]
async fn a_long_session_gets_few_tokens_and_one_without_failures_none() {
    let home = Home::new();
    let (_server, url) = with_solutions(&home).await;
    let count = |text: &str| bpe_openai::cl100k_base().count(text);
    let mut calls = 0..;
    let mut call = || calls.next().unwrap();
    for prompt in ["make it faster", "why is the build slow?"] {
        let payload = of("UserPromptSubmit", call(), json!({"prompt": prompt}));
        assert_eq!(told(&home, &url, &payload).await, "", "{prompt}");
    }
    for command in ["cargo test", "npm run build", "git status", "ls -la"] {
        let payload = passed(call(), command, "0 errors, 3 passed");
        assert_eq!(told(&home, &url, &payload).await, "", "{command}");
    }
    let [mut total, mut times] = [0, 0];
    for (round, asked) in ERRORS.iter().take(3).enumerate() {
        for error in ERRORS {
            let payload = failed(call(), "cargo test", &format!("error: {error}"));
            let tokens = count(&told(&home, &url, &payload).await);
            assert!(tokens <= 700, "{tokens} tokens, round {round}: {error}");
            total += tokens;
            times += usize::from(tokens > 0);
        }
        let prompt = json!({"prompt": format!("why?\nerror: {asked}")});
        let payload = of("UserPromptSubmit", call(), prompt);
        total += count(&told(&home, &url, &payload).await);
    }
    assert!(times >= 3, "{times} times");
    assert!((MOST / 3..=MOST).contains(&total), "{total} tokens");
}

#[tokio::test]
async fn a_server_that_is_away_uses_nothing_up() {
    let home = Home::new();
    let (_server, url) = with_solutions(&home).await;
    let away = "http://127.0.0.1:9/mcp";
    for call in 0..4 {
        let payload = failed(call, "cargo test", &format!("error: {}", ERRORS[0]));
        assert_eq!(told(&home, away, &payload).await, "");
    }
    let payload = failed(9, "cargo test", &format!("error: {}", ERRORS[0]));
    let context = told(&home, &url, &payload).await;
    assert!(context.contains("Solution: "), "{context}");
    // A session that began meanwhile is told what the memory knows when it is resumed.
    home.write("shop/Cargo.toml", "[dependencies]\nlodash = \"1\"\n");
    let start = || {
        let folder = home.path().join("shop");
        json!({"hook_event_name": "SessionStart", "session_id": "t", "cwd": folder, "source": "startup"})
    };
    assert_eq!(told(&home, away, &start()).await, "");
    let titles = told(&home, &url, &start()).await;
    assert!(titles.contains("| error: module lodash"), "{titles}");
    assert_eq!(
        told(&home, &url, &start()).await,
        "",
        "a session starts once"
    );
    // What is only a title is no record: its solution is brought when the error occurs.
    let mut payload = failed(10, "npm test", "error: module lodash not found");
    payload["session_id"] = json!("t");
    let context = told(&home, &url, &payload).await;
    assert_eq!(context.matches("Solution: ").count(), 3, "{context}");
}

#[tokio::test]
async fn a_session_without_an_id_is_limited_by_its_folder() {
    let home = Home::new();
    let (_server, url) = with_solutions(&home).await;
    let mut times = 0;
    for (call, error) in ERRORS.iter().enumerate() {
        let mut payload = failed(call, "cargo test", &format!("error: {error}"));
        payload.as_object_mut().unwrap().remove("session_id");
        times += usize::from(!told(&home, &url, &payload).await.is_empty());
    }
    assert!((1..8).contains(&times), "{times}");
    let mut elsewhere = failed(99, "cargo test", &format!("error: {}", ERRORS[15]));
    elsewhere.as_object_mut().unwrap().remove("session_id");
    elsewhere["cwd"] = json!("/work/other");
    assert_ne!(told(&home, &url, &elsewhere).await, "");
}

#[tokio::test]
async fn a_huge_transcript_or_payload_is_not_read_to_its_end() {
    let home = Home::new();
    let (_server, url) = with_solutions(&home).await;
    let path = home.write("transcript.jsonl", "{}\n");
    File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(100 << 20)
        .unwrap();
    let many = "a b;".repeat(7 << 18);
    let stop = of("Stop", 0, json!({"transcript_path": path})).to_string();
    let huge = failed(1, "cargo test", &"x ".repeat(50 << 20)).to_string();
    let long = failed(2, "cargo test", &format!("error: {}\n{many}", ERRORS[1])).to_string();
    let [long_line, long_output] = [(3, many.as_str(), "ok"), (4, "ls", many.as_str())];
    let lines = [long_line, long_output];
    let lines = lines.map(|(call, line, output)| passed(call, line, output).to_string());
    let edit = json!({"tool_name": "Write", "tool_input": {"file_path": "a", "content": many}});
    let edit = of("PostToolUse", 5, edit).to_string();
    for (payload, is_told) in [
        (&stop, false),
        (&huge, false),
        (&long, true),
        (&lines[0], false),
        (&lines[1], false),
        (&edit, false),
    ] {
        let start = Instant::now();
        let said = hook(&home, &url, payload).await.stdout;
        assert_eq!(said.contains("Solution"), is_told, "{payload:.120}");
        // The hook gives up after two seconds; a busy machine needs some more.
        let seconds = start.elapsed().as_secs();
        assert!(seconds < 10, "{seconds} s: {payload:.120}");
    }
}
