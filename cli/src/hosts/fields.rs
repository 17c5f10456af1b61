//! What the payloads of several hosts have in common.

use std::{borrow::Cow, path::PathBuf};

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
/// What stands before an exit code in an output, in lower case, and what may stand before that.
const CODE_WORDS: [&str; 5] = [
    "exit code:",
    "exit code ",
    "exited with exit code",
    "exited with code",
    "failed with exit code",
];
const CODE_SUBJECTS: [&str; 3] = ["process ", "command ", "the command "];
/// The fields of a response that say that a command was stopped, or goes on after the response.
const STOPPED: [&str; 7] = [
    "interrupted",
    "cancelled",
    "canceled",
    "aborted",
    "denied",
    "rejected",
    "backgroundedByUser",
];
const IN_BACKGROUND: [&str; 2] = ["backgroundTaskId", "background_task_id"];
/// The fields of a response that say how the call ended, and what they say of a command that did not end.
const RESULTS: [&str; 3] = ["resultType", "result_type", "status"];
const NOT_ENDED: [&str; 11] = [
    "denied",
    "rejected",
    "declined",
    "cancelled",
    "canceled",
    "aborted",
    "interrupted",
    "skipped",
    "in_progress",
    "inprogress",
    "running",
];
/// What the same fields say of a call that failed.
const FAILED: [&str; 3] = ["failure", "failed", "error"];
/// The beginnings of the first line of what an editing tool says if it changed nothing, and parts of that line, in
/// lower case.
const NOT_CHANGED: [&str; 7] = [
    "error",
    "failed",
    "cannot",
    "can't",
    "could not",
    "couldn't",
    "unable to",
];
const NOT_CHANGED_PARTS: [&str; 12] = [
    "verification failed",
    "rejected by",
    "denied by",
    "declined by",
    "cancelled by",
    "canceled by",
    "was rejected",
    "was denied",
    "user rejected",
    "user denied",
    "user declined",
    "not allowed",
];
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

/// Returns what a call of a tool did; `response` tells how it ended. `None` for an edit that failed or was refused:
/// nothing has changed.
pub(super) fn tool_call(
    payload: &Value,
    response: impl FnOnce() -> Option<(String, Status)>,
) -> Option<Moment> {
    let tool = text(payload, &["tool_name", "toolName"])?;
    let input = ["tool_input", "toolArgs"].map(|name| payload.get(name));
    let input = parsed(input.into_iter().flatten().next().unwrap_or(&Value::Null));
    if EDITORS.contains(&tool.as_str()) {
        let (said, status) = response()?;
        if status == Status::Failed || is_unchanged(&said) {
            return None;
        }
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
            match words.as_slice() {
                [shell, "-c" | "-lc", script] if shell.ends_with("sh") => (*script).to_owned(),
                words => words
                    .iter()
                    .map(|word| quoted(word))
                    .collect::<Vec<_>>()
                    .join(" "),
            }
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

/// Returns whether an editing tool says that it changed nothing.
fn is_unchanged(said: &str) -> bool {
    let first = said.lines().map(str::trim).find(|line| !line.is_empty());
    let first = first.unwrap_or_default().to_lowercase();
    NOT_CHANGED.iter().any(|begin| first.starts_with(begin))
        || NOT_CHANGED_PARTS.iter().any(|part| first.contains(part))
}

/// Returns a word as it stands in a line of a shell.
fn quoted(word: &str) -> Cow<'_, str> {
    match word.contains(|c: char| c.is_whitespace() || "'\"|&;<>()$`\\".contains(c)) {
        true => Cow::Owned(format!("'{}'", word.replace('\'', "'\\''"))),
        false => Cow::Borrowed(word),
    }
}

/// Parses a value that some hosts give as the text of its JSON.
pub(super) fn parsed(value: &Value) -> Value {
    let of_text = value.as_str().map(serde_json::from_str);
    match of_text {
        Some(Ok(value @ (Value::Object(_) | Value::Array(_)))) => value,
        _ => value.clone(),
    }
}

/// Returns the output and the end of a command from the response of its tool: a text, or an object. `None` if it was
/// not run, or not to its end.
pub(super) fn response(response: &Value) -> Option<(String, Status)> {
    if let Some(output) = response.as_str() {
        return Some((output.to_owned(), told_status(output)));
    }
    let flag = |name: &str| response.get(name) == Some(&true.into());
    let has = |name: &&str| response.get(*name).is_some_and(|value| !value.is_null());
    let result = text(response, &RESULTS).unwrap_or_default().to_lowercase();
    if STOPPED.into_iter().any(flag)
        || IN_BACKGROUND.iter().any(has)
        || NOT_ENDED.contains(&result.as_str())
    {
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
        None if FAILED.contains(&result.as_str()) => Status::Failed,
        None if response.get("success") == Some(&false.into()) => Status::Failed,
        None => told_status(&output),
    };
    Some((output, status))
}

/// Returns how a command ended if its output says so in its first or last lines, as tools of hosts write it: the line
/// says nothing else.
pub(super) fn told_status(output: &str) -> Status {
    let first = output.lines().take(CODE_LINES);
    let last = output.lines().rev().take(CODE_LINES);
    let codes = first.chain(last).filter_map(|line| {
        let line = line.trim().to_lowercase();
        let line = line.trim_start_matches(['<', '[', '(']);
        let line = CODE_SUBJECTS
            .iter()
            .find_map(|subject| line.strip_prefix(subject))
            .unwrap_or(line);
        let code = CODE_WORDS
            .iter()
            .find_map(|words| line.strip_prefix(words))?;
        code.trim()
            .trim_end_matches(['>', ']', ')', '.'])
            .parse()
            .ok()
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
