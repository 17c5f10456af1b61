//! Plain-text conversations, with or without `User:` and `Assistant:` before the messages.

use super::{Role, collected::Collected};

/// Names of the person, in lower case.
const PERSON: [&str; 12] = [
    "user",
    "human",
    "me",
    "you",
    "you said",
    "用户",
    "我",
    "你",
    "您",
    "utilisateur",
    "moi",
    "vous",
];
/// Names of the agent, in lower case.
const AGENT: [&str; 20] = [
    "assistant",
    "ai",
    "agent",
    "bot",
    "model",
    "claude",
    "claude code",
    "chatgpt",
    "chatgpt said",
    "gpt",
    "gemini",
    "codex",
    "cline",
    "copilot",
    "github copilot",
    "cursor",
    "助手",
    "助理",
    "模型",
    "agente",
];
/// The characters around a name in Markdown.
const MARKS: [char; 6] = ['*', '#', '>', '_', '[', ']'];

/// Reads a text. If it does not name both sides, all of it is one message of the user.
pub(super) fn read(text: &str) -> Collected {
    let mut found = Collected::default();
    let names = |role: Role| {
        text.lines()
            .any(|line| named(line).is_some_and(|(it, _)| it == role))
    };
    if !names(Role::User) || !names(Role::Assistant) {
        found.say(Role::User, text);
        return found;
    }
    let (mut role, mut message) = (Role::User, String::new());
    for line in text.lines() {
        match named(line) {
            Some((next, rest)) => {
                found.say(role, &message);
                role = next;
                message = rest.to_owned();
            }
            None => message.push_str(line),
        }
        message.push('\n');
    }
    found.say(role, &message);
    found
}

/// Returns the side that a line names, and the rest of the line.
fn named(line: &str) -> Option<(Role, &str)> {
    let is_marked = line.starts_with(MARKS);
    let (name, rest) = match line.split_once([':', '：']) {
        Some(split) => split,
        // `## User`, `**Assistant**`.
        None if is_marked => (line, ""),
        None => return None,
    };
    // An indented `user:` is a setting.
    if name.starts_with([' ', '\t']) {
        return None;
    }
    let name = name.trim_matches(|c: char| c.is_whitespace() || MARKS.contains(&c));
    let name = name.to_lowercase();
    let role = match (
        PERSON.contains(&name.as_str()),
        AGENT.contains(&name.as_str()),
    ) {
        (true, _) => Role::User,
        (_, true) => Role::Assistant,
        _ => return None,
    };
    Some((role, rest.trim_start_matches(['*', '_', ' '])))
}
