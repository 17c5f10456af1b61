//! Removes what tools add to the messages of a person: reminders, environment details, tags around the task.

/// Elements that are removed with their content, because it is not part of the conversation.
const DROPPED: [&str; 14] = [
    "system-reminder",
    "environment_details",
    "environment_context",
    "user_instructions",
    "permissions instructions",
    "collaboration_mode",
    "INSTRUCTIONS",
    "local-command-caveat",
    "command-name",
    "command-message",
    "command-args",
    "thinking",
    "session_context",
    "user_editable_context",
];
/// Elements of which only the tags are removed.
const UNWRAPPED: [&str; 7] = [
    "task",
    "feedback",
    "answer",
    "user_message",
    "user-prompt-submit-hook",
    "local-command-stdout",
    "bash-input",
];
/// The beginning of the message in which Codex sends the instructions of a project.
const PREAMBLE: &str = "# AGENTS.md instructions";

/// Returns a text without the additions of tools.
pub(super) fn without_noise(text: &str) -> String {
    if text.trim_start().starts_with(PREAMBLE) {
        return String::new();
    }
    let dropped = DROPPED
        .iter()
        .fold(text.to_owned(), |text, name| without(&text, name, false));
    let unwrapped = UNWRAPPED
        .iter()
        .fold(dropped, |text, name| without(&text, name, true));
    unwrapped.trim().to_owned()
}

/// Removes every element with a name from a text, or only its tags.
fn without(text: &str, name: &str, keep_inner: bool) -> String {
    let (mut cleaned, mut rest) = (String::new(), text);
    while let Some((before, inner, after)) = element(rest, name) {
        cleaned.push_str(before);
        if keep_inner {
            cleaned.push_str(inner);
        }
        rest = after;
    }
    cleaned.push_str(rest);
    cleaned
}

/// Splits a text at its first element with a name, and returns the texts before, in and after it. An element
/// that is not closed does not count.
pub(super) fn element<'a>(text: &'a str, name: &str) -> Option<(&'a str, &'a str, &'a str)> {
    let (before, rest) = text.split_once(&format!("<{name}>"))?;
    let (inner, after) = rest.split_once(&format!("</{name}>"))?;
    Some((before, inner, after))
}
