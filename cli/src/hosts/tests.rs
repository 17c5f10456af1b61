//! The payloads of each host, as its documentation gives them, and what is done with payloads that are not like that.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::json;

use super::*;

/// Payloads of a host, and what they mean.
#[derive(Deserialize)]
struct Golden {
    host: String,
    source: String,
    read_on: String,
    payloads: Vec<Sample>,
}

#[derive(Deserialize)]
struct Sample {
    payload: Value,
    /// The moment; `null` for a payload that is about nothing that matters here.
    moment: Option<String>,
    #[serde(default)]
    line: String,
    #[serde(default)]
    output: String,
    status: Option<String>,
    /// What the host reads for the context `CONTEXT` and for the message `MESSAGE`.
    context: Option<Value>,
    message: Option<Value>,
}

const FILES: [&str; 7] = [
    include_str!("../../../tests/data/hooks/claude-code.json"),
    include_str!("../../../tests/data/hooks/codex.json"),
    include_str!("../../../tests/data/hooks/copilot-cli.json"),
    include_str!("../../../tests/data/hooks/cursor.json"),
    include_str!("../../../tests/data/hooks/gemini-cli.json"),
    include_str!("../../../tests/data/hooks/vs-code.json"),
    include_str!("../../../tests/data/hooks/windsurf.json"),
];

fn golden() -> impl Iterator<Item = Golden> {
    FILES
        .into_iter()
        .map(|file| serde_json::from_str(file).expect("the file has the form of Golden"))
}

/// What a server accepts as the name of a host.
#[test]
fn a_host_has_a_name_of_one_short_word() {
    let words = HOSTS.map(Host::word);
    assert!(words.contains(&"claude-code".to_owned()), "{words:?}");
    for word in &words {
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(word.chars().all(is_plain) && word.len() <= 32, "{word}");
        assert_eq!(words.iter().filter(|it| *it == word).count(), 1, "{word}");
    }
}

#[test]
fn payloads_are_read_as_their_hosts_document_them() {
    for golden in golden() {
        let host = HOSTS.into_iter().find(|host| host.name == golden.host);
        let host = host.expect("the table has the host");
        assert_eq!(host.source, golden.source, "{}", golden.host);
        assert_eq!(host.verified_on, golden.read_on, "{}", golden.host);
        for sample in golden.payloads {
            let payload = &sample.payload;
            let sender = sender(payload).map(|host| host.name);
            assert_eq!(sender, Some(host.name), "{payload}");
            let found = read(payload).map(|(_, event)| event);
            let Some(moment) = sample.moment else {
                assert_eq!(found, None, "{payload}");
                continue;
            };
            let event = found.unwrap_or_else(|| panic!("{payload}"));
            assert_eq!(event.session.as_deref(), Some("s1"), "{payload}");
            let (name, ran) = match event.moment.clone() {
                Moment::Start => ("start", None),
                Moment::Prompt(_) => ("prompt", None),
                Moment::Command(ran) => ("command", Some(ran)),
                Moment::Edit(text) => {
                    assert_eq!(text, sample.output, "{payload}");
                    ("edit", None)
                }
                Moment::Stop(_) => ("stop", None),
            };
            assert_eq!(name, moment, "{payload}");
            if let Some(ran) = ran {
                let status = format!("{:?}", ran.status).to_lowercase();
                let found = (ran.line, ran.output, Some(status));
                assert_eq!(
                    found,
                    (sample.line, sample.output, sample.status),
                    "{payload}"
                );
                assert_eq!(
                    event.folder.as_deref(),
                    Some("/srv/shop".as_ref()),
                    "{payload}"
                );
            }
            let said = |answer| (host.output)(&event, &answer);
            assert_eq!(
                said(Answer::Context("CONTEXT".to_owned())),
                sample.context,
                "{payload}"
            );
            assert_eq!(
                said(Answer::Message("MESSAGE".to_owned())),
                sample.message,
                "{payload}"
            );
        }
    }
}

