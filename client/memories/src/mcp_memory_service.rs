//! mcp-memory-service: memories in SQLite, and its JSON export.
//!
//! Format: version 12.4.0, `storage/mixins/migrations.py` and `storage/migrations/*.sql` (table `memories`),
//! `sync/exporter.py` (export). The tables with the vectors need an extension of SQLite and are not read.

use std::path::{Path, PathBuf};

use recall_kit_shared_types::knowledge::EntryType;
use serde_json::Value;

use crate::{
    Base, Body, ReadError, Reading, Record, Source,
    database::{Database, Table, is_database},
    json, one_line,
    words::kind_of,
};

pub(crate) struct McpMemoryService;

const NAME: &str = "mcp-memory-service";
const MEMORIES: Table = Table {
    name: "memories",
    needed: &["content_hash", "content"],
    optional: &[
        "id",
        "tags",
        "memory_type",
        "metadata",
        "created_at",
        "updated_at",
        "created_at_iso",
        "updated_at_iso",
        "deleted_at",
        "parent_id",
        "version",
        "confidence",
        "last_accessed",
        "superseded_by",
        "embedding_pending",
        "store",
    ],
};

impl Source for McpMemoryService {
    fn name(&self) -> &'static str {
        NAME
    }

    fn places(&self, base: &Base) -> Vec<PathBuf> {
        const FILE: &str = "sqlite_vec.db";
        if let Some(path) = (base.variable)("MCP_MEMORY_SQLITE_PATH") {
            return vec![PathBuf::from(path)];
        }
        if let Some(folder) = (base.variable)("MCP_MEMORY_BASE_DIR") {
            return vec![Path::new(&folder).join(FILE)];
        }
        let folders = [
            ".local/share/mcp-memory",
            "Library/Application Support/mcp-memory",
            "AppData/Local/mcp-memory",
        ];
        let places = folders.iter().map(|it| base.home.join(it).join(FILE));
        places.collect()
    }

    fn read(&self, path: &Path) -> Result<Reading, ReadError> {
        let mut found = Reading::default();
        let memories = match is_database(path) {
            true => Database::open(path, NAME)?.rows(&MEMORIES, &mut found)?,
            false => exported(path)?,
        };
        for memory in &memories {
            read_memory(memory, &mut found);
        }
        Ok(found)
    }
}

fn exported(path: &Path) -> Result<Vec<Value>, ReadError> {
    let document = json::read_document(path, NAME)?;
    let memories = document.get("memories").and_then(Value::as_array);
    memories.cloned().ok_or_else(|| ReadError::Format {
        path: path.to_owned(),
        source_name: NAME,
        reason: "it is neither a database nor an export with `memories`".to_owned(),
    })
}

fn read_memory(memory: &Value, found: &mut Reading) {
    let hash = json::text(memory, "content_hash").unwrap_or_default();
    // The service itself shows the beginning of the hash.
    let id: String = hash.chars().take(16).collect();
    if memory.get("deleted_at").is_some_and(|it| !it.is_null()) {
        return found.skip(id, "it was deleted there");
    }
    if json::text(memory, "superseded_by").is_some() {
        return found.skip(id, "a newer memory replaces it there");
    }
    let Some(content) = json::text(memory, "content") else {
        return found.skip(id, "it has no text");
    };
    let word = json::text(memory, "memory_type").unwrap_or_default();
    let written = json::time(memory, "created_at").or(json::time(memory, "created_at_iso"));
    let confidence = memory.get("confidence").and_then(Value::as_f64);
    let mut record = Record {
        written_at: written,
        tags: json::texts(memory, "tags"),
        ..Record::entry(
            id,
            &one_line(&content),
            kind_of(&word).unwrap_or(EntryType::Reference),
            content,
        )
    };
    if let Body::Entry { confidence: of, .. } = &mut record.body {
        // Theirs is 0–1, and 1 unless something lowered it.
        *of = confidence
            .filter(|it| (0.0..1.0).contains(it))
            .map(|it| (it * 5.0).round() as u8);
    }
    found.records.push(record);
}
