//! What is passed through leaves without secrets, wherever they stand.

#![allow(clippy::unwrap_used)]

use serde_json::json;

use super::*;
use crate::ClientConfig;

/// A made-up token that nothing recognizes by the words around it.
fn token() -> String {
    ["ghp", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5"].join("_")
}

/// Clients whose settings are as careless as settings can be.
fn clients() -> Vec<RecallKitClient> {
    let careless = [
        json!({}),
        json!({"enabled": false}),
        json!({"rules": []}),
        json!({"allow": [token()]}),
    ];
    let client = |sanitizer: Value| {
        let settings = json!({"sanitizer": sanitizer});
        let config: ClientConfig = serde_json::from_value(settings).unwrap();
        RecallKitClient::new(config).unwrap()
    };
    careless.into_iter().map(client).collect()
}

#[test]
fn a_question_for_completions_is_made_anew() {
    let token = token();
    for about in [
        json!({"type": "ref/resource", "uri": format!("file:///x?key={token}")}),
        json!({"type": "ref/prompt", "name": format!("x {token}")}),
    ] {
        let asked = json!({
            "_meta": {"trace": token},
            "ref": about,
            "argument": {"name": "language", "value": format!("Fr {token}")},
            "context": {"arguments": {"text": format!("my {token}"), &token: "x"}},
        });
        for client in clients() {
            let asked: CompleteRequestParams = serde_json::from_value(asked.clone()).unwrap();
            let sent = serde_json::to_value(client.clean_completion(asked).unwrap()).unwrap();
            let text = sent.to_string();
            assert!(!text.contains(&token), "{text}");
            assert_eq!(sent["argument"]["name"], "language");
            assert!(sent["context"]["arguments"]["text"].is_string(), "{text}");
        }
    }
}

#[test]
fn arguments_lose_secrets_in_values_and_names() {
    let token = token();
    let given = json!({
        "query": format!("note {token}"),
        "filter": {&token: 1, "nested": [{format!("x-{token}"): token}]},
        "limit": 5,
        "since": 1_764_000_000_000_u64,
    });
    let given = given.as_object().unwrap();
    for client in clients() {
        for kind in [Arguments::Lookup, Arguments::Text] {
            let sent = Value::Object(client.clean(given.clone(), kind));
            let text = sent.to_string();
            assert!(!text.contains(&token), "{text}");
            assert_eq!(sent["limit"], 5);
            assert_eq!(sent["since"], 1_764_000_000_000_u64);
            assert_eq!(sent["filter"].as_object().unwrap().len(), 2, "{text}");
        }
    }
}

#[test]
fn a_number_may_be_somebodys() {
    let card: u64 = ["4539", "1488", "0343", "6467"].concat().parse().unwrap();
    let client = RecallKitClient::new(ClientConfig::default()).unwrap();
    let given = json!({"card": card, "same": {"one": 1, "ones": 2}});
    let sent = client.clean(given.as_object().unwrap().clone(), Arguments::Lookup);
    assert_ne!(sent["card"], card);
    assert_eq!(sent["same"], given["same"]);
}

#[test]
fn what_destroys_is_not_done_twice() {
    for (annotations, expected) in [
        (json!({"readOnlyHint": true}), true),
        (
            json!({"idempotentHint": true, "destructiveHint": false}),
            true,
        ),
        (
            json!({"idempotentHint": true, "destructiveHint": true}),
            false,
        ),
        (json!({"idempotentHint": true}), false),
        (json!({"destructiveHint": false}), false),
        (json!({}), false),
        (Value::Null, false),
    ] {
        let tool = json!({"name": "x", "inputSchema": {}, "annotations": annotations});
        let tool: Tool = serde_json::from_value(tool).unwrap();
        assert_eq!(is_repeatable(&tool), expected, "{annotations}");
    }
}