#[test]
fn a_self_test_is_recognized() {
    for host in HOSTS {
        let payload = serde_json::from_str(host.self_test).expect("it is JSON");
        assert_eq!(read(&payload).map(|(host, _)| host.name), Some(host.name));
    }
}

#[test]
fn the_events_that_init_sets_up_are_understood() {
    for golden in golden() {
        let host = HOSTS.into_iter().find(|host| host.name == golden.host);
        let host = host.expect("the table has the host");
        let understood: HashSet<String> = golden
            .payloads
            .iter()
            .filter_map(|sample| Some(read(&sample.payload)?.1.name.to_lowercase()))
            .collect();
        for hook in host.events {
            let name = hook.event.to_lowercase();
            assert!(understood.contains(&name), "{}: {name}", golden.host);
        }
    }
}

/// The fields that Codex's schemas require and allow; it takes others for an error.
#[test]
fn answers_to_codex_have_no_fields_that_it_does_not_know() {
    let golden: Golden = serde_json::from_str(FILES[1]).expect("the file has the form of Golden");
    let required = [
        "cwd",
        "hook_event_name",
        "model",
        "permission_mode",
        "session_id",
        "transcript_path",
    ];
    let allowed = [
        "continue",
        "decision",
        "hookSpecificOutput",
        "reason",
        "stopReason",
        "suppressOutput",
        "systemMessage",
    ];
    for sample in &golden.payloads {
        for field in required {
            assert!(
                sample.payload.get(field).is_some(),
                "{field}: {}",
                sample.payload
            );
        }
        for answer in [&sample.context, &sample.message].into_iter().flatten() {
            let fields = answer.as_object().expect("an answer is an object");
            for (name, value) in fields {
                assert!(allowed.contains(&name.as_str()), "{name}");
                let inner = value.as_object().into_iter().flatten();
                for (name, _) in inner {
                    assert!(
                        ["hookEventName", "additionalContext"].contains(&name.as_str()),
                        "{name}"
                    );
                }
            }
        }
    }
}

/// Nothing in a payload may make a hook fail.
#[test]
fn other_payloads_are_no_errors() {
    let odd = [
        Value::Null,
        json!(1),
        json!("PostToolUse"),
        json!([]),
        json!({}),
        json!({"hook_event_name": 1}),
        json!({"hook_event_name": "PostToolUse"}),
        json!({"hook_event_name": "PostToolUse", "tool_name": "Bash"}),
        json!({"hook_event_name": "PostToolUse", "tool_name": [], "tool_response": {}}),
        json!({"hook_event_name": "NewEventOfANewVersion", "session_id": "s1"}),
        json!({"agent_action_name": "post_run_command"}),
        json!({"agent_action_name": "post_run_command", "tool_info": 5}),
        json!({"cursor_version": "9", "hook_event_name": "postToolUse", "tool_output": "{"}),
        json!({"toolName": "bash"}),
        json!({"toolName": "bash", "toolArgs": "{", "toolResult": null}),
    ];
    for payload in odd {
        let event = read(&payload).map(|(_, event)| event.moment);
        let is_harmless = event.as_ref().is_none_or(|moment| *moment == Moment::Start);
        assert!(is_harmless, "{payload}: {event:?}");
    }
    // Each field of each payload is missing once, and of another type once.
    for sample in golden().flat_map(|golden| golden.payloads) {
        let fields = sample.payload.as_object().expect("a payload is an object");
        for name in fields.keys() {
            for value in [
                None,
                Some(json!(null)),
                Some(json!(-1)),
                Some(json!([[]])),
                Some(json!({"a": {}})),
            ] {
                let mut changed = fields.clone();
                match value {
                    Some(value) => drop(changed.insert(name.clone(), value)),
                    None => drop(changed.shift_remove(name)),
                }
                if let Some((host, event)) = read(&changed.into()) {
                    (host.output)(&event, &Answer::Context("CONTEXT".to_owned()));
                }
            }
        }
    }
}

