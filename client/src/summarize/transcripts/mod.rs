//! Reads conversations between a person and an agent from the files that agents write.
//!
//! Nothing is sanitized here, so a [`Conversation`] stays on this machine.
//! [`crate::RecallKitClient::summarize`] sanitizes it before it does anything else.

mod actions;
mod chatgpt;
mod claude_code;
mod cline;
mod codex;
mod collected;
mod continue_dev;
mod gemini;
mod json;
mod messages;
mod noise;
mod plain;
mod screen;
#[cfg(test)]
mod tests;

use std::fmt;

use collected::Collected;

/// The maximum size of a transcript; exports of a whole account can be this large. *Unit*: bytes.
pub const MAX_TRANSCRIPT_BYTES: usize = 256 << 20;

/// The messages and actions of a person and an agent, unchanged and possibly with secrets. `Debug` shows only
/// sizes.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Conversation {
    pub(crate) turns: Vec<Turn>,
    /// What could not be read.
    pub(crate) reading: Reading,
}

/// What could not be read of a transcript.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reading {
    /// The number of lines or records that are damaged or of an unknown kind.
    pub skipped: usize,
    /// The number of texts that were left out because they, or all of them together, are too long.
    pub left_out: usize,
    /// The number of other conversations in the same file; the latest one is read.
    pub others: usize,
}

/// The messages and actions of one side until the other side continues.
#[derive(Clone, PartialEq, Eq)]
pub struct Turn {
    /// The side.
    pub role: Role,
    /// The text.
    pub text: String,
    /// The actions.
    pub actions: Vec<Action>,
}

/// A side of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The person.
    User,
    /// The agent.
    Assistant,
}

/// A tool call of the agent.
#[derive(Clone, PartialEq, Eq)]
pub struct Action {
    /// The tool's name.
    pub tool: String,
    /// The kind of action.
    pub kind: ActionKind,
    /// The command line, the file and its change, or the arguments as JSON.
    pub input: String,
    /// The output, if the transcript contains it.
    pub output: Option<String>,
    /// Whether the transcript marks it as failed.
    pub failed: bool,
}

/// The kind of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// A command line for a shell.
    Command,
    /// A change of a file.
    Edit,
    /// Anything else: reading, searching.
    Other,
}

/// Why a text cannot be read as a conversation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TranscriptError {
    /// It contains no messages.
    #[error("the conversation is empty")]
    Empty,
    /// It is not text.
    #[error("this is not a text file")]
    NotText,
    /// It is longer than [`MAX_TRANSCRIPT_BYTES`].
    #[error("the conversation is longer than {} MiB", MAX_TRANSCRIPT_BYTES >> 20)]
    TooLong,
    /// It begins like JSON, but is incomplete or has an error.
    #[error("the conversation is damaged JSON: error at line {line} column {column}")]
    Damaged {
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
    },
    /// The program is about to end.
    #[error("reading the conversation was stopped")]
    Stopped,
    /// It is JSON, but not of a known tool.
    #[error("this JSON is not a conversation of a known tool")]
    Unknown,
}

impl TranscriptError {
    /// Returns what the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Empty | Self::NotText | Self::Unknown => {
                "give a session file of Claude Code, Cline, Continue, Codex or Gemini CLI, \
                 ChatGPT's conversations.json, or plain text"
            }
            Self::Stopped => "try again",
            Self::TooLong => "give only the session that solved the problem",
            Self::Damaged { .. } => "export it again, or give the part that matters as plain text",
        }
    }
}

impl Conversation {
    /// Reads a conversation and detects its format: Claude Code, Cline, Continue, Codex,
    /// Gemini CLI, a ChatGPT export, or plain text with or without `User:` and `Assistant:`.
    ///
    /// Damaged lines and records are skipped and counted; see [`Conversation::reading`].
    ///
    /// *Errors*: [`TranscriptError`], if the text contains no conversation.
    pub fn read(text: &str) -> Result<Self, TranscriptError> {
        if text.len() > MAX_TRANSCRIPT_BYTES {
            return Err(TranscriptError::TooLong);
        }
        if text.contains('\0') {
            return Err(TranscriptError::NotText);
        }
        // Editors on Windows add a byte order mark.
        let text = text.trim_start_matches('\u{feff}').trim();
        let collected = match json::looks_like_json(text) {
            true => json::read(text)?,
            false if screen::is_screen(text) => screen::read(text),
            false => plain::read(text),
        };
        Self::of(collected)
    }

    /// Creates a conversation from the caller's turns.
    ///
    /// *Errors*: [`TranscriptError::Empty`].
    pub fn from_turns(turns: Vec<Turn>) -> Result<Self, TranscriptError> {
        Self::of(Collected::of(turns))
    }

    fn of(collected: Collected) -> Result<Self, TranscriptError> {
        let (turns, reading) = collected.finish();
        match turns.is_empty() {
            true => Err(TranscriptError::Empty),
            false => Ok(Self { turns, reading }),
        }
    }

    /// Returns the turns in order.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// Returns what could not be read.
    pub fn reading(&self) -> Reading {
        self.reading
    }
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes: usize = self.turns.iter().map(Turn::bytes).sum();
        f.debug_struct("Conversation")
            .field("turns", &self.turns.len())
            .field("bytes", &bytes)
            .field("reading", &self.reading)
            .finish()
    }
}

impl Turn {
    /// Returns the size of its texts. *Unit*: bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len() + self.actions.iter().map(Action::bytes).sum::<usize>()
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn")
            .field("role", &self.role)
            .field("text", &self.text.len())
            .field("actions", &self.actions)
            .finish()
    }
}

impl Action {
    /// Returns the size of its texts. *Unit*: bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.tool.len() + self.input.len() + self.output.as_ref().map_or(0, String::len)
    }
}

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Action")
            .field("kind", &self.kind)
            .field("input", &self.input.len())
            .field("output", &self.output.as_ref().map(String::len))
            .field("failed", &self.failed)
            .finish_non_exhaustive()
    }
}
