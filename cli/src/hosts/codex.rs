//! Codex. Its payloads have the form of Claude Code's; the response of a command is its output as a text, without the
//! exit code. Unknown fields in an answer are errors for it.

use serde_json::Value;

use super::{
    Event, Host, Moment,
    claude_code::{self, output},
    fields::{event, event_name, response, tool_call},
    hook,
};

pub(crate) const HOST: Host = Host {
    name: "Codex",
    events: &[
        hook("SessionStart", None),
        hook("UserPromptSubmit", None),
        hook("PostToolUse", Some("Bash|apply_patch")),
        hook("Stop", None),
    ],
    // The start of a session may look the same in Claude Code, which takes the same answer.
    is_sender: |payload| {
        payload.get("turn_id").is_some()
            || (payload.get("model").is_some() && payload.get("permission_mode").is_some())
    },
    input,
    output: |event, answer| Some(output(event, answer)),
    verified_on: "2026-11-27",
    source: "github.com/openai/codex codex-rs/hooks/schema/generated; developers.openai.com/codex/hooks",
    self_test: r#"{"hook_event_name": "SessionStart", "session_id": "self-test", "model": "", "permission_mode": "default"}"#,
};

fn input(payload: &Value) -> Option<Event> {
    let name = event_name(payload)?;
    match name.as_str() {
        "PostToolUse" => {
            let ended = || response(payload.get("tool_response")?);
            let moment: Moment = tool_call(payload, ended)?;
            Some(event(payload, &name, moment))
        }
        _ => claude_code::input(payload),
    }
}
