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
    let mut text = text.to_owned();
    for name in DROPPED {
        while let Some((before, _, after)) = element(&text, name) {
            text = format!("{before}{after}");
        }
    }
    for name in UNWRAPPED {
        while let Some((before, inner, after)) = element(&text, name) {
            text = format!("{before}{inner}{after}");
        }
    }
    text.trim().to_owned()
}

/// Splits a text at its first element of a name: what stands before, in and after it. An element that
/// is not closed is none.
pub(super) fn element<'a>(text: &'a str, name: &str) -> Option<(&'a str, &'a str, &'a str)> {
    let (before, rest) = text.split_once(&format!("<{name}>"))?;
    let (inner, after) = rest.split_once(&format!("</{name}>"))?;
    Some((before, inner, after))
}
