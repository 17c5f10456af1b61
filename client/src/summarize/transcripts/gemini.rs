//! Chats of Gemini CLI: the session file with its messages, and checkpoints, which contain the requests to the
//! model.

use serde_json::Value;

use super::{Role, actions, collected::Collected, messages::plain_text, noise::without_noise};

/// Returns whether a value is a message of a session.
pub(super) fn is_record(value: &Value) -> bool {
    let kind = value.get("type").and_then(Value::as_str);
    matches!(kind, Some("user" | "gemini"))
        && value.get("content").is_some()
        && value.get("message").is_none()
}

/// Returns whether a value is a content of the Gemini API.
pub(super) fn is_content(value: &Value) -> bool {
    value.get("role").is_some_and(Value::is_string)
        && value.get("parts").is_some_and(Value::is_array)
}

/// Reads a message of a session.
pub(super) fn read_message(message: &Value, found: &mut Collected) {
    let content = message.get("content").map(plain_text).unwrap_or_default();
    match message.get("type").and_then(Value::as_str) {
        Some("user") => found.say(Role::User, &without_noise(&content)),
        Some("gemini") => {
            found.say(Role::Assistant, &content);
            let calls = message.get("toolCalls").and_then(Value::as_array);
            for call in calls.into_iter().flatten() {
                read_call(call, found);
            }
        }
        _ => {}
    }
}

fn read_call(call: &Value, found: &mut Collected) {
    let text = |key: &str| call.get(key).and_then(Value::as_str);
    let arguments = call.get("args").unwrap_or(&Value::Null);
    let tool = text("name").unwrap_or_default();
    found.act(text("id"), actions::called(tool, arguments));
    let results = call.get("result").and_then(Value::as_array);
    let outputs = results.into_iter().flatten();
    let outputs: Vec<String> = outputs.filter_map(response_of).collect();
    let output = match outputs.is_empty() {
        true => text("resultDisplay").unwrap_or_default().to_owned(),
        false => outputs.join("\n"),
    };
    if !output.is_empty() {
        found.output(text("id"), &output, text("status") == Some("error"));
    }
}

/// Returns the response of a function.
fn response_of(part: &Value) -> Option<String> {
    let response = part.pointer("/functionResponse/response")?;
    let texts = ["output", "error", "content"];
    let text = texts
        .iter()
        .find_map(|key| response.get(*key))
        .map(plain_text);
    Some(text.unwrap_or_else(|| response.to_string()))
}

/// Reads the contents of requests to the model.
pub(super) fn read_contents(contents: &[Value]) -> Collected {
    let mut found = Collected::default();
    for content in contents {
        let role = match content.get("role").and_then(Value::as_str) {
            Some("user" | "function") => Role::User,
            Some("model") => Role::Assistant,
            _ => {
                found.skip();
                continue;
            }
        };
        let parts = content.get("parts").and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            read_part(role, part, &mut found);
        }
    }
    found
}

fn read_part(role: Role, part: &Value, found: &mut Collected) {
    let text = |pointer: &str| part.pointer(pointer).and_then(Value::as_str);
    if part
        .get("thought")
        .and_then(Value::as_bool)
        .unwrap_or(false)
    {
        return;
    }
    if let Some(words) = text("/text") {
        // The first text describes the machine, not the problem.
        if !words.trim_start().starts_with("This is the Gemini CLI.") {
            found.say(role, &without_noise(words));
        }
    } else if let Some(call) = part.get("functionCall") {
        let arguments = call.get("args").unwrap_or(&Value::Null);
        let tool = text("/functionCall/name").unwrap_or_default();
        found.act(text("/functionCall/id"), actions::called(tool, arguments));
    } else if let Some(output) = response_of(part) {
        let failed = part.pointer("/functionResponse/response/error").is_some();
        found.output(text("/functionResponse/id"), &output, failed);
    }
}
