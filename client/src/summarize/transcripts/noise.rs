//! What tools write into the words of a person: reminders, surroundings, marks around the task.

/// Elements whose content nobody said.
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
/// Elements whose content is what was said.
const UNWRAPPED: [&str; 7] = [
    "task",
    "feedback",
    "answer",
    "user_message",
    "user-prompt-submit-hook",
    "local-command-stdout",
    "bash-input",
];
/// What Codex puts before the instructions of a project.
const PREAMBLE: &str = "# AGENTS.md instructions";

/// Returns a text without what tools put around and between the words.
pub(super) fn without_noise(text: &str) -> String {
    if text.trim_start().starts_with(PREAMBLE) {
        return String::new();
    }
    let dropped = DROPPED
        .iter()
        .fold(text.to_owned(), |text, name| without(&text, name, false));
    let said = UNWRAPPED
        .iter()
        .fold(dropped, |text, name| without(&text, name, true));
    said.trim().to_owned()
}

/// Takes every element of a name out of a text, or only its marks.
fn without(text: &str, name: &str, keep_inner: bool) -> String {
    let (mut kept, mut rest) = (String::new(), text);
    while let Some((before, inner, after)) = element(rest, name) {
        kept.push_str(before);
        if keep_inner {
            kept.push_str(inner);
        }
        rest = after;
    }
    kept.push_str(rest);
    kept
}

/// Splits a text at its first element of a name: what stands before, in and after it. An element that
/// is not closed is none.
pub(super) fn element<'a>(text: &'a str, name: &str) -> Option<(&'a str, &'a str, &'a str)> {
    let (before, rest) = text.split_once(&format!("<{name}>"))?;
    let (inner, after) = rest.split_once(&format!("</{name}>"))?;
    Some((before, inner, after))
}
