//! GitHub Copilot CLI. An event that is configured as `postToolUse` comes in camel case and without its name, one that
//! is configured as `PostToolUse` in snake case and with it. Output to a prompt is dropped.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{
    Answer, Event, Host, Moment, Status, claude_code,
    fields::{self, event_name, response, text, tool_call},
    hook,
};

pub(crate) const HOST: Host = Host {
    name: "Copilot CLI",
    events: &[
        hook("SessionStart", None),
        hook("PostToolUse", None),
        hook("PostToolUseFailure", None),
        hook("Stop", None),
    ],
    is_sender: |payload| {
        let own = [
            "toolName",
            "toolResult",
            "tool_result",
            "stopReason",
            "stop_reason",
        ];
        own.iter().any(|name| payload.get(name).is_some())
            || (payload.get("sessionId").is_some() && event_name(payload).is_none())
            || (event_name(payload).is_some()
                && payload.get("session_id").is_some()
                && payload.get("timestamp").is_some()
                && payload.get("transcript_path").is_none()
                && payload.get("tool_response").is_none())
    },
    input,
    output,
    verified_on: "2026-11-27",
    source: "docs.github.com/en/copilot/reference/hooks-reference",
    self_test: r#"{"sessionId": "self-test", "timestamp": 0, "source": "new"}"#,
};

fn input(payload: &Value) -> Option<Event> {
    let has = |name: &str| payload.get(name).is_some();
    let name = match event_name(payload) {
        Some(name) => name,
        None if has("toolResult") => "postToolUse".to_owned(),
        None if has("error") && has("toolName") => "postToolUseFailure".to_owned(),
        None if has("stopReason") => "agentStop".to_owned(),
        None if has("source") => "sessionStart".to_owned(),
        None if has("prompt") => "userPromptSubmitted".to_owned(),
        None => return None,
    };
    let moment = match name.to_lowercase().as_str() {
        "sessionstart" => Moment::Start,
        "userpromptsubmitted" | "userpromptsubmit" => Moment::Prompt(text(payload, &["prompt"])?),
        "posttooluse" => tool_call(payload, || {
            let results = ["toolResult", "tool_result"].map(|name| payload.get(name));
            let result = results
                .into_iter()
                .flatten()
                .find(|result| result.is_object())?;
            // It may say that the user did not allow the call, or that it failed.
            let (_, status) = response(result)?;
            let output = text(result, &["textResultForLlm", "text_result_for_llm"]);
            let (output, told) = response(&Value::from(output.unwrap_or_default()))?;
            let status = match told {
                Status::Unknown => status,
                told => told,
            };
            Some((output, status))
        })?,
        "posttoolusefailure" => claude_code::failure(payload)?,
        "agentstop" | "stop" => {
            let transcript = text(payload, &["transcriptPath", "transcript_path"]);
            Moment::Stop(transcript.map(PathBuf::from))
        }
        _ => return None,
    };
    Some(fields::event(payload, &name, moment))
}

fn output(event: &Event, answer: &Answer) -> Option<Value> {
    match (answer, &event.moment) {
        (Answer::Message(_), _) | (_, Moment::Prompt(_)) => None,
        (Answer::Context(text), _) => Some(json!({"additionalContext": text})),
    }
}
