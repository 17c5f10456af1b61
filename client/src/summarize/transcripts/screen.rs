//! The screen export of Claude Code (`/export`): a mark before each message, tool calls as `Name(arguments)`, and
//! their output below them.

use super::{Role, actions, collected::Collected};

/// The marks before messages and tool calls of the agent, before messages of the person, and before outputs.
const AGENT: [char; 2] = ['⏺', '●'];
const PERSON: [char; 2] = ['>', '❯'];
const OUTPUT: char = '⎿';

/// Returns whether a text is a screen export.
pub(super) fn is_screen(text: &str) -> bool {
    let begins = |marks: &[char]| text.lines().any(|line| marked(line, marks).is_some());
    begins(&AGENT) && begins(&PERSON)
}

/// The message or output to which the following lines belong.
enum Open {
    Nothing,
    Said(Role, String),
    Output(String),
}

impl Open {
    fn close(self, found: &mut Collected) {
        match self {
            Self::Nothing => {}
            Self::Said(role, text) => found.say(role, &text),
            Self::Output(text) => found.output(None, &text, is_failure(&text)),
        }
    }
}

/// Reads a screen export.
pub(super) fn read(text: &str) -> Collected {
    let mut found = Collected::default();
    let mut open = Open::Nothing;
    for line in text.lines() {
        let next = if let Some(words) = marked(line, &PERSON) {
            Some(Open::Said(Role::User, words.to_owned()))
        } else if let Some(words) = marked(line, &AGENT) {
            Some(Open::Said(Role::Assistant, words.to_owned()))
        } else {
            let output = line.trim_start().strip_prefix(OUTPUT);
            output.map(|output| Open::Output(output.trim_start().to_owned()))
        };
        match next {
            Some(next) => finish(std::mem::replace(&mut open, next), &mut found),
            None => match &mut open {
                Open::Nothing => {}
                Open::Said(_, text) | Open::Output(text) => {
                    text.push('\n');
                    text.push_str(line.trim());
                }
            },
        }
    }
    finish(open, &mut found);
    found
}

/// Adds a finished message or output. A message of the agent that is a tool call becomes an action.
fn finish(read: Open, found: &mut Collected) {
    let call = match &read {
        Open::Said(Role::Assistant, text) => call_of(text.trim_end()),
        _ => None,
    };
    match call {
        Some(("Bash", line)) => found.act(None, actions::command("Bash", line)),
        Some((tool @ ("Update" | "Edit" | "Write" | "Create"), path)) => {
            found.act(None, actions::edit(tool, path, ""));
        }
        Some((tool, arguments)) => found.act(None, actions::other(tool, arguments)),
        None => read.close(found),
    }
}

/// Splits a call such as `Bash(cargo build)` into its name and its arguments.
fn call_of(text: &str) -> Option<(&str, &str)> {
    let (tool, arguments) = text.strip_suffix(')')?.split_once('(')?;
    let is_name = tool.starts_with(char::is_uppercase) && tool.chars().all(char::is_alphanumeric);
    is_name.then_some((tool, arguments))
}

fn is_failure(output: &str) -> bool {
    output.starts_with("Error")
}

fn marked<'a>(line: &'a str, marks: &[char]) -> Option<&'a str> {
    let rest = line.strip_prefix(marks)?;
    rest.strip_prefix([' ', '\u{a0}']).map(str::trim_start)
}
