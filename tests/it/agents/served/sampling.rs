//! A conversation becomes a draft, written by the host's model if the host offers one, and is shown like any
//! other draft.

use recall_kit_tests::{Home, Server};
use serde_json::{Value, json};

use super::{MODES, play, stored, token, url};

const CONVERSATION: &str = "User: cargo publish fails with: error: no token found\n\
     Assistant: Run `cargo login` first, then `cargo publish` again.\n\
     User: that worked, thank you\n";

/// A call in which the agent also states the solution.
fn share_with_solution() -> Value {
    let mut call = share();
    call["arguments"]["solution"] = json!("Log in before publishing");
    call
}

fn share() -> Value {
    let conversation = format!("{CONVERSATION}User: my token was {}\n", token());
    json!({"tool": "share_experience", "arguments": {"conversation": conversation}})
}

#[tokio::test]
async fn the_hosts_model_sees_only_the_sanitized_conversation() {
    let home = Home::new();
    let server = Server::start(&home).await;
    for mode in MODES {
        let title = format!("Publishing without a token in {mode}");
        let summary = json!({
            "title": title,
            "problem_description": "cargo publish fails with: error: no token found",
            "root_cause": "nobody is logged in",
            "solution": "Run `cargo login` first",
            "context": "",
            "keywords": ["cargo"],
        });
        let confirm = json!({"action": "accept", "content": {"answer": "confirm"}});
        let script = json!({
            "elicitation": [confirm],
            "sampling": [summary.to_string()],
            "calls": [share()],
        });
        let seen = play(&home, &url(&server), mode, &script).await;
        assert!(!seen.to_string().contains(&token()), "{seen}");
        let prompt = seen["samples"][0]["text"].as_str().unwrap();
        assert!(prompt.contains("cargo publish"), "{seen}");
        assert_eq!(seen["answers"][0]["data"]["status"], "stored", "{seen}");
        let shown = seen["questions"][0]["message"].as_str().unwrap();
        assert!(shown.contains("the host's model"), "{shown}");
        let steps = seen["progress"].as_array().unwrap();
        assert_eq!(
            steps[0],
            json!([1.0, 3.0, "summarizing the conversation"]),
            "{seen}"
        );
        assert_eq!(stored(&server, &title).await, 1, "{mode}");
    }
}

#[tokio::test]
async fn without_a_model_the_draft_is_extracted_and_the_preview_says_so() {
    let home = Home::new();
    let server = Server::start(&home).await;
    // The host has no model, or its user refuses the sampling request; a host of 2026-07-28 ends the call then.
    let refuses = json!([null, null, null]);
    for (mode, sampling) in [
        (MODES[0], Value::Null),
        (MODES[1], Value::Null),
        (MODES[0], refuses),
    ] {
        let script = json!({
            "elicitation": [{"action": "decline"}],
            "sampling": sampling,
            "calls": [share_with_solution()],
        });
        let seen = play(&home, &url(&server), mode, &script).await;
        assert!(!seen.to_string().contains(&token()), "{seen}");
        let shown = seen["questions"][0]["message"].as_str();
        let shown = shown.unwrap_or_else(|| panic!("nothing was asked: {seen}"));
        assert!(shown.contains("extracted"), "{shown}");
        assert!(shown.contains("Log in before publishing"), "{shown}");
        assert_eq!(seen["answers"][0]["data"]["reason"], "declined", "{seen}");
    }
}
