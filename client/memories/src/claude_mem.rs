//! claude-mem: observations and summaries of sessions in SQLite, and its JSON export.
//!
//! Format: version 13.25.3, `plugin/sqlite/SessionStore.js` (tables `observations`, `session_summaries`) and
//! `scripts/export-memories.ts` (export). A repaired bug becomes an experience, anything else an entry.
//! Prompts and sessions are no knowledge, so they are not read.

use std::path::{Path, PathBuf};

use recall_kit_shared_types::knowledge::EntryType;
use serde_json::Value;

use crate::{
    Base, Body, ReadError, Reading, Record, Source,
    database::{Database, Table, is_database},
    json, one_line,
    words::kind_of,
};

pub(crate) struct ClaudeMem;

const NAME: &str = "claude-mem";
const OBSERVATIONS: Table = Table {
    name: "observations",
    needed: &["id", "project", "type"],
    optional: &[
        "memory_session_id",
        "text",
        "title",
        "subtitle",
        "facts",
        "narrative",
        "concepts",
        "files_read",
        "files_modified",
        "prompt_number",
        "discovery_tokens",
        "created_at",
        "created_at_epoch",
        "content_hash",
        "agent_type",
        "agent_id",
        "merged_into_project",
        "generated_by_model",
        "relevance_count",
        "metadata",
        "synced_at",
        "origin_device_id",
        "origin_local_id",
        "sync_rev",
    ],
};
const SUMMARIES: Table = Table {
    name: "session_summaries",
    needed: &["id", "project"],
    optional: &[
        "memory_session_id",
        "request",
        "investigated",
        "learned",
        "completed",
        "next_steps",
        "files_read",
        "files_edited",
        "notes",
        "prompt_number",
        "discovery_tokens",
        "created_at",
        "created_at_epoch",
        "merged_into_project",
        "synced_at",
        "origin_device_id",
        "origin_local_id",
        "sync_rev",
    ],
};

impl Source for ClaudeMem {
    fn name(&self) -> &'static str {
        NAME
    }

    fn places(&self, base: &Base) -> Vec<PathBuf> {
        let folder = base.named_or("CLAUDE_MEM_DATA_DIR", ".claude-mem");
        vec![folder.join("claude-mem.db")]
    }

    fn read(&self, path: &Path) -> Result<Reading, ReadError> {
        let mut found = Reading::default();
        let (observations, summaries) = if is_database(path) {
            let database = Database::open(path, NAME)?;
            let observations = database.rows(&OBSERVATIONS, &mut found)?;
            (observations, database.rows(&SUMMARIES, &mut found)?)
        } else {
            let document = json::read_document(path, NAME)?;
            let list = |key: &str| document.get(key).and_then(Value::as_array).cloned();
            let observations = list("observations").ok_or_else(|| ReadError::Format {
                path: path.to_owned(),
                source_name: NAME,
                reason: "it is neither a database nor an export with `observations`".to_owned(),
            })?;
            (observations, list("summaries").unwrap_or_default())
        };
        for observation in &observations {
            read_observation(observation, &mut found);
        }
        for summary in &summaries {
            read_summary(summary, &mut found);
        }
        Ok(found)
    }
}

fn read_observation(observation: &Value, found: &mut Reading) {
    let field = |key: &str| json::text(observation, key);
    let id = format!("observation {}", field("id").unwrap_or_default());
    let facts = json::texts(observation, "facts");
    let facts = facts.iter().map(|fact| format!("- {fact}"));
    let facts = facts.collect::<Vec<_>>().join("\n");
    let facts = Some(facts).filter(|facts| !facts.is_empty());
    let subtitle = field("subtitle");
    let text = field("narrative").or(field("text"));
    let Some(main) = text.clone().or(facts.clone()).or(subtitle.clone()) else {
        return found.skip(id, "it has no text");
    };
    let title = field("title").unwrap_or_else(|| one_line(&main));
    let word = field("type").unwrap_or_default();
    let parts = [subtitle.clone(), text.clone(), facts.clone()];
    let content = parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n");
    let kind = kind_of(&word).unwrap_or(EntryType::Reference);
    let mut record = common(Record::entry(id, &title, kind, content), observation);
    record.tags = json::texts(observation, "concepts");
    if let ("bugfix", Some(solution)) = (word.as_str(), text) {
        record.body = Body::Experience {
            problem: subtitle.unwrap_or(title),
            root_cause: None,
            solution,
            context: facts,
        };
    }
    found.records.push(record);
}

fn read_summary(summary: &Value, found: &mut Reading) {
    let field = |key: &str| json::text(summary, key);
    let id = format!("summary {}", field("id").unwrap_or_default());
    let parts = [
        ("Investigated", field("investigated")),
        ("Learned", field("learned")),
        ("Completed", field("completed")),
        ("Next steps", field("next_steps")),
        ("Notes", field("notes")),
    ];
    let parts = parts.into_iter().filter_map(|(label, text)| {
        let text = text?;
        Some(format!("{label}: {text}"))
    });
    let content = parts.collect::<Vec<_>>().join("\n\n");
    if content.is_empty() {
        return found.skip(id, "it has no text");
    }
    let title = field("request").unwrap_or_else(|| one_line(&content));
    let record = Record::entry(id, &title, EntryType::Reference, content);
    found.records.push(common(record, summary));
}

/// Adds the fields that observations and summaries share.
fn common(record: Record, value: &Value) -> Record {
    let written = json::time(value, "created_at").or(json::time(value, "created_at_epoch"));
    Record {
        written_at: written,
        project: json::text(value, "project"),
        ..record
    }
}
