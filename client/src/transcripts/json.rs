//! Which tool a JSON transcript is of, by the shape of its first records.

use serde_json::{Value, error::Category};

use super::{TranscriptError, claude_code, collected::Collected};

/// Lines among which one has to be a record that is known.
const GLANCE: usize = 200;

/// Says whether a text begins as JSON does.
pub(super) fn looks_like_json(text: &str) -> bool {
    let mut chars = text.chars();
    let first = chars.next();
    let second = chars.find(|c| !c.is_whitespace());
    match first {
        Some('{') => matches!(second, Some('"' | '}')),
        Some('[') => matches!(second, Some('{' | ']')),
        _ => false,
    }
}

/// Reads a transcript in JSON or in lines of JSON.
pub(super) fn read(text: &str) -> Result<Collected, TranscriptError> {
    if let Some(read) = lines(text) {
        return Ok(read);
    }
    let document: Value = serde_json::from_str(text).map_err(|error| match error.classify() {
        Category::Io | Category::Syntax | Category::Data | Category::Eof => {
            TranscriptError::Damaged {
                line: error.line(),
                column: error.column(),
            }
        }
    })?;
    let _ = document;
    Err(TranscriptError::Unknown)
}

/// Reads lines of JSON, damaged ones among them.
fn lines(text: &str) -> Option<Collected> {
    let records = || {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.map(|line| serde_json::from_str::<Value>(line).ok())
    };
    let claude = records()
        .take(GLANCE)
        .flatten()
        .any(|record| claude_code::is_record(&record));
    claude.then(|| claude_code::read(records()))
}