#[test]
fn hosts_that_run_the_hooks_of_others_name_the_same_call() {
    let call = |payload: Value| read(&payload).and_then(|(_, event)| event.call);
    let of_cursor = json!({
        "hook_event_name": "postToolUse", "session_id": "s1", "cursor_version": "2", "tool_use_id": "c1",
        "tool_name": "Shell", "tool_input": {"command": "ls"}, "tool_output": "{\"exitCode\":0}",
    });
    let of_claude_code_in_cursor = json!({
        "hook_event_name": "PostToolUse", "session_id": "s1", "cursor_version": "2", "tool_use_id": "c1",
        "tool_name": "Shell", "tool_input": {"command": "ls"}, "tool_output": "{\"exitCode\":0}", "cwd": "/work",
    });
    let mut with_roots = of_cursor.clone();
    with_roots["workspace_roots"] = json!(["/work"]);
    assert_eq!(call(with_roots), call(of_claude_code_in_cursor));
}

#[test]
fn how_a_command_ended_is_what_the_host_says() {
    let ran = |payload: Value| match read(&payload)?.1.moment {
        Moment::Command(ran) => Some(ran),
        other => panic!("{other:?}"),
    };
    let of_claude_code = |response: Value| {
        ran(json!({
            "hook_event_name": "PostToolUse", "session_id": "s1", "tool_name": "Bash",
            "tool_input": {"command": "make"}, "tool_response": response,
        }))
    };
    let told = of_claude_code(json!({"stdout": "Exit code: 1\nerror: x", "stderr": ""}));
    assert_eq!(told.map(|ran| ran.status), Some(Status::Passed));
    for not_ended in [
        json!({"stdout": "", "interrupted": true}),
        json!({"stdout": "", "backgroundTaskId": "b1"}),
        json!({"stdout": "", "status": "cancelled"}),
    ] {
        assert_eq!(of_claude_code(not_ended.clone()), None, "{not_ended}");
    }
    let of_copilot = |kind: &str| {
        ran(json!({
            "sessionId": "s1", "toolName": "bash", "toolArgs": "{\"command\": \"make\"}",
            "toolResult": {"resultType": kind, "textResultForLlm": "x\n<exited with exit code 2>"},
        }))
    };
    assert_eq!(
        of_copilot("success").map(|ran| ran.status),
        Some(Status::Failed)
    );
    assert_eq!(of_copilot("denied"), None);
    let of_codex = |command: Value, response: &str| {
        ran(json!({
            "hook_event_name": "PostToolUse", "session_id": "s1", "turn_id": "t", "tool_name": "Bash",
            "tool_input": {"command": command}, "tool_response": response,
        }))
    };
    let script = of_codex(
        json!(["bash", "-lc", "cargo test | tail"]),
        "says exit code: 1 here",
    );
    let script = script.map(|ran| (ran.line, ran.status));
    assert_eq!(
        script,
        Some(("cargo test | tail".to_owned(), Status::Unknown))
    );
    let words = of_codex(json!(["git", "commit", "-m", "it's; done"]), "Exit code: 0");
    let words = words.map(|ran| (ran.line, ran.status));
    assert_eq!(
        words,
        Some((r"git commit -m 'it'\''s; done'".to_owned(), Status::Passed))
    );
}

