//! Entries, links and suggestions as lines of an export.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use jiff::Timestamp;
use recall_kit_core::validation::{AddInput, validate_add};
use recall_kit_shared_types::knowledge::{EntryStatus, RelationType, SuggestionType};
use recall_kit_store::{
    Entry, EntryVectors, KnowledgeRecord, NewLink, NewSuggestion, StoredEntry, StoredNote,
    StoredSuggestion, SuggestionStatus,
};
use serde_json::json;
use ulid::Ulid;

use super::{Fields, LineError, append, shape};

pub(super) const ENTRY: &str = "entry";
pub(super) const LINK: &str = "link";
pub(super) const SUGGESTION: &str = "suggestion";
pub(super) const ENTRY_FIELDS: [&str; 23] = [
    "type",
    "id",
    "entry_type",
    "title",
    "content",
    "tags",
    "project",
    "context",
    "confidence",
    "memory_type",
    "status",
    "access_count",
    "popularity",
    "last_accessed",
    "created_at",
    "updated_at",
    "promoted_from",
    "note_path",
    "note_head",
    "note_updated_at",
    "vector",
    "context_vector",
    "citations",
];
pub(super) const LINK_FIELDS: [&str; 6] = [
    "type",
    "id",
    "source_id",
    "target_id",
    "relation_type",
    "created_at",
];
pub(super) const SUGGESTION_FIELDS: [&str; 9] = [
    "type",
    "id",
    "suggestion_type",
    "status",
    "entries",
    "score",
    "reason",
    "created_at",
    "decided_at",
];
/// The most entries of one suggestion, and the most characters of its reason.
const MOST: usize = 10_000;

/// Appends an entry as a line.
///
/// *Errors*: none for records of a database; `serde_json`'s in principle.
pub(crate) fn write_entry(record: &StoredEntry, out: &mut Vec<u8>) -> serde_json::Result<()> {
    let (entry, content) = (&record.entry, &record.entry.content);
    let note = record.note.as_ref();
    let vectors = record.vectors.as_ref();
    let context = vectors.and_then(|vectors| vectors.context.as_ref());
    let mut line = json!({
        "type": ENTRY,
        "id": entry.id.to_string(),
        "entry_type": content.kind,
        "title": content.title,
        "content": content.content,
        "tags": content.tags,
        "project": content.project,
        "context": content.context,
        "confidence": content.confidence,
        "memory_type": content.memory_type,
        "status": entry.status,
        "access_count": entry.access_count,
        "popularity": entry.popularity,
        "last_accessed": entry.last_accessed,
        "created_at": entry.created_at,
        "updated_at": entry.updated_at,
        "promoted_from": record.experience,
        "note_path": note.map(|note| &note.path),
        "note_head": note.map(|note| &note.head),
        "note_updated_at": note.map(|note| note.updated_at),
        "vector": vectors.map(|vectors| STANDARD.encode(&vectors.summary)),
        "context_vector": context.map(|context| STANDARD.encode(context)),
    });
    // Older programs refuse fields that they do not know.
    if !content.citations.is_empty() {
        line["citations"] = json!(content.citations);
    }
    append(&line, out)
}

/// Appends a link as a line.
///
/// *Errors*: as [`write_entry`].
pub(crate) fn write_link(link: &NewLink, out: &mut Vec<u8>) -> serde_json::Result<()> {
    let line = json!({
        "type": LINK,
        "id": link.id.to_string(),
        "source_id": link.source.to_string(),
        "target_id": link.target.to_string(),
        "relation_type": link.relation,
        "created_at": link.created_at,
    });
    append(&line, out)
}

/// Appends a suggestion as a line.
///
/// *Errors*: as [`write_entry`].
pub(crate) fn write_suggestion(
    record: &StoredSuggestion,
    out: &mut Vec<u8>,
) -> serde_json::Result<()> {
    let suggestion = &record.suggestion;
    let entries: Vec<String> = suggestion.entries.iter().map(Ulid::to_string).collect();
    let line = json!({
        "type": SUGGESTION,
        "id": suggestion.id.to_string(),
        "suggestion_type": suggestion.kind,
        "status": record.status.as_str(),
        "entries": entries,
        "score": suggestion.score,
        "reason": suggestion.reason,
        "created_at": suggestion.created_at,
        "decided_at": record.decided_at,
    });
    append(&line, out)
}

