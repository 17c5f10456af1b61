//! Reads fields of foreign JSON, and lines of it.

use std::path::Path;

use serde_json::Value;

use crate::{ReadError, read_text, time};

/// Reads a file with one JSON value.
pub(crate) fn read_document(path: &Path, source_name: &'static str) -> Result<Value, ReadError> {
    let text = read_text(path, source_name)?;
    serde_json::from_str(&text).map_err(|error| damaged(path, source_name, &error))
}

/// Reads a file with one JSON value, or with an object on each line; `None` for a damaged line.
pub(crate) fn read_values(
    path: &Path,
    source_name: &'static str,
) -> Result<Vec<Option<Value>>, ReadError> {
    let text = read_text(path, source_name)?;
    let error = match serde_json::from_str(&text) {
        Ok(value) => return Ok(vec![Some(value)]),
        Err(error) => error,
    };
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let values: Vec<Option<Value>> = lines.map(|line| serde_json::from_str(line).ok()).collect();
    match values.first() {
        Some(Some(Value::Object(_))) => Ok(values),
        _ => Err(damaged(path, source_name, &error)),
    }
}

fn damaged(path: &Path, source_name: &'static str, error: &serde_json::Error) -> ReadError {
    ReadError::Format {
        path: path.to_owned(),
        source_name,
        // serde's message may quote the file.
        reason: match error.is_eof() {
            true => "the JSON ends in the middle: only half of it was written".to_owned(),
            false => format!(
                "the JSON has an error at line {} column {}",
                error.line(),
                error.column()
            ),
        },
    }
}

/// Returns a text that is not blank.
pub(crate) fn text(value: &Value, key: &str) -> Option<String> {
    let text = match value.get(key)? {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    Some(text).filter(|text| !text.trim().is_empty())
}

/// Returns the texts of a list: a JSON list, one that is written in a text, or parts of a text that are
/// separated by commas.
pub(crate) fn texts(value: &Value, key: &str) -> Vec<String> {
    let items = match value.get(key) {
        Some(Value::Array(items)) => items.clone(),
        Some(Value::String(text)) => match serde_json::from_str(text) {
            Ok(Value::Array(items)) => items,
            _ => return parts(text),
        },
        _ => return Vec::new(),
    };
    let texts = items.iter().filter_map(Value::as_str).map(str::trim);
    texts
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
        .collect()
}

fn parts(text: &str) -> Vec<String> {
    let parts = text.split(',').map(str::trim);
    parts
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Returns a time, which is written as a text or as seconds or milliseconds since 1970.
pub(crate) fn time(value: &Value, key: &str) -> Option<String> {
    match value.get(key)? {
        Value::Number(number) => time::of_epoch(number.as_f64()?),
        Value::String(text) => time::of_text(text),
        _ => None,
    }
}
