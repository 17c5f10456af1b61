//! Detects whether an agent has just solved a problem, by the last turn of a Claude Code transcript, which has one
//! JSON object per line. Only the end of a transcript is read.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::Path,
};

use serde_json::Value;

/// The tool with which agents share; if it was used, no offer is needed.
const SHARE: &str = "share_experience";

/// The maximum size of the part of a transcript that is read. *Unit*: bytes.
const MAX_BYTES: u64 = 4 << 20;

/// Reads the last turn of a transcript; `None` if it cannot be read.
pub(super) fn read(transcript: &Path) -> Option<Turn> {
    Some(Turn::of(&end_of(transcript).ok()?))
}

/// Reads the end of a file, from the start of a line.
fn end_of(path: &Path) -> io::Result<String> {
    if !path.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut file = File::open(path)?;
    let skipped = file.metadata()?.len().saturating_sub(MAX_BYTES);
    file.seek(SeekFrom::Start(skipped))?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(match skipped {
        0 => text.into_owned(),
        _ => text.split_once('\n').unwrap_or_default().1.to_owned(),
    })
}

/// What happened since the user's last message.
#[derive(Debug, Default)]
pub(super) struct Turn {
    /// The calls of commands that have no result yet.
    commands: Vec<String>,
    has_failed: bool,
    last_failed: Option<bool>,
    has_shared: bool,
}

impl Turn {
    /// Reads the last turn of a transcript's text.
    pub(super) fn of(transcript: &str) -> Self {
        let mut turn = Self::default();
        for line in transcript.lines() {
            if let Ok(entry) = serde_json::from_str::<Value>(line) {
                turn.add(&entry);
            }
        }
        turn
    }

    /// Returns whether the agent shared something.
    pub(super) fn has_shared(&self) -> bool {
        self.has_shared
    }

    /// Returns whether a command failed, the last command succeeded, and nothing was shared.
    pub(super) fn is_solved(&self) -> bool {
        self.has_failed && self.last_failed == Some(false) && !self.has_shared
    }

    fn add(&mut self, entry: &Value) {
        let content = entry.pointer("/message/content");
        let blocks = content.and_then(Value::as_array);
        let text = |block: &Value, name: &str| {
            let text = block.get(name).and_then(Value::as_str);
            text.unwrap_or_default().to_owned()
        };
        let is_of = |kind: &str| entry.get("type").and_then(Value::as_str) == Some(kind);
        let is_meta = entry.get("isMeta") == Some(&true.into());
        let has_results = blocks
            .into_iter()
            .flatten()
            .any(|block| text(block, "type") == "tool_result");
        if is_of("user") && !is_meta && !has_results && content.is_some() {
            *self = Self::default();
        }
        for block in blocks.into_iter().flatten() {
            match text(block, "type").as_str() {
                "tool_use" if text(block, "name") == "Bash" => {
                    self.commands.push(text(block, "id"));
                }
                "tool_use" => self.has_shared |= text(block, "name").ends_with(SHARE),
                "tool_result" => self.end(&text(block, "tool_use_id"), block),
                _ => {}
            }
        }
    }

    fn end(&mut self, id: &str, result: &Value) {
        let Some(at) = self.commands.iter().position(|command| command == id) else {
            return;
        };
        self.commands.swap_remove(at);
        let failed = result.get("is_error") == Some(&true.into());
        self.has_failed |= failed;
        self.last_failed = Some(failed);
    }
}
