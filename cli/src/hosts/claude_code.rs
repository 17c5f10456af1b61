//! Claude Code. A failed command triggers `PostToolUseFailure`; `PostToolUse` is used too, because a pipeline can
//! succeed although one of its commands failed.

use std::path::PathBuf;

use serde_json::Value;

use super::{
    Answer, Event, Host, Moment, Status,
    fields::{claude_output, event, event_name, response, text, tool_call},
    hook,
};

const COMMANDS_AND_EDITS: &str = "Bash|Edit|Write|MultiEdit";

pub(crate) const HOST: Host = Host {
    name: "Claude Code",
    events: &[
        hook("SessionStart", None),
        hook("UserPromptSubmit", None),
        hook("PostToolUse", Some(COMMANDS_AND_EDITS)),
        hook("PostToolUseFailure", Some("Bash")),
        hook("Stop", None),
    ],
    is_sender: |payload| event_name(payload).is_some(),
    input,
    output: |event, answer| Some(output(event, answer)),
    verified_on: "2026-11-27",
    source: "code.claude.com/docs/en/hooks",
    self_test: r#"{"hook_event_name": "SessionStart", "session_id": "self-test"}"#,
};

/// Reads a payload; other hosts have taken over its form.
pub(super) fn input(payload: &Value) -> Option<Event> {
    let name = event_name(payload)?;
    let moment = match name.as_str() {
        "SessionStart" => Moment::Start,
        "UserPromptSubmit" => Moment::Prompt(text(payload, &["prompt"])?),
        "PostToolUse" => tool_call(payload, || {
            let (output, _) = response(payload.get("tool_response")?)?;
            // A command with another exit code than 0 has the other event, whatever its output says.
            Some((output, Status::Passed))
        })?,
        "PostToolUseFailure" => failure(payload)?,
        "Stop" => Moment::Stop(text(payload, &["transcript_path"]).map(PathBuf::from)),
        _ => return None,
    };
    Some(event(payload, &name, moment))
}

/// Reads a call that failed; `None` if the user interrupted it, or if it is no command: a file that could not be edited
/// has not changed.
pub(super) fn failure(payload: &Value) -> Option<Moment> {
    if payload.get("is_interrupt") == Some(&true.into()) {
        return None;
    }
    let error = text(payload, &["error", "error_message"])?;
    tool_call(payload, || Some((error, Status::Failed)))
}

pub(super) fn output(event: &Event, answer: &Answer) -> Value {
    claude_output(event, answer)
}
