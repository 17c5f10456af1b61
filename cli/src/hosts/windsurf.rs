//! Windsurf. Its hooks observe: what they print reaches nobody but the user.

use std::path::PathBuf;

use serde_json::Value;

use super::{
    Event, Host, Moment, Ran,
    fields::{response, text},
    hook,
};

pub(crate) const HOST: Host = Host {
    name: "Windsurf",
    events: &[
        hook("post_run_command", None),
        hook("post_write_code", None),
    ],
    is_sender: |payload| payload.get("agent_action_name").is_some(),
    input,
    output: |_, _| None,
    verified_on: "2026-11-27",
    source: "docs.windsurf.com/windsurf/cascade/hooks",
    self_test: r#"{"agent_action_name": "post_run_command", "tool_info": {"command_line": "true"}}"#,
};

fn input(payload: &Value) -> Option<Event> {
    let name = text(payload, &["agent_action_name"])?;
    let told = payload.get("tool_info")?;
    let moment = match name.as_str() {
        "post_run_command" => {
            let (output, status) = response(told)?;
            let line = text(told, &["command_line"])?;
            Moment::Command(Ran {
                line,
                output,
                status,
            })
        }
        "post_write_code" => {
            let edits = told.get("edits").and_then(Value::as_array);
            let mut texts = vec![text(told, &["file_path"])?];
            let new = edits.into_iter().flatten();
            texts.extend(new.filter_map(|edit| text(edit, &["new_string"])));
            Moment::Edit(texts.join("\n"))
        }
        _ => return None,
    };
    Some(Event {
        session: text(payload, &["trajectory_id"]),
        folder: text(told, &["cwd"]).map(PathBuf::from),
        call: text(payload, &["execution_id"]).map(|id| format!("{id} {name}")),
        name,
        moment,
    })
}
