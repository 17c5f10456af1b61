//! Conversations as people copy them: `User:` and `Assistant:` before what each said, or nothing.

use super::{Role, collected::Collected};

/// Reads a text; what stands before the first name, or without any, a person said.
pub(super) fn read(text: &str) -> Collected {
    let mut found = Collected::default();
    let (mut role, mut said) = (Role::User, String::new());
    for line in text.lines() {
        if let Some((next, rest)) = named(line) {
            found.say(role, &said);
            role = next;
            said = rest.to_owned();
        } else {
            said.push_str(line);
        }
        said.push('\n');
    }
    found.say(role, &said);
    found
}

/// Returns who a line says is speaking, and what follows on it.
fn named(line: &str) -> Option<(Role, &str)> {
    let (name, rest) = line.split_once([':', '：'])?;
    let name = name.trim_matches(|c: char| c.is_whitespace() || "*#>_[]".contains(c));
    let role = match name.to_lowercase().as_str() {
        "user" | "human" | "me" | "you" | "用户" | "我" | "utilisateur" | "moi" => Role::User,
        "assistant" | "ai" | "agent" | "claude" | "chatgpt" | "gpt" | "gemini" | "copilot"
        | "助手" | "助理" | "agente" => Role::Assistant,
        _ => return None,
    };
    Some((role, rest.trim_start_matches(['*', ' '])))
}
