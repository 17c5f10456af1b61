//! What hosts publish about their hooks: payloads are as they send them, answers as they take them, and the settings
//! that `init` writes as they read them.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    agents::{Agent, hooks::HookFormat, piece::Piece},
    hosts::{self, Answer},
};

/// The constraints that hosts publish as JSON schemas.
#[derive(Deserialize)]
struct Published {
    hosts: Vec<OfHost>,
}

#[derive(Deserialize)]
struct OfHost {
    host: String,
    #[serde(default)]
    inputs: BTreeMap<String, Value>,
    #[serde(default)]
    outputs: BTreeMap<String, Value>,
    settings: Option<Value>,
}

const CODEX: &str = include_str!("../../../../tests/data/hooks/codex.json");

fn published(host: &str) -> OfHost {
    let text = include_str!("../../../../tests/data/hooks/published.json");
    let published: Published = serde_json::from_str(text).unwrap();
    let mut hosts = published.hosts.into_iter();
    hosts.find(|published| published.host == host).unwrap()
}

fn payloads() -> Vec<Value> {
    let golden: Value = serde_json::from_str(CODEX).unwrap();
    let samples = golden["payloads"].as_array().unwrap().iter();
    samples.map(|sample| sample["payload"].clone()).collect()
}

fn event_of(payload: &Value) -> String {
    payload["hook_event_name"].as_str().unwrap().to_owned()
}

#[test]
fn payloads_are_as_codex_sends_them() {
    let schemas = published("Codex").inputs;
    let mut checked = Vec::new();
    for payload in payloads() {
        let event = event_of(&payload);
        let Some(schema) = schemas.get(&event) else {
            assert_eq!(event, "SessionStart", "only its schema is not known");
            continue;
        };
        let error = jsonschema::validate(schema, &payload).err();
        assert!(error.is_none(), "{event}: {error:?}");
        for (field, value) in [("unknown", json!(1)), ("session_id", Value::Null)] {
            let mut other = payload.clone();
            other[field] = value;
            assert!(!jsonschema::is_valid(schema, &other), "{event}: {field}");
        }
        checked.push(event);
    }
    checked.sort();
    checked.dedup();
    assert_eq!(checked.len(), schemas.len(), "{checked:?}");
}

#[test]
fn answers_are_as_codex_takes_them() {
    let schemas = published("Codex").outputs;
    for payload in payloads() {
        let Some((host, event)) = hosts::read(&payload) else {
            continue;
        };
        let schema = schemas.get(&event_of(&payload)).unwrap();
        let answers = [
            Answer::Context("[recall-kit 1] text\n[/recall-kit 1]".to_owned()),
            Answer::Message("One line".to_owned()),
        ];
        for answer in answers
            .iter()
            .filter_map(|answer| (host.output)(&event, answer))
        {
            // The end of a turn takes no context, and none is ever said there.
            if event.name == "Stop" && answer.get("hookSpecificOutput").is_some() {
                continue;
            }
            let error = jsonschema::validate(schema, &answer).err();
            assert!(error.is_none(), "{}: {answer}: {error:?}", event.name);
            let mut other = answer.clone();
            other["additional_context"] = json!("text");
            assert!(!jsonschema::is_valid(schema, &other), "{other}");
        }
    }
}

#[test]
fn the_hooks_that_init_writes_are_as_hosts_read_them() {
    for (agent, host) in [
        (Agent::ClaudeCode, "Claude Code"),
        (Agent::Gemini, "Gemini CLI"),
    ] {
        let schema = published(host).settings.unwrap();
        let format = HookFormat::of(agent);
        assert_eq!(format.host().name, host);
        let program =
            "\"/home/ada b/recall-kit-client\" --server https://memory.example.org/mcp".to_owned();
        let piece = Piece::Hooks { format, program };
        let text = piece.added("", false).unwrap();
        let settings: Value = serde_json::from_str(&text).unwrap();
        let error = jsonschema::validate(&schema, &settings).err();
        assert!(error.is_none(), "{host}: {text}: {error:?}");
        for hook in format.host().events {
            let mut other = settings.clone();
            other["hooks"][hook.event][0]["hooks"][0]["timeout"] = json!("5");
            assert!(
                !jsonschema::is_valid(&schema, &other),
                "{host}: {}",
                hook.event
            );
        }
    }
}
