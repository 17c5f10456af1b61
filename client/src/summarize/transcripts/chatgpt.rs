//! ChatGPT exports: a list of conversations, each a tree of messages of which one branch was shown last.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::{Map, Value, value::RawValue};

use super::{Role, TranscriptError, actions, collected::Collected};

/// The dates that decide which of several conversations is the latest.
#[derive(Deserialize)]
struct Dates {
    #[serde(default)]
    update_time: Option<f64>,
    #[serde(default)]
    create_time: Option<f64>,
}

/// Returns whether a value is a conversation of an export.
pub(super) fn is_conversation(value: &Value) -> bool {
    value.get("mapping").is_some_and(Value::is_object)
}

/// Reads the latest conversation of an export, and counts the others.
pub(super) fn read_all(conversations: &[&RawValue]) -> Result<Collected, TranscriptError> {
    let when = |conversation: &RawValue| {
        let dates: Option<Dates> = serde_json::from_str(conversation.get()).ok();
        let date = dates.and_then(|dates| dates.update_time.or(dates.create_time));
        date.unwrap_or(0.0)
    };
    let mut dated: Vec<(f64, &RawValue)> =
        conversations.iter().map(|one| (when(one), *one)).collect();
    dated.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, conversation) in dated {
        let Ok(conversation) = serde_json::from_str::<Value>(conversation.get()) else {
            continue;
        };
        let mut found = read(&conversation);
        // Exports also contain empty conversations.
        if !found.is_empty() {
            found.others(conversations.len().saturating_sub(1));
            return Ok(found);
        }
    }
    Err(TranscriptError::Empty)
}

/// Reads one conversation.
pub(super) fn read(conversation: &Value) -> Collected {
    let mut found = Collected::default();
    let Some(nodes) = conversation.get("mapping").and_then(Value::as_object) else {
        return found;
    };
    for node in branch(conversation, nodes) {
        if let Some(message) = node.get("message").filter(|message| message.is_object()) {
            read_message(message, &mut found);
        }
    }
    found
}

/// Returns the nodes from the root to the one that was shown last.
fn branch<'a>(conversation: &'a Value, nodes: &'a Map<String, Value>) -> Vec<&'a Value> {
    let current = conversation.get("current_node").and_then(Value::as_str);
    // Without a current node, the last leaf is used.
    let is_leaf = |node: &&String| {
        let children = nodes
            .get(*node)
            .and_then(|node| node.get("children")?.as_array());
        children.is_none_or(Vec::is_empty)
    };
    let mut next = current.or_else(|| nodes.keys().rfind(is_leaf).map(String::as_str));
    let (mut path, mut seen) = (Vec::new(), HashSet::new());
    while let Some((id, node)) = next.and_then(|id| Some((id, nodes.get(id)?))) {
        // A tree with a cycle is damaged.
        if !seen.insert(id) {
            break;
        }
        path.push(node);
        next = node.get("parent").and_then(Value::as_str);
    }
    path.reverse();
    path
}

fn read_message(message: &Value, found: &mut Collected) {
    let text = |pointer: &str| message.pointer(pointer).and_then(Value::as_str);
    let hidden = message.pointer("/metadata/is_visually_hidden_from_conversation");
    if hidden.and_then(Value::as_bool).unwrap_or(false) {
        return;
    }
    let words = words_of(message);
    let kind = text("/content/content_type").unwrap_or_default();
    match text("/author/role") {
        Some("user") if kind != "user_editable_context" => found.say(Role::User, &words),
        // Code goes to the tool that runs it, and its output comes back as the tool's message.
        Some("assistant") if kind == "code" => {
            let tool = text("/recipient").unwrap_or_default();
            found.act(None, actions::other(tool, &words));
        }
        Some("assistant") if !matches!(kind, "thoughts" | "reasoning_recap") => {
            found.say(Role::Assistant, &words);
        }
        Some("tool") if !words.is_empty() && found.lacks_output() => {
            found.output(None, &words, kind == "system_error");
        }
        _ => {}
    }
}

fn words_of(message: &Value) -> String {
    let content = message.get("content").unwrap_or(&Value::Null);
    if let Some(parts) = content.get("parts").and_then(Value::as_array) {
        let texts = parts.iter().filter_map(|part| match part {
            Value::String(text) => Some(text.as_str()),
            part => part.get("text")?.as_str(),
        });
        return texts.collect::<Vec<_>>().join("\n");
    }
    let text = content.get("text").and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}
