//! Rollouts of Codex: lines of JSON, each a record of the session or, in older files, only the record's
//! payload.

use serde_json::Value;

use super::{Role, actions, collected::Collected, messages::plain_text, noise::without_noise};

/// Types of records that no other format has.
const RECORDS: [&str; 5] = [
    "session_meta",
    "response_item",
    "turn_context",
    "event_msg",
    "compacted",
];

/// Returns whether a line is from a rollout.
pub(super) fn is_record(record: &Value) -> bool {
    let kind = record.get("type").and_then(Value::as_str);
    let named = kind.is_some_and(|kind| RECORDS.contains(&kind)) && record.get("payload").is_some();
    named || is_item(record)
}

fn is_item(value: &Value) -> bool {
    let kind = value.get("type").and_then(Value::as_str);
    match kind {
        Some("message") => value.get("role").is_some() && value.get("content").is_some(),
        Some("function_call" | "function_call_output") => value.get("call_id").is_some(),
        _ => false,
    }
}

/// Reads a line of a rollout.
pub(super) fn read_record(record: &Value, found: &mut Collected) {
    // Events repeat the items for display, so they are not read.
    match record.get("type").and_then(Value::as_str) {
        Some("response_item") => match record.get("payload") {
            Some(item) => read_item(item, found),
            None => found.skip(),
        },
        _ => read_item(record, found),
    }
}

fn read_item(item: &Value, found: &mut Collected) {
    let text = |key: &str| item.get(key).and_then(Value::as_str);
    let id = text("call_id").or(text("id"));
    match text("type") {
        Some("message") => {
            let content = item.get("content").map(plain_text).unwrap_or_default();
            match text("role") {
                Some("user") => found.say(Role::User, &without_noise(&content)),
                Some("assistant") => found.say(Role::Assistant, &content),
                _ => {}
            }
        }
        Some("function_call" | "custom_tool_call") => {
            let arguments = item.get("arguments").or(item.get("input"));
            let tool = text("name").unwrap_or_default();
            found.act(id, actions::called(tool, arguments.unwrap_or(&Value::Null)));
        }
        Some("local_shell_call") => {
            let action = item.get("action").unwrap_or(&Value::Null);
            found.act(id, actions::called("shell", action));
        }
        Some("function_call_output" | "custom_tool_call_output" | "local_shell_call_output") => {
            let (output, failed) = output_of(item.get("output").unwrap_or(&Value::Null));
            found.output(id, &output, failed);
        }
        _ => {}
    }
}

/// Returns the output of a tool, which may be JSON inside a string, and whether the tool failed.
fn output_of(output: &Value) -> (String, bool) {
    let inner: Option<Value> = match output {
        Value::String(text) => serde_json::from_str(text).ok(),
        Value::Object(_) => Some(output.clone()),
        _ => None,
    };
    let Some(inner) = inner.filter(Value::is_object) else {
        return (plain_text(output), false);
    };
    let code = inner.pointer("/metadata/exit_code").and_then(Value::as_i64);
    let failed = code.is_some_and(|code| code != 0)
        || inner.get("success").and_then(Value::as_bool) == Some(false);
    let texts = ["output", "content"];
    let text = texts.iter().find_map(|key| inner.get(*key)).map(plain_text);
    (text.unwrap_or_default(), failed)
}
