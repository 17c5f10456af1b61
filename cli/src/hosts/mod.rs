//! The hosts whose hooks call this program: which events they have, what they tell a hook, and what they accept from
//! one.
//!
//! A payload names its event, and its shape tells which host sent it, so one command line serves every host and event.
//! An adapter reads one host's payload and writes its answer; it decides nothing.

mod claude_code;
mod codex;
mod copilot;
mod cursor;
mod fields;
mod gemini;
#[cfg(test)]
mod tests;
mod vs_code;
mod windsurf;

use std::{borrow::Cow, path::PathBuf};

use serde_json::Value;

/// What is known about a host's hooks.
#[derive(Debug)]
pub(crate) struct Host {
    /// Its name for people.
    pub(crate) name: &'static str,
    /// The events for which `init` writes a hook.
    pub(crate) events: &'static [Hook],
    /// Whether a payload is from this host.
    is_sender: fn(&Value) -> bool,
    /// Reads a payload; `None` if it is about nothing that matters here.
    pub(crate) input: fn(&Value) -> Option<Event>,
    /// Returns what the host reads from standard output; `None` if it takes no such answer to the event.
    pub(crate) output: fn(&Event, &Answer) -> Option<Value>,
    /// When the source was read, and the payloads in `tests/data/hooks` were written after it.
    pub(crate) verified_on: &'static str,
    /// The host's documentation or schemas.
    pub(crate) source: &'static str,
    /// A payload with which `doctor` asks whether the command in the host's settings works.
    pub(crate) self_test: &'static str,
}

impl Host {
    /// Returns its name as one word, for statistics: lower-case letters, digits and `-`.
    pub(crate) fn word(&self) -> String {
        self.name.to_lowercase().replace(' ', "-")
    }
}

/// An event for which `init` writes a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hook {
    /// The name of the event in the host's settings.
    pub(crate) event: &'static str,
    /// The tools for which the hook runs, as the host matches them.
    pub(crate) matcher: Option<&'static str>,
}

const fn hook(event: &'static str, matcher: Option<&'static str>) -> Hook {
    Hook { event, matcher }
}

/// What happened in a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    /// The name of the event, as the host expects it in the answer.
    pub(crate) name: String,
    /// The host's id of the session; without one nothing is remembered.
    pub(crate) session: Option<String>,
    /// The working directory.
    pub(crate) folder: Option<PathBuf>,
    /// The id of the tool call, which is the same for every hook that is told about it.
    pub(crate) call: Option<String>,
    pub(crate) moment: Moment,
}

/// The moments that matter here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Moment {
    /// A session began.
    Start,
    /// The user said something.
    Prompt(String),
    /// The agent ran a command.
    Command(Ran),
    /// The agent changed a file: its name and its new text.
    Edit(String),
    /// The agent's turn ended; with the transcript, if there is one.
    Stop(Option<PathBuf>),
}

/// A command that ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Ran {
    /// The command line; empty if the payload does not have it.
    pub(crate) line: String,
    pub(crate) output: String,
    pub(crate) status: Status,
}

/// The part of a text of a payload that is used, half of it from its beginning and half from its end. *Unit*: bytes.
const MAX_TEXT: usize = 256 << 10;

/// Returns the beginning and the end of a text that is longer than this number of bytes.
pub(crate) fn head_and_tail(text: &str, max_bytes: usize) -> Cow<'_, str> {
    if text.len() <= max_bytes {
        return Cow::Borrowed(text);
    }
    let half = max_bytes / 2;
    let (mut end, mut start) = (half, text.len() - half);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let [first, last] = [text.get(..end), text.get(start..)].map(Option::unwrap_or_default);
    Cow::Owned(format!("{first}\n{last}"))
}

/// What the host says about the end of a command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Status {
    Failed,
    /// The exit code was 0. A pipeline has the exit code of its last program, so an earlier one may have failed.
    Passed,
    #[default]
    Unknown,
}

impl Status {
    fn of_code(code: i64) -> Self {
        match code {
            0 => Self::Passed,
            _ => Self::Failed,
        }
    }
}

/// What the program has to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    /// For the agent.
    Context(String),
    /// One line for the user.
    Message(String),
}

/// The hosts. The sender of a payload is the first one whose `is_sender` accepts it, so hosts whose payloads have a
/// form of their own stand before those that share a form.
pub(crate) const HOSTS: [&Host; 7] = [
    &windsurf::HOST,
    &cursor::HOST,
    &gemini::HOST,
    &copilot::HOST,
    &vs_code::HOST,
    &codex::HOST,
    &claude_code::HOST,
];

pub(crate) use claude_code::HOST as CLAUDE_CODE;
pub(crate) use codex::HOST as CODEX;
pub(crate) use copilot::HOST as COPILOT;
pub(crate) use cursor::HOST as CURSOR;
pub(crate) use gemini::HOST as GEMINI;
pub(crate) use windsurf::HOST as WINDSURF;

/// Returns the host that sent a payload, and what it tells; `None` if that is nothing that matters here.
pub(crate) fn read(payload: &Value) -> Option<(&'static Host, Event)> {
    let host = sender(payload)?;
    let mut event = (host.input)(payload)?;
    match &mut event.moment {
        Moment::Prompt(text) | Moment::Edit(text) => shorten(text),
        Moment::Command(ran) => [&mut ran.line, &mut ran.output]
            .into_iter()
            .for_each(shorten),
        Moment::Start | Moment::Stop(_) => {}
    }
    Some((host, event))
}

fn shorten(text: &mut String) {
    if let Cow::Owned(short) = head_and_tail(text, MAX_TEXT) {
        *text = short;
    }
}

/// Returns the host that sent a payload.
fn sender(payload: &Value) -> Option<&'static Host> {
    HOSTS.into_iter().find(|host| (host.is_sender)(payload))
}
