//! Conversations between a person and an agent, read from the files that agents keep.
//!
//! What is read is what was said: nothing is sanitized here, so a [`Conversation`] stays on this
//! machine. [`crate::RecallKitClient::summarize`] cleans it before anything looks at it.

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

/// The most bytes of a transcript; exports of a whole account are this large.
pub const MAX_TRANSCRIPT_BYTES: usize = 256 << 20;

/// What a person and an agent said and did, as it was written, secrets included; `Debug` shows sizes
/// alone.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Conversation {
    pub(crate) turns: Vec<Turn>,
    /// What can be said about the reading.
    pub(crate) reading: Reading,
}

/// What could not be read of a transcript.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reading {
    /// Lines or records that are damaged, or of a kind that is not known.
    pub skipped: usize,
    /// Texts that were left out because they, or all of them together, are too long.
    pub left_out: usize,
    /// Other conversations in the same file, of which the latest was taken.
    pub others: usize,
}

/// What one side said and did before the other side spoke.
#[derive(Clone, PartialEq, Eq)]
pub struct Turn {
    /// Who spoke.
    pub role: Role,
    /// What was said.
    pub text: String,
    /// What was done besides.
    pub actions: Vec<Action>,
}

/// Who speaks in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The person.
    User,
    /// The agent.
    Assistant,
}

/// Something the agent did with a tool.
#[derive(Clone, PartialEq, Eq)]
pub struct Action {
    /// The tool's name.
    pub tool: String,
    /// What kind of thing it is.
    pub kind: ActionKind,
    /// The command line, the file and its change, or the arguments as JSON.
    pub input: String,
    /// What came back, where the transcript has it.
    pub output: Option<String>,
    /// Whether the transcript calls it a failure.
    pub failed: bool,
}

/// What kind of thing a tool call is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionKind {
    /// A command line for a shell.
    Command,
    /// A change of a file.
    Edit,
    /// Anything else: reading, searching.
    Other,
}

/// Why a text is no conversation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TranscriptError {
    /// Nobody says anything in it.
    #[error("the conversation is empty")]
    Empty,
    /// It is not text.
    #[error("this is not a text file")]
    NotText,
    /// It is longer than [`MAX_TRANSCRIPT_BYTES`].
    #[error("the conversation is longer than {} MiB", MAX_TRANSCRIPT_BYTES >> 20)]
    TooLong,
    /// It begins as JSON and breaks off or goes wrong.
    #[error("the conversation is damaged JSON: it goes wrong at line {line} column {column}")]
    Damaged {
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
    },
    /// The program is about to end.
    #[error("reading the conversation was stopped")]
    Stopped,
    /// It is JSON, but not of a tool that is known.
    #[error("this JSON is not a conversation of a known tool")]
    Unknown,
}

impl TranscriptError {
    /// Returns what the person can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Empty | Self::NotText | Self::Unknown => {
                "give a session file of Claude Code, Cline, Continue, Codex or Gemini CLI, \
                 ChatGPT's conversations.json, or plain text"
            }
            Self::Stopped => "try again",
            Self::TooLong => "give the session that solved the problem alone",
            Self::Damaged { .. } => "export it again, or give the part that matters as plain text",
        }
    }
}

impl Conversation {
    /// Reads a conversation and finds out of which tool it is: Claude Code, Cline, Continue, Codex,
    /// Gemini CLI, a ChatGPT export, or plain text with or without `User:` and `Assistant:`.
    ///
    /// Damaged lines and records are skipped and counted; see [`Conversation::reading`].
    ///
    /// *Errors*: [`TranscriptError`], where nothing in it is a conversation.
    pub fn read(text: &str) -> Result<Self, TranscriptError> {
        if text.len() > MAX_TRANSCRIPT_BYTES {
            return Err(TranscriptError::TooLong);
        }
        if text.contains('\0') {
            return Err(TranscriptError::NotText);
        }
        // Editors on Windows put a byte order mark in front.
        let text = text.trim_start_matches('\u{feff}').trim();
        let collected = match json::looks_like_json(text) {
            true => json::read(text)?,
            false if screen::is_screen(text) => screen::read(text),
            false => plain::read(text),
        };
        Self::of(collected)
    }

    /// Makes a conversation of turns that the caller has.
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

    /// Returns the turns, in their order.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// Says what could not be read.
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
    /// Returns the length of everything in it.
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
    /// Returns the length of everything in it.
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
