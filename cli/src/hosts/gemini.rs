//! Gemini CLI. The response of a command is a text: its output, and below it lines with labels such as `Exit Code:`.
//! Older versions always write all of them, newer ones only those that tell something.

use serde_json::Value;

use super::{
    Event, Host, Moment, Status,
    fields::{self, claude_output, event_name, is_event, response, text, tool_call},
    hook,
};

/// What stands in a report of a command for nothing, and for an output without text.
const NONE: &str = "(none)";
const EMPTY: &str = "(empty)";

pub(crate) const HOST: Host = Host {
    name: "Gemini CLI",
    events: &[
        hook("SessionStart", None),
        hook("BeforeAgent", None),
        hook("AfterTool", Some("run_shell_command|replace|write_file")),
        hook("AfterAgent", None),
    ],
    is_sender: |payload| {
        is_event(payload, &["BeforeAgent", "AfterTool", "AfterAgent"])
            // Claude Code and Codex send no time, and the others no transcript or another kind of session.
            || (is_event(payload, &["SessionStart"])
                && payload.get("session_id").is_some()
                && payload.get("timestamp").is_some()
                && payload.get("transcript_path").is_some()
                && payload.get("source") != Some(&"new".into()))
    },
    input,
    output: |event, answer| Some(claude_output(event, answer)),
    verified_on: "2026-11-27",
    source: "geminicli.com/docs/hooks/reference",
    self_test: r#"{"hook_event_name": "AfterAgent", "session_id": "self-test"}"#,
};

fn input(payload: &Value) -> Option<Event> {
    let name = event_name(payload)?;
    let moment = match name.as_str() {
        "SessionStart" => Moment::Start,
        "BeforeAgent" => Moment::Prompt(text(payload, &["prompt"])?),
        "AfterTool" => tool_call(payload, || ended(payload.get("tool_response")?))?,
        "AfterAgent" => Moment::Stop(None),
        _ => return None,
    };
    Some(fields::event(payload, &name, moment))
}

/// Returns the output and the end of a command, or what an edit says; `None` if the call was stopped.
fn ended(told: &Value) -> Option<(String, Status)> {
    let content = told.get("llmContent").unwrap_or(told);
    let parts = content.as_array().into_iter().flatten();
    let parts: Vec<&str> = parts
        .filter_map(|part| part.get("text")?.as_str())
        .collect();
    let joined = (!parts.is_empty()).then(|| parts.join("\n"));
    let (output, status) = match joined.as_deref().or(content.as_str()) {
        Some(text) => match report_of_shell(text) {
            Some(report) => report,
            None => response(&Value::from(text))?,
        },
        None => response(content)?,
    };
    let status = match told.get("error") {
        Some(error) if !error.is_null() => Status::Failed,
        _ => status,
    };
    Some((output, status))
}

/// Returns the output and the end that the report of a command tells: `Output:`, before which older versions have the
/// command and the folder, and after which lines with these labels follow. `None` for another text.
fn report_of_shell(text: &str) -> Option<(String, Status)> {
    let report = match text.starts_with("Command: ") {
        // The command line itself is no part of what it said, and may have several lines.
        true => text.split_once("\nDirectory: ")?.1.split_once('\n')?.1,
        false => text,
    };
    let mut lines: Vec<&str> = report.strip_prefix("Output: ")?.lines().collect();
    let mut take = |label: &str| {
        let value = lines.last()?.strip_prefix(label)?.trim().to_owned();
        lines.pop();
        Some(value)
    };
    let is_told = |value: &String| !value.is_empty() && value != NONE;
    let _group = take("Process Group PGID:");
    let background = take("Background PIDs:").filter(is_told);
    let signal = take("Signal:").filter(is_told);
    let code = take("Exit Code:");
    let error = take("Error:").filter(is_told);
    let number = code.as_deref().and_then(|code| code.parse().ok());
    let status = match number {
        Some(number) => Status::of_code(number),
        None if signal.is_some() => Status::Failed,
        None if error.is_some() && code.is_some() => Status::Failed,
        // Newer versions leave out what is not told. There the line may be one of the program's own.
        None if error.is_some() || code.is_some() => Status::Unknown,
        None if lines.iter().any(|line| line.starts_with("Error:")) => Status::Unknown,
        None => Status::Passed,
    };
    let status = match status {
        // Something of it goes on.
        Status::Passed if background.is_some() => Status::Unknown,
        status => status,
    };
    if let [EMPTY] = lines.as_slice() {
        lines.clear();
    }
    let error = error.map(|error| format!("Error: {error}"));
    lines.extend(error.as_deref());
    Some((lines.join("\n"), status))
}
