//! Cursor. It runs a hook several times for an event and also runs the hooks in Claude Code's settings; the id of the
//! tool call tells that they are about the same. A prompt takes no context, and a stop only takes a further prompt.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{
    Answer, Event, Host, Moment, claude_code,
    fields::{self, claude_output, event_name, parsed, response, text, tool_call},
    hook,
};

pub(crate) const HOST: Host = Host {
    name: "Cursor",
    events: &[
        hook("sessionStart", None),
        hook("postToolUse", Some("Shell")),
        hook("postToolUseFailure", Some("Shell")),
        hook("afterFileEdit", None),
        hook("stop", None),
    ],
    is_sender: |payload| {
        let own = ["cursor_version", "workspace_roots", "generation_id"];
        own.iter().any(|name| payload.get(name).is_some())
    },
    input,
    output,
    verified_on: "2026-11-27",
    source: "cursor.com/docs/hooks",
    self_test: r#"{"hook_event_name": "sessionStart", "session_id": "self-test", "cursor_version": ""}"#,
};

fn input(payload: &Value) -> Option<Event> {
    let name = event_name(payload)?;
    let moment = match name.to_lowercase().as_str() {
        "sessionstart" => Moment::Start,
        "beforesubmitprompt" | "userpromptsubmit" => Moment::Prompt(text(payload, &["prompt"])?),
        "posttooluse" => tool_call(payload, || {
            let output = ["tool_output", "tool_response"].map(|name| payload.get(name));
            response(&parsed(output.into_iter().flatten().next()?))
        })?,
        "posttoolusefailure" => match text(payload, &["failure_type"]).as_deref() {
            Some("permission_denied") => return None,
            _ => claude_code::failure(payload)?,
        },
        "afterfileedit" => {
            let edits = payload.get("edits")?.as_array()?.iter();
            let mut texts = vec![text(payload, &["file_path"])?];
            texts.extend(edits.filter_map(|edit| text(edit, &["new_string"])));
            Moment::Edit(texts.join("\n"))
        }
        "stop" => Moment::Stop(None),
        _ => return None,
    };
    let mut event = fields::event(payload, &name, moment);
    if event.folder.is_none() {
        let root = payload
            .get("workspace_roots")
            .and_then(|roots| roots.get(0)?.as_str());
        event.folder = root.map(PathBuf::from);
    }
    Some(event)
}

fn output(event: &Event, answer: &Answer) -> Option<Value> {
    match (answer, &event.moment) {
        (Answer::Message(_), _) | (_, Moment::Prompt(_)) => None,
        // The name is that of an event of Claude Code, whose hook it was.
        _ if event.name.starts_with(char::is_uppercase) => Some(claude_output(event, answer)),
        (Answer::Context(text), _) => Some(json!({"additional_context": text})),
    }
}
