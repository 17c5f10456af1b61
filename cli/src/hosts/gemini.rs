//! Gemini CLI. The response of a command is a text with `Output:` and, unless it is 0, `Exit Code:`.

use serde_json::Value;

use super::{
    Event, Host, Moment, Status,
    fields::{self, claude_output, event_name, is_event, response, text, tool_call},
    hook,
};

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

fn ended(told: &Value) -> Option<(String, Status)> {
    let content = told.get("llmContent").unwrap_or(told);
    let parts = content.as_array().into_iter().flatten();
    let parts: Vec<&str> = parts
        .filter_map(|part| part.get("text")?.as_str())
        .collect();
    let (output, status) = match parts.is_empty() {
        true => response(content)?,
        false => response(&Value::from(parts.join("\n")))?,
    };
    // The command line itself is no part of what it said.
    let lines = output.lines();
    let lines =
        lines.filter(|line| !line.starts_with("Command: ") && !line.starts_with("Directory: "));
    let lines = lines.map(|line| line.strip_prefix("Output: ").unwrap_or(line));
    let status = match told.get("error") {
        Some(error) if !error.is_null() => Status::Failed,
        _ => status,
    };
    Some((lines.collect::<Vec<_>>().join("\n"), status))
}
