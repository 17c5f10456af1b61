//! Secrets and personal strings planted in a conversation that an agent shares: none of them reaches
//! the host's model, the preview, the server or a log.

use recall_kit_tests::{Home, Recorder, Server};
use serde_json::json;

use super::{MODES, played, seen_in};
use crate::client::{
    canaries::{KINDS, check, planted},
    summaries::canaries::conversation_with,
};

const SUMMARY: &str = r#"{"title": "npm install stops with ERESOLVE", "problem_description": "It stops",
    "root_cause": null, "solution": "Run `npm install --legacy-peer-deps`.", "context": null,
    "keywords": ["npm"]}"#;

#[tokio::test]
async fn no_planted_string_of_a_shared_conversation_leaves_the_program() {
    let setups = [(MODES[0], true), (MODES[1], true), (MODES[0], false)];
    // The first kind is tested with every setup, each other kind with one of them.
    let others = KINDS.iter().skip(1).zip(setups.iter().cycle());
    let runs = setups.iter().map(|setup| (&KINDS[0], setup)).chain(others);
    for (kind, (mode, has_model)) in runs {
        let planted = planted(*kind);
        let seen = shared(&conversation_with(&planted), mode, *has_model).await;
        check(*kind, &planted, &seen);
    }
}

/// Has an agent share the conversation; returns every place where a planted string could appear.
async fn shared(conversation: &str, mode: &str, has_model: bool) -> [String; 4] {
    let home = Home::new();
    let server = Server::start(&home).await;
    let wire = Recorder::start(server.port(), true).await;
    let script = json!({
        "elicitation": [{"action": "accept", "content": {"answer": "confirm"}}],
        "sampling": has_model.then(|| json!([SUMMARY])),
        "calls": [{"tool": "share_experience", "arguments": {"conversation": conversation}}],
    });
    let output = played(&home, &wire.url(), mode, &script).await;
    let seen = seen_in(&output);
    assert_eq!(
        seen["answers"][0]["data"]["status"], "stored",
        "{mode} {has_model}"
    );
    let samples = seen["samples"].as_array().map_or(0, Vec::len);
    assert_eq!(samples, usize::from(has_model), "{mode}");
    assert!(wire.sent().contains("submit_experience"), "{mode}");
    [output.stdout, output.stderr, wire.sent(), server.log()]
}
