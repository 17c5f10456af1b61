//! What the payloads of several hosts have in common.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{Answer, Event, Moment, Ran, Status};

/// The names of tools that run commands.
const SHELLS: [&str; 9] = [
    "Bash",
    "bash",
    "powershell",
    "Shell",
    "shell",
    "run_shell_command",
    "run_in_terminal",
    "runTerminalCommand",
    "exec_command",
];
/// The names of tools that change files.
const EDITORS: [&str; 15] = [
    "Edit",
    "Write",
    "MultiEdit",
    "NotebookEdit",
    "apply_patch",
    "edit",
    "create",
    "str_replace_editor",
    "StrReplace",
    "replace",
    "write_file",
    "create_file",
    "insert_edit_into_file",
    "replace_string_in_file",
    "editFiles",
];
/// The fields of an edit with the text before it.
const OLD_TEXTS: [&str; 3] = ["old_string", "oldString", "old_str"];
/// The fields of a response that may contain a command's exit code.
const CODES: [&str; 4] = ["exit_code", "exitCode", "code", "returnCode"];
/// The fields of a response that may contain a command's output.
const OUTPUTS: [&str; 4] = ["stderr", "stdout", "output", "aggregated_output"];
/// What stands before an exit code in an output, in lower case.
const CODE_WORDS: [&str; 3] = ["exit code:", "exited with exit code", "exited with code"];
/// How many of the first and the last lines of an output may tell the exit code.
const CODE_LINES: usize = 3;
/// The depth to which the texts of an edit are collected.
const MAX_DEPTH: usize = 4;

/// Returns the first of these fields that is a text with anything in it.
pub(super) fn text(payload: &Value, names: &[&str]) -> Option<String> {
    let texts = names.iter().filter_map(|name| payload.get(name)?.as_str());
    texts
        .map(str::to_owned)
        .find(|text| !text.trim().is_empty())
}

/// Returns the event of a payload with the fields of most hosts.
pub(super) fn event(payload: &Value, name: &str, moment: Moment) -> Event {
    Event {
        name: name.to_owned(),
        session: text(payload, &["session_id", "sessionId", "conversation_id"]),
        folder: text(payload, &["cwd"]).map(PathBuf::from),
        call: text(payload, &["tool_use_id", "toolUseId"]),
        moment,
    }
}

/// Returns what a call of a tool did; `response` tells how it ended.
pub(super) fn tool_call(
    payload: &Value,
    response: impl FnOnce() -> Option<(String, Status)>,
) -> Option<Moment> {
    let tool = text(payload, &["tool_name", "toolName"])?;
    let input = ["tool_input", "toolArgs"].map(|name| payload.get(name));
    let input = parsed(input.into_iter().flatten().next().unwrap_or(&Value::Null));
    if EDITORS.contains(&tool.as_str()) {
        let mut texts = Vec::new();
        collect(&input, MAX_DEPTH, &mut texts);
        return Some(Moment::Edit(texts.join("\n")));
    }
    let in_background = ["run_in_background", "isBackground", "is_background"];
    if !SHELLS.contains(&tool.as_str())
        || in_background
            .iter()
            .any(|name| input.get(name) == Some(&true.into()))
    {
        return None;
    }
    let line = match input.get("command") {
        Some(Value::Array(words)) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            words.join(" ")
        }
        command => command
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
    };
    let (output, status) = response()?;
    Some(Moment::Command(Ran {
        line,
        output,
        status,
    }))
}

/// Parses a value that some hosts give as the text of its JSON.
pub(super) fn parsed(value: &Value) -> Value {
    let of_text = value.as_str().map(serde_json::from_str);
    match of_text {
        Some(Ok(value @ (Value::Object(_) | Value::Array(_)))) => value,
        _ => value.clone(),
    }
}

/// Returns the output and the end of a command from the response of its tool: a text, or an object.
pub(super) fn response(response: &Value) -> Option<(String, Status)> {
    if let Some(output) = response.as_str() {
        return Some((output.to_owned(), told_status(output)));
    }
    let flag = |name: &str| response.get(name) == Some(&true.into());
    if flag("interrupted") {
        return None;
    }
    let output: Vec<&str> = OUTPUTS
        .iter()
        .filter_map(|name| response.get(name)?.as_str())
        .filter(|text| !text.is_empty())
        .collect();
    let output = output.join("\n");
    let places = [response.get("metadata"), Some(response)];
    let code = places
        .into_iter()
        .flatten()
        .find_map(|place| CODES.iter().find_map(|name| place.get(name)?.as_i64()));
    let status = match code {
        Some(code) => Status::of_code(code),
        None if flag("is_error") || flag("isError") => Status::Failed,
        None => told_status(&output),
    };
    Some((output, status))
}

/// Returns how a command ended if its output says so in its first or last lines, as tools of hosts write it.
pub(super) fn told_status(output: &str) -> Status {
    let first = output.lines().take(CODE_LINES);
    let last = output.lines().rev().take(CODE_LINES);
    let codes = first.chain(last).filter_map(|line| {
        let line = line.to_lowercase();
        let rest = CODE_WORDS.iter().find_map(|words| {
            let (_, rest) = line.split_once(words)?;
            Some(rest.trim().to_owned())
        })?;
        let digits: String = rest
            .chars()
            .take_while(|c| c.is_ascii_digit() || *c == '-')
            .collect();
        digits.parse().ok()
    });
    codes.map(Status::of_code).next().unwrap_or_default()
}

fn collect(value: &Value, depth: usize, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) if depth > 0 => {
            items
                .iter()
                .for_each(|item| collect(item, depth - 1, texts));
        }
        Value::Object(fields) if depth > 0 => {
            let new = fields
                .iter()
                .filter(|(name, _)| !OLD_TEXTS.contains(&name.as_str()));
            new.for_each(|(_, field)| collect(field, depth - 1, texts));
        }
        _ => {}
    }
}

/// Returns the answer in the form that Claude Code introduced and most hosts took over.
pub(super) fn claude_output(event: &Event, answer: &Answer) -> Value {
    match answer {
        Answer::Context(text) => json!({"hookSpecificOutput": {
            "hookEventName": event.name,
            "additionalContext": text,
        }}),
        Answer::Message(text) => json!({"systemMessage": text}),
    }
}

/// Returns whether the payload names one of these events.
pub(super) fn is_event(payload: &Value, names: &[&str]) -> bool {
    let name = event_name(payload);
    name.is_some_and(|name| names.contains(&name.as_str()))
}

/// Returns the name of the payload's event.
pub(super) fn event_name(payload: &Value) -> Option<String> {
    text(payload, &["hook_event_name", "hookEventName"])
}
