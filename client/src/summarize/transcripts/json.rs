//! Reads transcripts in JSON, and recognizes their tool by the shape of the first records.

use serde_json::{Value, value::RawValue};

use super::{
    TranscriptError, chatgpt, claude_code, cline, codex, collected::Collected, continue_dev,
    gemini, messages,
};

/// The number of lines that are searched for a record of a known kind.
const MAX_LINES: usize = 200;

/// Returns whether a record is of a kind.
type IsRecord = fn(&Value) -> bool;
/// Reads one record.
type ReadRecord = fn(&Value, &mut Collected);

/// The tests for the kinds of lines, and their readers.
const LINES: [(IsRecord, ReadRecord); 4] = [
    (codex::is_record, codex::read_record),
    (claude_code::is_record, claude_code::read_record),
    (gemini::is_record, gemini::read_message),
    (messages::is_record, messages::read_message),
];

/// Returns whether a text begins like JSON.
pub(super) fn looks_like_json(text: &str) -> bool {
    let mut chars = text.chars();
    let first = chars.next();
    let second = chars.find(|c| !c.is_whitespace());
    match first {
        Some('{') => matches!(second, Some('"' | '}')),
        Some('[') => matches!(second, Some('{' | '[' | ']' | '"')),
        _ => false,
    }
}

/// Reads a transcript in JSON or in lines of JSON.
pub(super) fn read(text: &str) -> Result<Collected, TranscriptError> {
    if let Some(exported) = conversations(text) {
        return chatgpt::read_all(&exported);
    }
    match serde_json::from_str(text) {
        Ok(document) => {
            // A session with a single line is also a document.
            let found = document_of(&document).or_else(|| lines(text));
            found.ok_or(TranscriptError::Unknown)
        }
        Err(error) => lines(text).ok_or(TranscriptError::Damaged {
            line: error.line(),
            column: error.column(),
        }),
    }
}

/// Returns the conversations of an export without parsing them: it may contain all those of an account.
fn conversations(text: &str) -> Option<Vec<&RawValue>> {
    if !text.starts_with('[') {
        return None;
    }
    let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    let first: Value = serde_json::from_str(items.first()?.get()).ok()?;
    chatgpt::is_conversation(&first).then_some(items)
}

/// Reads lines of JSON, some of which may be damaged; `None` if no line is of a known kind.
fn lines(text: &str) -> Option<Collected> {
    let records = || {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.map(|line| serde_json::from_str::<Value>(line).ok())
    };
    let known = |record: &Value| LINES.into_iter().find(|(is_record, _)| is_record(record));
    let (_, read) = records()
        .take(MAX_LINES)
        .flatten()
        .find_map(|record| known(&record))?;
    let mut found = Collected::default();
    for record in records() {
        match record {
            Some(record) => read(&record, &mut found),
            None => found.skip(),
        }
    }
    Some(found)
}

/// Reads the records of a list.
fn list_of(records: &[Value], read: ReadRecord) -> Collected {
    let mut found = Collected::default();
    for record in records {
        read(record, &mut found);
    }
    found
}

fn document_of(document: &Value) -> Option<Collected> {
    match document {
        Value::Array(items) => {
            let item = items.iter().find(|item| item.is_object())?;
            if cline::is_shown(item) {
                Some(cline::read_shown(items))
            } else if gemini::is_content(item) {
                Some(gemini::read_contents(items))
            } else if messages::is_record(item) {
                Some(list_of(items, messages::read_message))
            } else {
                None
            }
        }
        Value::Object(fields) => {
            let list = |key: &str| fields.get(key).and_then(Value::as_array);
            let contains = |list: &[Value], test: fn(&Value) -> bool| list.iter().any(test);
            if chatgpt::is_conversation(document) {
                return Some(chatgpt::read(document));
            }
            // Gemini CLI's checkpoints of files have a displayed history and the one that was sent.
            if let Some(contents) = list("clientHistory").or_else(|| list("contents")) {
                return Some(gemini::read_contents(contents));
            }
            if let Some(history) = list("history") {
                return if contains(history, continue_dev::is_item) {
                    Some(continue_dev::read(history))
                } else if contains(history, gemini::is_content) {
                    Some(gemini::read_contents(history))
                } else {
                    None
                };
            }
            let sent = list("messages")?;
            if contains(sent, gemini::is_record) {
                Some(list_of(sent, gemini::read_message))
            } else if contains(sent, messages::is_record) {
                Some(list_of(sent, messages::read_message))
            } else {
                None
            }
        }
        _ => None,
    }
}
