//! The formats of Cline and its forks: tool calls as elements in the model's messages, results as texts in the
//! user's messages, and the list of displayed messages (`ui_messages.json`).

use serde_json::Value;

use super::{
    Role, actions,
    collected::Collected,
    noise::{element, without_noise},
};

/// The names of elements that are tool calls.
const TOOLS: [&str; 13] = [
    "execute_command",
    "write_to_file",
    "replace_in_file",
    "apply_diff",
    "insert_content",
    "search_and_replace",
    "read_file",
    "search_files",
    "list_files",
    "list_code_definition_names",
    "use_mcp_tool",
    "ask_followup_question",
    "attempt_completion",
];
/// The separator between the name of a tool in brackets and its result.
const RESULT: &str = "] Result:";

/// Reads a message of the model: text with tool calls in it.
pub(super) fn read_assistant_text(text: &str, found: &mut Collected) {
    let mut rest = text;
    // An element that is not closed here is not closed later, so it is not searched again.
    let mut open: Vec<&str> = TOOLS.to_vec();
    while let Some((before, tool, inner, after)) = next_tool(rest, &mut open) {
        found.say(Role::Assistant, &without_noise(before));
        read_tool(tool, inner, found);
        rest = after;
    }
    found.say(Role::Assistant, &without_noise(rest));
}

/// Splits a text at its first tool call: the text before it, the tool's name, the text in it and after it.
fn next_tool<'a, 'b>(
    text: &'a str,
    open: &mut Vec<&'b str>,
) -> Option<(&'a str, &'b str, &'a str, &'a str)> {
    for (at, _) in text.match_indices('<') {
        let (before, rest) = text.split_at(at);
        let named = |tool: &&str| {
            let name = rest.get(1..).and_then(|rest| rest.strip_prefix(*tool));
            name.is_some_and(|rest| rest.starts_with('>'))
        };
        let Some(tool) = open.iter().copied().find(|tool| named(tool)) else {
            continue;
        };
        match element(rest, tool) {
            Some((_, inner, after)) => return Some((before, tool, inner, after)),
            None => open.retain(|known| *known != tool),
        }
    }
    None
}

fn read_tool(tool: &str, inner: &str, found: &mut Collected) {
    let field = |names: &[&str]| {
        let mut texts = names.iter().filter_map(|name| element(inner, name));
        texts.next().map(|(_, text, _)| text.trim())
    };
    let command = field(&["command"]).filter(|line| !line.is_empty());
    let change = field(&["content", "diff", "replace"]);
    if let Some(words) = field(&["result", "question"]) {
        found.say(Role::Assistant, words);
    }
    let action = match (command, field(&["path"]), change) {
        (Some(line), ..) => actions::command(tool, line),
        (None, Some(path), Some(change)) => actions::edit(tool, path, change),
        _ if matches!(tool, "ask_followup_question" | "attempt_completion") => return,
        _ => actions::other(tool, inner.trim()),
    };
    found.act(None, action);
}

/// Reads the result of a tool, if a text of the user is one. Returns whether it is.
pub(super) fn read_result(text: &str, found: &mut Collected) -> bool {
    let text = text.trim();
    if text.starts_with('[')
        && let Some((head, output)) = text.split_once(RESULT)
        && !head.contains('\n')
    {
        found.expect_output();
        if !output.trim().is_empty() {
            read_output(output, found);
        }
        return true;
    }
    if found.expects_output() && !text.starts_with("<environment_details>") {
        read_output(text, found);
        return true;
    }
    false
}

fn read_output(output: &str, found: &mut Collected) {
    let failed =
        output.contains("<error>") || output.trim_start().starts_with("The tool execution failed");
    found.output(None, &without_noise(output), failed);
    if let Some((_, words, _)) = element(output, "feedback") {
        found.say(Role::User, words);
    }
}

/// Returns whether a value is one of the displayed messages (`ui_messages.json`).
pub(super) fn is_shown(value: &Value) -> bool {
    let kind = value.get("type").and_then(Value::as_str);
    matches!(kind, Some("say" | "ask")) && value.get("ts").is_some()
}

/// Reads the displayed messages.
pub(super) fn read_shown(items: &[Value]) -> Collected {
    let mut found = Collected::default();
    for (at, item) in items.iter().enumerate() {
        if !is_shown(item) {
            found.skip();
            continue;
        }
        read_item(item, at == 0, &mut found);
    }
    found
}

fn read_item(item: &Value, is_first: bool, found: &mut Collected) {
    let text = |key: &str| item.get(key).and_then(Value::as_str);
    let is_partial = item.get("partial").and_then(Value::as_bool);
    let words = text("text").unwrap_or_default();
    if is_partial.unwrap_or(false) {
        return;
    }
    match text("say").or(text("ask")) {
        Some("task" | "user_feedback") => found.say(Role::User, words),
        // The first message is the task.
        Some("text") if is_first => found.say(Role::User, words),
        Some("text" | "completion_result" | "plan_mode_respond" | "followup") => {
            found.say(Role::Assistant, &question_of(words));
        }
        Some("command") => found.act(None, actions::command("execute_command", words)),
        Some("command_output") => found.more_output(words),
        Some("error" | "diff_error") => {
            found.more_output(words);
            found.last_action_failed();
        }
        Some("tool") => read_shown_tool(words, found),
        _ => {}
    }
}

/// Returns the question in a message of the model; the message may be JSON.
fn question_of(words: &str) -> String {
    let parsed: Option<Value> = serde_json::from_str(words).ok();
    let question = parsed.as_ref().and_then(|parsed| {
        let keys = ["question", "response"];
        keys.iter().find_map(|key| parsed.get(*key)?.as_str())
    });
    question.unwrap_or(words).to_owned()
}

fn read_shown_tool(words: &str, found: &mut Collected) {
    let Ok(call) = serde_json::from_str::<Value>(words) else {
        return found.skip();
    };
    let text = |key: &str| call.get(key).and_then(Value::as_str);
    let tool = text("tool").unwrap_or_default();
    let changes = matches!(
        tool,
        "editedExistingFile"
            | "appliedDiff"
            | "newFileCreated"
            | "insertContent"
            | "searchAndReplace"
    );
    let path = text("path").unwrap_or_default();
    found.act(
        None,
        match text("diff").or(text("content")).filter(|_| changes) {
            Some(change) => actions::edit(tool, path, change),
            None => actions::other(tool, path),
        },
    );
}
