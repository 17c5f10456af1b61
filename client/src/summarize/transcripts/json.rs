//! Which tool a transcript in JSON is of, told by the shape of its first records.

use serde_json::{Value, value::RawValue};

use super::{
    TranscriptError, chatgpt, claude_code, cline, codex, collected::Collected, continue_dev,
    gemini, messages,
};

/// Lines among which one has to be of a known kind.
const GLANCE: usize = 200;

/// Says whether a line is of a kind.
type Knows = fn(&Value) -> bool;
/// Reads one record after another.
type ReadRecord = fn(&Value, &mut Collected);

/// Who knows a line, and who reads it.
const LINES: [(Knows, ReadRecord); 4] = [
    (codex::is_record, codex::read_record),
    (claude_code::is_record, claude_code::read_record),
    (gemini::is_record, gemini::read_message),
    (messages::is_record, messages::read_message),
];

/// Says whether a text begins as JSON does.
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
            // A session of one line is a document too.
            let found = document_of(&document).or_else(|| lines(text));
            found.ok_or(TranscriptError::Unknown)
        }
        Err(error) => lines(text).ok_or(TranscriptError::Damaged {
            line: error.line(),
            column: error.column(),
        }),
    }
}

/// Returns the conversations of an export, unread: a whole account may be in it.
fn conversations(text: &str) -> Option<Vec<&RawValue>> {
    if !text.starts_with('[') {
        return None;
    }
    let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    let first: Value = serde_json::from_str(items.first()?.get()).ok()?;
    chatgpt::is_conversation(&first).then_some(items)
}

/// Reads lines of JSON, damaged ones among them; nothing, where none is of a known kind.
fn lines(text: &str) -> Option<Collected> {
    let records = || {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.map(|line| serde_json::from_str::<Value>(line).ok())
    };
    let known = |record: &Value| LINES.into_iter().find(|(knows, _)| knows(record));
    let (_, read) = records()
        .take(GLANCE)
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
            let begins_with = |list: &[Value], knows: fn(&Value) -> bool| list.iter().any(knows);
            if chatgpt::is_conversation(document) {
                return Some(chatgpt::read(document));
            }
            // Gemini CLI's checkpoints of files have a history to show, and the one that was sent.
            if let Some(contents) = list("clientHistory").or_else(|| list("contents")) {
                return Some(gemini::read_contents(contents));
            }
            if let Some(history) = list("history") {
                return if begins_with(history, continue_dev::is_item) {
                    Some(continue_dev::read(history))
                } else if begins_with(history, gemini::is_content) {
                    Some(gemini::read_contents(history))
                } else {
                    None
                };
            }
            let sent = list("messages")?;
            if begins_with(sent, gemini::is_record) {
                Some(list_of(sent, gemini::read_message))
            } else if begins_with(sent, messages::is_record) {
                Some(list_of(sent, messages::read_message))
            } else {
                None
            }
        }
        _ => None,
    }
}