#[test]
fn an_edit_that_failed_or_was_refused_is_none() {
    let is_edit = |payload: &Value| {
        let moment = read(payload).map(|(_, event)| event.moment);
        match &moment {
            Some(Moment::Edit(_)) => true,
            None => false,
            other => panic!("{payload}: {other:?}"),
        }
    };
    let of_copilot = |result: Value| json!({"sessionId": "s1", "toolName": "edit", "toolArgs": {"path": "a.rs", "new_str": "b"}, "toolResult": result});
    let of_codex = |response: Value| {
        json!({
            "hook_event_name": "PostToolUse", "session_id": "s1", "turn_id": "t", "tool_name": "apply_patch",
            "tool_input": {"command": "*** Update File: a.rs\n+b"}, "tool_response": response,
        })
    };
    let of_vs_code = |response: Value| {
        json!({
            "hookEventName": "PostToolUse", "sessionId": "s1", "tool_name": "replace_string_in_file",
            "tool_input": {"filePath": "a.rs", "newString": "b"}, "tool_response": response,
        })
    };
    let of_gemini = |response: Value| {
        json!({
            "hook_event_name": "AfterTool", "session_id": "s1", "tool_name": "replace",
            "tool_input": {"file_path": "a.rs", "new_string": "b"}, "tool_response": response,
        })
    };
    for (payload, expected) in [
        (
            of_copilot(json!({"resultType": "success", "textResultForLlm": "File a.rs updated"})),
            true,
        ),
        (
            of_copilot(json!({"resultType": "denied", "textResultForLlm": ""})),
            false,
        ),
        (
            of_copilot(json!({"resultType": "rejected", "textResultForLlm": ""})),
            false,
        ),
        (
            of_copilot(json!({"resultType": "failure", "textResultForLlm": "No match found"})),
            false,
        ),
        (
            of_codex(json!(
                "Exit code: 0\nOutput:\nSuccess. Updated the following files:\nM a.rs"
            )),
            true,
        ),
        (
            of_codex(json!("Exit code: 1\nOutput:\nno such line")),
            false,
        ),
        (
            of_codex(json!(
                "apply_patch verification failed: Failed to find expected lines in a.rs"
            )),
            false,
        ),
        (of_codex(json!("patch rejected by user")), false),
        (of_codex(json!({"output": "", "status": "declined"})), false),
        (
            of_vs_code(json!(
                "The following files were successfully edited: a.rs, error_denied.rs"
            )),
            true,
        ),
        (
            of_vs_code(json!("ERROR while calling tool: no match for oldString")),
            false,
        ),
        (of_vs_code(json!("User denied the call")), false),
        (of_vs_code(json!({"status": "failed", "output": ""})), false),
        (
            of_gemini(json!({"llmContent": "Successfully modified file: a.rs"})),
            true,
        ),
        (
            of_gemini(json!({"llmContent": "0 occurrences", "error": {"message": "x"}})),
            false,
        ),
        (
            of_gemini(json!({"llmContent": "Failed to edit, could not find the string"})),
            false,
        ),
    ] {
        assert_eq!(is_edit(&payload), expected, "{payload}");
    }
    // A command whose result is a failure has failed, although it tells no exit code.
    let mut payload = of_copilot(json!({"resultType": "failure", "textResultForLlm": "boom"}));
    payload["toolName"] = json!("bash");
    payload["toolArgs"] = json!({"command": "make"});
    let moment = read(&payload).map(|(_, event)| event.moment);
    let failed = matches!(&moment, Some(Moment::Command(ran)) if ran.status == Status::Failed);
    assert!(failed, "{moment:?}");
}

#[test]
fn long_texts_are_cut_to_their_beginning_and_end() {
    let output = format!("first {} last", "é".repeat(1 << 20));
    let payload = json!({
        "hook_event_name": "PostToolUse", "session_id": "s1", "tool_name": "Bash",
        "tool_input": {"command": "make"}, "tool_response": {"stdout": output},
    });
    let Some((
        _,
        Event {
            moment: Moment::Command(ran),
            ..
        },
    )) = read(&payload)
    else {
        panic!("it is a command");
    };
    assert!(ran.output.len() <= MAX_TEXT + 1, "{}", ran.output.len());
    assert!(ran.output.starts_with("first ") && ran.output.ends_with(" last"));
}
