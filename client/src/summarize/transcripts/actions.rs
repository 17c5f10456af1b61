//! Recognizes the actions of an agent by the arguments of its tools: tools of the same kind have the same keys
//! in all agents, although their names differ.

use serde_json::{Map, Value};

use super::{Action, ActionKind};

/// The keys of a file's path.
const PATHS: [&str; 7] = [
    "file_path",
    "path",
    "filepath",
    "absolute_path",
    "target_file",
    "notebook_path",
    "fileName",
];
/// The keys of the removed and of the added text of a file.
const OLD: [&str; 3] = ["old_string", "old_str", "oldText"];
const NEW: [&str; 8] = [
    "new_string",
    "new_str",
    "newText",
    "content",
    "file_text",
    "new_source",
    "code_edit",
    "contents",
];
/// The keys of a complete diff.
const DIFFS: [&str; 4] = ["diff", "patch", "changes", "input"];
/// Shells whose last argument is the command line.
const SHELLS: [&str; 6] = ["bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh"];

/// Creates an action from a tool's name and arguments.
pub(super) fn called(tool: &str, arguments: &Value) -> Action {
    let (kind, input) = match arguments {
        // Codex passes a patch as text.
        Value::String(text) if is_patch(text) => (ActionKind::Edit, text.clone()),
        Value::String(text) => match serde_json::from_str::<Value>(text) {
            Ok(inner @ Value::Object(_)) => return called(tool, &inner),
            _ => (ActionKind::Other, text.clone()),
        },
        Value::Object(fields) => of_fields(fields),
        Value::Null => (ActionKind::Other, String::new()),
        other => (ActionKind::Other, other.to_string()),
    };
    action(tool, kind, input)
}

/// Creates an action from a command line.
pub(super) fn command(tool: &str, line: &str) -> Action {
    action(tool, ActionKind::Command, line.trim().to_owned())
}

/// Creates an action that changes a file.
pub(super) fn edit(tool: &str, path: &str, change: &str) -> Action {
    let input = format!("{path}\n{}", change.trim_end());
    action(tool, ActionKind::Edit, input)
}

/// Creates an action that is neither a command nor a change.
pub(super) fn other(tool: &str, input: &str) -> Action {
    action(tool, ActionKind::Other, input.to_owned())
}

fn action(tool: &str, kind: ActionKind, input: String) -> Action {
    Action {
        tool: tool.to_owned(),
        kind,
        input,
        output: None,
        failed: false,
    }
}

fn of_fields(fields: &Map<String, Value>) -> (ActionKind, String) {
    let path = PATHS.iter().find_map(|key| fields.get(*key)?.as_str());
    let change = change(fields);
    if let (Some(path), Some(change)) = (path, &change) {
        return (ActionKind::Edit, format!("{path}\n{}", change.trim_end()));
    }
    let command = ["command", "cmd", "commands", "script"];
    let command = command.iter().find_map(|key| line_of(fields.get(*key)?));
    match (path, command) {
        (None, Some(line)) if is_patch(&line) => (ActionKind::Edit, line),
        (None, Some(line)) => (ActionKind::Command, line),
        _ => match change.filter(|change| is_patch(change)) {
            Some(patch) => (ActionKind::Edit, patch),
            None => (ActionKind::Other, Value::Object(fields.clone()).to_string()),
        },
    }
}

/// Returns the change of a file as a diff.
fn change(fields: &Map<String, Value>) -> Option<String> {
    let text = |keys: &[&str], fields: &Map<String, Value>| {
        let mut found = keys.iter().filter_map(|key| fields.get(*key)?.as_str());
        found.next().map(str::to_owned)
    };
    let lines = |mark: char, text: &str| {
        let lines = text.lines().map(|line| format!("{mark}{line}\n"));
        lines.collect::<String>()
    };
    let pair = |fields: &Map<String, Value>| {
        let (old, new) = (text(&OLD, fields), text(&NEW, fields));
        let old_lines = old.as_deref().map(|old| lines('-', old));
        let new_lines = new.as_deref().map(|new| lines('+', new));
        match (old_lines, new_lines) {
            (None, None) => None,
            (old, new) => Some(old.unwrap_or_default() + &new.unwrap_or_default()),
        }
    };
    if let Some(Value::Array(edits)) = fields.get("edits") {
        let edits = edits.iter().filter_map(|edit| pair(edit.as_object()?));
        return Some(edits.collect::<Vec<_>>().join("\n"));
    }
    pair(fields).or_else(|| text(&DIFFS, fields))
}

/// Reads a command line, which may be a list of arguments.
fn line_of(value: &Value) -> Option<String> {
    let arguments = match value {
        Value::String(line) => return Some(line.trim().to_owned()),
        Value::Array(items) => items,
        _ => return None,
    };
    let arguments: Vec<&str> = arguments.iter().filter_map(Value::as_str).collect();
    match arguments.as_slice() {
        [] => None,
        [shell, flag, line] if SHELLS.contains(shell) && flag.starts_with('-') => {
            Some(line.trim().to_owned())
        }
        arguments => Some(arguments.join(" ")),
    }
}

fn is_patch(text: &str) -> bool {
    let text = text.trim_start();
    text.contains("*** Begin Patch") || text.starts_with("--- ") || text.starts_with("diff --git ")
}