/// Reads an entry, and validates it like an addition.
pub(super) fn entry(mut fields: Fields) -> Result<KnowledgeRecord, LineError> {
    let id = fields.ulid("id")?;
    let status = fields.parsed::<EntryStatus>("status", "active or obsolete")?;
    let access_count = fields.count("access_count")?;
    // Older exports have no popularity.
    let popularity = fields.count_if_any("popularity")?.unwrap_or(access_count);
    let (created_at, updated_at) = (fields.time("created_at")?, fields.time("updated_at")?);
    let last_accessed = fields.time_if_any("last_accessed")?;
    let experience = match fields.text("promoted_from")? {
        Some(id) => Some(
            id.parse()
                .map_err(|_| shape("`promoted_from` must be a UUID"))?,
        ),
        None => None,
    };
    let (note, vectors) = (note(&mut fields, created_at)?, vectors(&mut fields)?);
    let input = AddInput {
        kind: fields.text("entry_type")?,
        title: fields.text("title")?,
        content: fields.text("content")?,
        tags: fields.texts("tags")?,
        context: fields.text("context")?,
        project: fields.text("project")?,
        confidence: fields.0.remove("confidence"),
        memory_type: fields.text("memory_type")?,
        citations: fields.0.remove("citations"),
        idempotency_key: None,
    };
    let addition = validate_add(input).map_err(|problems| LineError::Invalid(problems.into()));
    let content = addition?.content;
    Ok(KnowledgeRecord::Entry(Box::new(StoredEntry {
        entry: Entry {
            id,
            content,
            status,
            access_count,
            popularity,
            last_accessed,
            created_at,
            updated_at,
        },
        vectors,
        note,
        experience,
    })))
}

fn note(fields: &mut Fields, created_at: Timestamp) -> Result<Option<StoredNote>, LineError> {
    let (path, head) = (fields.text("note_path")?, fields.text("note_head")?);
    let updated_at = fields.time_if_any("note_updated_at")?.unwrap_or(created_at);
    let note = path.zip(head);
    Ok(note.map(|(path, head)| StoredNote {
        path,
        head,
        updated_at,
    }))
}

fn vectors(fields: &mut Fields) -> Result<Option<EntryVectors>, LineError> {
    let (summary, context) = (fields.bytes("vector")?, fields.bytes("context_vector")?);
    Ok(summary.map(|summary| EntryVectors { summary, context }))
}

/// Reads a link.
pub(super) fn link(mut fields: Fields) -> Result<KnowledgeRecord, LineError> {
    let relation = "related, supersedes, derived_from or contradicts";
    let link = NewLink {
        id: fields.ulid("id")?,
        source: fields.ulid("source_id")?,
        target: fields.ulid("target_id")?,
        relation: fields.parsed::<RelationType>("relation_type", relation)?,
        created_at: fields.time("created_at")?,
    };
    if link.source == link.target {
        return Err(shape("`target_id` must be another entry than `source_id`"));
    }
    Ok(KnowledgeRecord::Link(link))
}

/// Reads a suggestion.
pub(super) fn suggestion(mut fields: Fields) -> Result<KnowledgeRecord, LineError> {
    let kind = fields.parsed::<SuggestionType>("suggestion_type", "link or generalize")?;
    let status = match fields.text("status")?.as_deref() {
        Some("pending") => SuggestionStatus::Pending,
        Some("accepted") => SuggestionStatus::Accepted,
        Some("rejected") => SuggestionStatus::Rejected,
        _ => return Err(shape("`status` must be pending, accepted or rejected")),
    };
    let ids = fields.texts("entries")?.unwrap_or_default();
    let ids = ids.iter().map(|id| Ulid::from_string(id));
    let entries: Vec<Ulid> = ids
        .collect::<Result<_, _>>()
        .map_err(|_| shape("`entries` must be a list of ULIDs"))?;
    let has_valid_count = match kind {
        SuggestionType::Link => entries.len() == 2,
        SuggestionType::Generalize => (2..=MOST).contains(&entries.len()),
    };
    if !has_valid_count {
        return Err(shape(
            "`entries` must name two entries, or several to be generalised",
        ));
    }
    let score = fields.0.remove("score").and_then(|score| score.as_f64());
    let score = score.filter(|score| (0.0..=1.0).contains(score));
    let reason = fields.text("reason")?.unwrap_or_default();
    Ok(KnowledgeRecord::Suggestion(StoredSuggestion {
        suggestion: NewSuggestion {
            id: fields.ulid("id")?,
            kind,
            entries,
            score: score.ok_or_else(|| shape("`score` must be a number from 0 to 1"))?,
            reason: reason.chars().take(MOST).collect(),
            created_at: fields.time("created_at")?,
        },
        status,
        decided_at: fields.time_if_any("decided_at")?,
    }))
}

impl Fields {
    fn ulid(&mut self, name: &str) -> Result<Ulid, LineError> {
        let id = self.parsed::<Ulid>(name, "a ULID of 26 characters")?;
        match id.is_nil() {
            true => Err(shape(format!("`{name}` must not be the nil ULID"))),
            false => Ok(id),
        }
    }
}
