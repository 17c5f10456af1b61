//! mem0: the history of its memories in SQLite, what `get_all()` returns, saved as JSON, and the two files in the
//! archive that OpenMemory exports.
//!
//! Format: version 2.2.1, `mem0/memory/storage.py` (table `history`) and `mem0/memory/main.py` (`get_all`);
//! `openmemory/api/app/routers/backup.py` at commit 54e275af (`memories.json`, and the lines of `memories.jsonl.gz`).
//! An export of the platform has the form that its user chose, so it cannot be read. The vector store has the memories,
//! too, but in the form of the chosen database; the history has the text of each change, of which the last one counts.

use std::path::{Path, PathBuf};

use recall_kit_shared_types::knowledge::EntryType;
use serde_json::Value;

use crate::{
    Base, ReadError, Reading, Record, Source,
    database::{Database, Table, is_database},
    json, one_line,
    words::kind_of,
};

pub(crate) struct Mem0;

const NAME: &str = "mem0";
const HISTORY: Table = Table {
    name: "history",
    needed: &["memory_id", "new_memory", "event"],
    optional: &[
        "id",
        "old_memory",
        "created_at",
        "updated_at",
        "is_deleted",
        "actor_id",
        "role",
    ],
};

impl Source for Mem0 {
    fn name(&self) -> &'static str {
        NAME
    }

    fn places(&self, base: &Base) -> Vec<PathBuf> {
        vec![base.named_or("MEM0_DIR", ".mem0").join("history.db")]
    }

    fn read(&self, path: &Path) -> Result<Reading, ReadError> {
        let mut found = Reading::default();
        if is_database(path) {
            let changes = Database::open(path, NAME)?.rows(&HISTORY, &mut found)?;
            read_history(&changes, &mut found);
            return Ok(found);
        }
        read_export(path, &mut found)?;
        Ok(found)
    }
}

fn read_export(path: &Path, found: &mut Reading) -> Result<(), ReadError> {
    let values = json::read_values(path, NAME)?;
    let (mut memories, mut categories) = (Vec::new(), Vec::new());
    match values.as_slice() {
        [Some(document)] if text_of(document).is_none() => {
            let mut list = ["results", "memories"].into_iter();
            let list = list.find_map(|key| document.get(key)).unwrap_or(document);
            let list = list.as_array().ok_or_else(|| ReadError::Format {
                path: path.to_owned(),
                source_name: NAME,
                reason: "it is neither a history, nor the result of get_all(), nor OpenMemory's memories.json"
                    .to_owned(),
            })?;
            memories.extend(list.iter().map(Some));
            let named = document.get("categories").and_then(Value::as_array);
            categories.extend(named.into_iter().flatten());
        }
        lines => memories.extend(lines.iter().map(Option::as_ref)),
    }
    for (number, memory) in (1..).zip(memories) {
        let Some(memory) = memory else {
            found.skip(format!("line {number}"), "it is damaged JSON");
            continue;
        };
        let id = json::text(memory, "id").unwrap_or_else(|| format!("number {number}"));
        let text = text_of(memory);
        let state = json::text(memory, "state").unwrap_or_default();
        match text {
            _ if state == "deleted" => found.skip(id, "it was deleted there"),
            _ if state == "archived" => found.skip(id, "it was archived there"),
            None => found.skip(id, "it has no text"),
            Some(text) => {
                let mut record = record(id, text, memory);
                let ids = json::texts(memory, "category_ids");
                let of_memory = categories.iter().filter(|category| {
                    json::text(category, "id").is_some_and(|id| ids.contains(&id))
                });
                record
                    .tags
                    .extend(of_memory.filter_map(|category| json::text(category, "name")));
                found.records.push(record);
            }
        }
    }
    Ok(())
}

/// Returns the text of a memory of mem0 or of OpenMemory.
fn text_of(memory: &Value) -> Option<String> {
    json::text(memory, "memory").or(json::text(memory, "content"))
}

/// Reads the last change of each memory.
fn read_history(changes: &[Value], found: &mut Reading) {
    let mut latest: Vec<(String, &Value)> = Vec::new();
    let mut places = std::collections::HashMap::new();
    for (number, change) in (1..).zip(changes) {
        let Some(id) = json::text(change, "memory_id") else {
            found.skip(format!("row {number}"), "it names no memory");
            continue;
        };
        let at = *places.entry(id.clone()).or_insert(latest.len());
        match latest.get_mut(at) {
            Some(earlier) => earlier.1 = change,
            None => latest.push((id, change)),
        }
    }
    for (id, change) in latest {
        let event = json::text(change, "event").unwrap_or_default();
        let is_deleted = change.get("is_deleted").and_then(Value::as_f64);
        if event.eq_ignore_ascii_case("DELETE") || is_deleted.is_some_and(|it| it != 0.0) {
            found.skip(id, "it was deleted there");
        } else if let Some(text) = json::text(change, "new_memory") {
            found.records.push(record(id, text, change));
        } else {
            found.skip(id, "it has no text");
        }
    }
}

fn record(id: String, text: String, memory: &Value) -> Record {
    let mut tags = json::texts(memory, "categories");
    let metadata = memory.get("metadata").unwrap_or(&Value::Null);
    tags.extend(
        ["category", "type"]
            .into_iter()
            .filter_map(|key| json::text(metadata, key)),
    );
    let kind = tags.iter().find_map(|tag| kind_of(tag));
    let written = json::time(memory, "updated_at").or(json::time(memory, "created_at"));
    Record {
        written_at: written,
        tags,
        ..Record::entry(
            id,
            &one_line(&text),
            kind.unwrap_or(EntryType::Reference),
            text,
        )
    }
}
