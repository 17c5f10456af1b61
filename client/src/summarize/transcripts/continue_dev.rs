//! Sessions of Continue: one JSON object with a history, in which each item is a message with its tool calls.

use serde_json::Value;

use super::{Role, actions, collected::Collected, messages};

/// Returns whether a value is an item of a history.
pub(super) fn is_item(value: &Value) -> bool {
    value.pointer("/message/role").is_some_and(Value::is_string)
}

/// Reads a history.
pub(super) fn read(history: &[Value]) -> Collected {
    let mut found = Collected::default();
    for item in history {
        match item.get("message") {
            Some(message) => read_item(item, message, &mut found),
            None => found.skip(),
        }
    }
    found
}

fn read_item(item: &Value, message: &Value, found: &mut Collected) {
    let states = item.get("toolCallStates").and_then(Value::as_array);
    let states = states.map(Vec::as_slice).unwrap_or_default();
    // Older sessions have one call per message.
    let states: Vec<&Value> = states.iter().chain(item.get("toolCallState")).collect();
    let role = message.get("role").and_then(Value::as_str);
    match (role, states.is_empty()) {
        // The output is already part of the call.
        (Some("tool"), _) if !found.lacks_output() => {}
        (Some("assistant"), false) => {
            let content = message.get("content").unwrap_or(&Value::Null);
            messages::read_content(Role::Assistant, content, found);
        }
        _ => messages::read_message(message, found),
    }
    for state in states {
        read_state(state, found);
    }
}

fn read_state(state: &Value, found: &mut Collected) {
    let text = |pointer: &str| state.pointer(pointer).and_then(Value::as_str);
    let parsed = state.get("parsedArgs").filter(|parsed| parsed.is_object());
    let arguments = parsed.or(state.pointer("/toolCall/function/arguments"));
    let tool = text("/toolCall/function/name").unwrap_or_default();
    let id = text("/toolCallId");
    found.act(id, actions::called(tool, arguments.unwrap_or(&Value::Null)));
    let output = state.get("output").and_then(Value::as_array);
    if let Some(output) = output {
        let texts = output
            .iter()
            .filter_map(|item| item.get("content")?.as_str());
        let texts: Vec<&str> = texts.collect();
        let failed = text("/status") == Some("errored");
        found.output(id, &texts.join("\n"), failed);
    }
}
