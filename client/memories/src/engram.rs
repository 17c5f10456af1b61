//! Engram by Gentleman-Programming: observations in SQLite, and its JSON export (`engram export`).
//!
//! Many projects have this name; this is the one with a documented local store that agents reach over MCP.
//! Format: `internal/store/store.go` at commit 0017445b (table `observations`, `ExportData`), and the
//! columns that its later migrations add. A repaired bug whose text says what and why becomes an
//! experience, anything else an entry. Prompts and sessions are no knowledge, so they are not read.

use std::path::{Path, PathBuf};

use recall_kit_shared_types::knowledge::EntryType;
use serde_json::Value;

use crate::{
    Base, Body, ReadError, Reading, Record, Source,
    database::{Database, Table, is_database},
    json, one_line,
    words::kind_of,
};

pub(crate) struct Engram;

const NAME: &str = "engram";
const OBSERVATIONS: Table = Table {
    name: "observations",
    needed: &["id", "type", "title", "content"],
    optional: &[
        "sync_id",
        "session_id",
        "tool_name",
        "project",
        "scope",
        "topic_key",
        "normalized_hash",
        "revision_count",
        "duplicate_count",
        "last_seen_at",
        "created_at",
        "updated_at",
        "deleted_at",
        "pinned",
        "review_after",
        "expires_at",
        "embedding",
        "embedding_model",
        "embedding_created_at",
    ],
};

impl Source for Engram {
    fn name(&self) -> &'static str {
        NAME
    }

    fn places(&self, base: &Base) -> Vec<PathBuf> {
        vec![
            base.named_or("ENGRAM_DATA_DIR", ".engram")
                .join("engram.db"),
        ]
    }

    fn read(&self, path: &Path) -> Result<Reading, ReadError> {
        let mut found = Reading::default();
        let observations = if is_database(path) {
            Database::open(path, NAME)?.rows(&OBSERVATIONS, &mut found)?
        } else {
            let document = json::read_document(path, NAME)?;
            let list = document.get("observations").and_then(Value::as_array);
            list.cloned().ok_or_else(|| ReadError::Format {
                path: path.to_owned(),
                source_name: NAME,
                reason: "it is neither a database nor an export with `observations`".to_owned(),
            })?
        };
        for observation in &observations {
            read_observation(observation, &mut found);
        }
        Ok(found)
    }
}

fn read_observation(observation: &Value, found: &mut Reading) {
    let field = |key: &str| json::text(observation, key);
    let id = field("sync_id").or(field("id")).unwrap_or_default();
    if field("deleted_at").is_some() {
        return found.skip(id, "it was deleted there");
    }
    let Some(content) = field("content") else {
        return found.skip(id, "it has no text");
    };
    let title = field("title").unwrap_or_else(|| one_line(&content));
    let word = field("type").unwrap_or_default();
    let mut record = Record {
        written_at: json::time(observation, "created_at"),
        project: field("project"),
        tags: [Some(word.clone()), field("topic_key")]
            .into_iter()
            .flatten()
            .filter(|tag| !tag.is_empty())
            .collect(),
        ..Record::entry(
            id,
            &title,
            kind_of(&word).unwrap_or(EntryType::Reference),
            content.clone(),
        )
    };
    if let ("bugfix", Some(body)) = (word.as_str(), experience(&content)) {
        record.body = body;
    }
    found.records.push(record);
}

/// Reads a repaired bug in the form that the program asks agents for: `**What**: … **Why**: …`.
fn experience(content: &str) -> Option<Body> {
    Some(Body::Experience {
        problem: labelled(content, "Why")?,
        root_cause: None,
        solution: labelled(content, "What")?,
        context: match (labelled(content, "Where"), labelled(content, "Learned")) {
            (Some(place), Some(learned)) => Some(format!("Where: {place}\nLearned: {learned}")),
            (place, learned) => place.or(learned),
        },
    })
}

/// Returns the text after a label, up to the next one.
fn labelled(content: &str, label: &str) -> Option<String> {
    let (_, after) = content.split_once(&format!("**{label}**:"))?;
    let mut end = after.len();
    for other in ["What", "Why", "Where", "Learned"] {
        end = end.min(after.find(&format!("**{other}**:")).unwrap_or(end));
    }
    let text = after.get(..end)?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
