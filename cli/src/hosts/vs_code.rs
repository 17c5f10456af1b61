//! VS Code's own agent. It reads the same files as Copilot CLI, and the settings of Claude Code without their matchers,
//! so that one call of a tool can run two hooks. A prompt takes no context.

use serde_json::Value;

use super::{
    Answer, Event, Host, Moment, claude_code, copilot,
    fields::{claude_output, event, event_name, is_event, response, tool_call},
};

pub(crate) const HOST: Host = Host {
    name: "VS Code",
    // One file serves both.
    events: copilot::HOST.events,
    is_sender: |payload| {
        payload.get("hookEventName").is_some()
            || payload.get("tool_name") == Some(&"run_in_terminal".into())
            || (event_name(payload).is_some() && payload.get("timestamp").is_some())
    },
    input,
    output,
    verified_on: "2026-11-27",
    source: "code.visualstudio.com/docs/agent-customization/hooks",
    self_test: r#"{"hookEventName": "SessionStart", "sessionId": "self-test"}"#,
};

fn input(payload: &Value) -> Option<Event> {
    if !is_event(payload, &["PostToolUse"]) {
        return claude_code::input(payload);
    }
    let ended = || response(payload.get("tool_response")?);
    let moment = tool_call(payload, ended)?;
    Some(event(payload, "PostToolUse", moment))
}

fn output(event: &Event, answer: &Answer) -> Option<Value> {
    match (answer, &event.moment) {
        (Answer::Context(_), Moment::Prompt(_)) => None,
        _ => Some(claude_output(event, answer)),
    }
}
