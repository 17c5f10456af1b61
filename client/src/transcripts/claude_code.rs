//! Claude Code's sessions: lines of JSON, one for each message or part of one.

use serde_json::Value;

use super::{Role, actions, collected::Collected};

/// Says whether a line is one of a session that carries a message.
pub(super) fn is_record(record: &Value) -> bool {
    role_of(record).is_some() && record.pointer("/message/content").is_some()
}

/// Reads the lines; what is nothing is a line that is damaged.
pub(super) fn read(records: impl Iterator<Item = Option<Value>>) -> Collected {
    let mut found = Collected::default();
    for record in records {
        match record {
            Some(record) => read_record(&record, &mut found),
            None => found.skip(),
        }
    }
    found
}

fn read_record(record: &Value, found: &mut Collected) {
    let is = |key: &str| record.get(key).and_then(Value::as_bool).unwrap_or(false);
    // What the program put in for the model, and what another agent did on the side.
    if is("isMeta") || is("isSidechain") {
        return;
    }
    let (Some(role), Some(content)) = (role_of(record), record.pointer("/message/content")) else {
        return;
    };
    read_content(role, content, found);
}

fn role_of(record: &Value) -> Option<Role> {
    match record.get("type")?.as_str()? {
        "user" => Some(Role::User),
        "assistant" => Some(Role::Assistant),
        _ => None,
    }
}

/// Reads what the messages interface calls content: a text, or a list of blocks.
pub(super) fn read_content(role: Role, content: &Value, found: &mut Collected) {
    let blocks = match content {
        Value::String(text) => return found.say(role, text),
        Value::Array(blocks) => blocks,
        _ => return found.skip(),
    };
    for block in blocks {
        let text = |key: &str| block.get(key).and_then(Value::as_str);
        match text("type") {
            Some("text") => found.say(role, text("text").unwrap_or_default()),
            Some("tool_use") => {
                let tool = text("name").unwrap_or_default();
                let input = block.get("input").unwrap_or(&Value::Null);
                found.call(text("id"), actions::call(tool, input));
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

/// Returns the text of a content, without what is no text.
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
