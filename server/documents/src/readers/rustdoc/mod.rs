//! Reads rustdoc's JSON: one section for every documented item of the crate, under its path.
//!
//! The format depends on the compiler version; this reads only what all versions have in common, and skips what
//! is missing.

mod signature;
use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{
    ReadError,
    key_lines::KeyLines,
    markdown::{self, Dialect},
    writer::Writer,
};
use crate::document::Document;

/// Whether a JSON text was written by rustdoc.
pub(super) fn may_be(text: &str) -> bool {
    [
        "\"format_version\"",
        "\"index\"",
        "\"root\"",
        "\"external_crates\"",
    ]
    .iter()
    .all(|it| memchr::memmem::find(text.as_bytes(), it.as_bytes()).is_some())
}

/// Reads a crate.
///
/// *Errors*: [`ReadError`] if the JSON is invalid or has no index of items.
pub(super) fn read(text: &str) -> Result<Document, ReadError> {
    let data: Value = serde_json::from_str(text)
        .map_err(|it| ReadError::at(it.line(), format!("not valid JSON: {it}")))?;
    let version = data
        .get("format_version")
        .and_then(Value::as_u64)
        .unwrap_or(0);
    let index = data.get("index").and_then(Value::as_object);
    let root = data.get("root").and_then(key);
    let (Some(index), Some(root)) = (index, root) else {
        return Err(ReadError::new(format!(
            "rustdoc JSON of format {version} without an index of items"
        )));
    };
    let mut walk = Walk {
        index,
        lines: KeyLines::of(text),
        writer: Writer::default(),
        seen: HashSet::new(),
        todo: vec![(root, String::new(), 1)],
    };
    while let Some((id, parent, level)) = walk.todo.pop() {
        walk.item(&id, &parent, level);
    }
    Ok(walk.writer.finish())
}

struct Walk<'a> {
    index: &'a Map<String, Value>,
    lines: KeyLines,
    writer: Writer,
    seen: HashSet<String>,
    /// Items still to be read, the next one last: id, path of the parent, level.
    todo: Vec<(String, String, u8)>,
}

impl Walk<'_> {
    fn item(&mut self, id: &str, parent: &str, level: u8) {
        let Some(item) = self.index.get(id) else {
            return;
        };
        if !self.seen.insert(id.to_owned()) {
            return;
        }
        let (kind, inner) = kind(item);
        let name = item.get("name").and_then(Value::as_str);
        let path = match name {
            Some(name) if parent.is_empty() => name.to_owned(),
            Some(name) => format!("{parent}::{name}"),
            // An impl has no name: its items belong to its type.
            None => parent.to_owned(),
        };
        let trait_impl = inner.get("trait").is_some_and(|it| !it.is_null());
        if kind == "impl" && trait_impl || kind == "use" || kind == "import" {
            return;
        }
        let below = if name.is_some() && kind != "impl" {
            let line = self.lines.line(&["index", id]);
            let mut section = Writer::default();
            write(item, kind, (&path, level), &mut section);
            if level == 1 {
                self.writer.title(&heading(kind, &path, level));
            }
            self.writer.append(section, line);
            level.saturating_add(1)
        } else {
            level
        };
        // This is a stack: the last item that is pushed is read first.
        for child in children(kind, inner).into_iter().rev() {
            self.todo.push((
                child,
                path.clone(),
                below.min(if kind == "module" { 2 } else { 6 }),
            ));
        }
    }
}

/// Writes the section of an item, unless the item is undocumented.
fn write(item: &Value, kind: &str, (path, level): (&str, u8), writer: &mut Writer) {
    let docs = item.get("docs").and_then(Value::as_str).unwrap_or_default();
    let is_part = matches!(
        kind,
        "struct_field" | "variant" | "assoc_type" | "assoc_const"
    );
    if docs.trim().is_empty() && (is_part || kind == "module") {
        return;
    }
    writer.heading(0, level, &heading(kind, path, level), None);
    if let Some(signature) = signature::of(item) {
        writer.paragraph(0, &format!("`{signature}`"));
    }
    let mut inner = Writer::default();
    markdown::write(docs, 0, Dialect::default(), &mut inner);
    writer.append_below(inner, 0, level);
    if let Some(place) = defined_in(item) {
        writer.paragraph(0, &place);
    }
}

fn heading(kind: &str, path: &str, level: u8) -> String {
    let word = match kind {
        "function" | "method" => "Function",
        "struct_field" => "Field",
        "assoc_type" => "Type",
        "assoc_const" | "constant" => "Constant",
        "type_alias" | "typedef" => "Type alias",
        "proc_macro" | "macro" => "Macro",
        "module" if level == 1 => "Crate",
        other => other,
    };
    let mut label = word.to_owned();
    if let Some(first) = label.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    format!("{label} {path}")
}

/// Returns where the item is defined in the crate's source.
fn defined_in(item: &Value) -> Option<String> {
    let file = item.pointer("/span/filename")?.as_str()?;
    let line = item.pointer("/span/begin/0")?.as_u64()?;
    // Generated items and those of other crates are not in the crate's files.
    let is_own = !file.starts_with(['/', '<', '\\']) && !file.contains(':');
    is_own.then(|| format!("Defined in `{file}`, line {line}."))
}

/// Returns the kind and the contents of an item, in the format of any version.
fn kind(item: &Value) -> (&str, &Value) {
    let inner = item.get("inner").unwrap_or(&Value::Null);
    if let Some(kind) = item.get("kind").and_then(Value::as_str) {
        return (kind, inner);
    }
    let only = inner.as_object().and_then(|it| it.iter().next());
    only.map_or(("", inner), |(kind, inner)| (kind.as_str(), inner))
}

/// Returns the ids of the items in an item.
fn children(kind: &str, inner: &Value) -> Vec<String> {
    let mut out = Vec::new();
    let mut add = |list: Option<&Value>| {
        let ids = list.and_then(Value::as_array).into_iter().flatten();
        out.extend(ids.filter_map(key));
    };
    add(inner.get("items"));
    add(inner.get("variants"));
    add(inner.get("fields"));
    add(inner.pointer("/kind/plain/fields"));
    add(inner.pointer("/kind/struct/fields"));
    if kind != "trait" {
        add(inner.get("impls"));
    }
    out
}

/// Returns an id: a number in new versions, a string in old ones.
fn key(id: &Value) -> Option<String> {
    match id {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}
