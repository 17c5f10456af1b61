//! Messages in the form of model APIs: a role, and a text or blocks of text and tools. Cline and many others
//! store their requests in this form.

use serde_json::Value;

use super::{Role, actions, cline, collected::Collected, noise::without_noise};

/// Returns whether a value is such a message.
pub(super) fn is_record(value: &Value) -> bool {
    value.get("role").is_some_and(Value::is_string)
        && (value.get("content").is_some() || value.get("tool_calls").is_some())
}

/// Reads a message.
pub(super) fn read_message(message: &Value, found: &mut Collected) {
    let content = message.get("content").unwrap_or(&Value::Null);
    let role = match message.get("role").and_then(Value::as_str) {
        Some("user" | "human") => Role::User,
        Some("assistant" | "model" | "ai") => Role::Assistant,
        Some("tool" | "function") => {
            let id = ["tool_call_id", "toolCallId"];
            let id = id.iter().find_map(|key| message.get(*key)?.as_str());
            return found.output(id, &plain_text(content), false);
        }
        Some("system" | "developer" | "thinking") => return,
        _ => return found.skip(),
    };
    read_content(role, content, found);
    for key in ["tool_calls", "toolCalls"] {
        let calls = message.get(key).and_then(Value::as_array);
        for call in calls.into_iter().flatten() {
            read_call(call, found);
        }
    }
}

/// Reads a function call.
pub(super) fn read_call(call: &Value, found: &mut Collected) {
    let text = |pointer: &str| call.pointer(pointer).and_then(Value::as_str);
    let arguments = call.pointer("/function/arguments").unwrap_or(&Value::Null);
    let tool = text("/function/name").unwrap_or_default();
    found.act(text("/id"), actions::called(tool, arguments));
}

/// Reads a content: a text, or a list of blocks.
pub(super) fn read_content(role: Role, content: &Value, found: &mut Collected) {
    let blocks = match content {
        Value::String(text) => return say(role, text, found),
        Value::Array(blocks) => blocks,
        Value::Null => return,
        _ => return found.skip(),
    };
    for block in blocks {
        let text = |key: &str| block.get(key).and_then(Value::as_str);
        match text("type") {
            Some("text" | "input_text" | "output_text") => {
                say(role, text("text").unwrap_or_default(), found);
            }
            Some("tool_use") => {
                let tool = text("name").unwrap_or_default();
                let input = block.get("input").unwrap_or(&Value::Null);
                found.act(text("id"), actions::called(tool, input));
            }
            Some("tool_result") => {
                let failed = block.get("is_error").and_then(Value::as_bool);
                let output = block.get("content").map(plain_text).unwrap_or_default();
                found.output(text("tool_use_id"), &output, failed.unwrap_or(false));
            }
            _ => {}
        }
    }
}

fn say(role: Role, text: &str, found: &mut Collected) {
    match role {
        Role::User if cline::read_result(text, found) => {}
        Role::User => found.say(role, &without_noise(text)),
        Role::Assistant => cline::read_assistant_text(text, found),
    }
}

/// Returns the text of a content, without other blocks.
pub(super) fn plain_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().filter_map(|block| match block {
                Value::String(text) => Some(text.as_str()),
                block => block.get("text")?.as_str(),
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}
