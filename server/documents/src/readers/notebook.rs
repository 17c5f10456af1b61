//! Reads Jupyter notebooks: their Markdown and code cells, not their outputs.

use serde_json::Value;

use super::{
    ReadError,
    lines::Lines,
    markdown::{self, Dialect},
    writer::Writer,
};
use crate::document::Document;

/// Reads a notebook of format 3 or 4.
///
/// *Errors*: [`ReadError`] if the text is not a notebook.
pub(super) fn read(text: &str) -> Result<Document, ReadError> {
    let notebook: Value = serde_json::from_str(text)
        .map_err(|it| ReadError::at(it.line(), format!("not a notebook: not valid JSON: {it}")))?;
    let cells = notebook
        .get("cells")
        .or_else(|| notebook.pointer("/worksheets/0/cells"))
        .and_then(Value::as_array)
        .ok_or_else(|| ReadError::at(1, "not a notebook: it has no list of cells"))?;
    let language = language(&notebook);
    let starts = cell_lines(text);
    let mut writer = Writer::default();
    for (at, cell) in cells.iter().enumerate() {
        let line = starts.get(at).copied().unwrap_or(0);
        self::cell(cell, line, language, &mut writer);
    }
    Ok(writer.finish())
}

fn cell(cell: &Value, line: u32, language: &str, writer: &mut Writer) {
    let source = cell.get("source").or_else(|| cell.get("input"));
    let source = source.map(text_of).unwrap_or_default();
    match cell.get("cell_type").and_then(Value::as_str) {
        Some("markdown") => {
            // The lines of a cell are close together in the file: all get the number of its first line.
            let mut inner = Writer::default();
            markdown::write(&source, 0, Dialect::default(), &mut inner);
            writer.append(inner, line);
        }
        Some("heading") => {
            let level = cell.get("level").and_then(Value::as_u64).unwrap_or(1);
            writer.heading(line, u8::try_from(level).unwrap_or(6), &source, None);
        }
        Some("code") => {
            let magic = source.strip_prefix("%%").map(|it| {
                let (name, body) = it.split_once('\n').unwrap_or((it, ""));
                (name.split_whitespace().next().unwrap_or_default(), body)
            });
            match magic {
                Some((
                    name @ ("bash" | "sh" | "html" | "javascript" | "sql" | "latex" | "ruby" | "R"),
                    body,
                )) => {
                    writer.code(line, Some(name), body, None);
                }
                _ => writer.code(line, Some(language), &source, None),
            }
        }
        _ => {}
    }
}

/// Returns a text as notebooks store it: as a whole or line by line.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

fn language(notebook: &Value) -> &str {
    [
        "/metadata/language_info/name",
        "/metadata/kernelspec/language",
        "/worksheets/0/cells/0/language",
    ]
    .iter()
    .find_map(|it| notebook.pointer(it)?.as_str())
    .unwrap_or("python")
}

/// Returns the lines that contain `"cell_type"`: inside a cell's text the quotes would be escaped.
fn cell_lines(text: &str) -> Vec<u32> {
    let lines = Lines::of(text);
    memchr::memmem::find_iter(text.as_bytes(), "\"cell_type\"")
        .map(|it| lines.line(it))
        .collect()
}
