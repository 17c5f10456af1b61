//! Sessions of Claude Code: lines of JSON, one for each message or part of a message.

use serde_json::Value;

use super::{Role, collected::Collected, messages};

/// Returns whether a line is from a session and contains a message.
pub(super) fn is_record(record: &Value) -> bool {
    role_of(record).is_some() && record.pointer("/message/content").is_some()
}

/// Reads a line of a session.
pub(super) fn read_record(record: &Value, found: &mut Collected) {
    let is = |key: &str| record.get(key).and_then(Value::as_bool).unwrap_or(false);
    // Skips text that the program added for the model, and the messages of subagents.
    if is("isMeta") || is("isSidechain") || is("isCompactSummary") {
        return;
    }
    if let (Some(role), Some(content)) = (role_of(record), record.pointer("/message/content")) {
        messages::read_content(role, content, found);
    }
}

fn role_of(record: &Value) -> Option<Role> {
    match record.get("type")?.as_str()? {
        "user" => Some(Role::User),
        "assistant" => Some(Role::Assistant),
        _ => None,
    }
}
