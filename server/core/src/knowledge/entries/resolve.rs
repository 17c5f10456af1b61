//! Finds the entry that an argument names, by its id or the beginning of it.

use std::sync::Arc;

use recall_kit_shared_types::{
    ErrorBody, ErrorCode, knowledge::knowledge_limits::MIN_PREFIX_CHARS,
};
use recall_kit_store::Projects;
use serde_json::json;
use ulid::Ulid;

use crate::{
    error::ServiceError, indexing::project_scope, knowledge::Knowledge, validation::refused,
};

/// The end of the message about a missing entry. It is for agents; commands replace it with advice for
/// the shell.
pub const HOW_TO_FIND: &str = "search for it with rekall_search";

/// The most entries that the error about an ambiguous beginning of an id names.
const CANDIDATES: u32 = 10;

/// Finds the entry that an argument names, by its id or the beginning of it; returns id and title.
/// Entries that the caller may not see count as missing, and do not make a beginning ambiguous.
///
/// *Errors*: `ENTRY_NOT_FOUND`; `VALIDATION_ERROR` for fewer than five characters, and for an ambiguous
/// beginning, with the candidates.
pub async fn resolve(
    knowledge: &Arc<Knowledge>,
    projects: &Projects,
    field: &str,
    id: &str,
) -> Result<(Ulid, String), ServiceError> {
    let prefix = crockford(id);
    if prefix.chars().count() < MIN_PREFIX_CHARS {
        let message = format!("{field} must be an entry's ULID or at least its first 5 characters");
        return Err(refused(ErrorCode::ValidationError, field, message).into());
    }
    let mut found = with_prefix(knowledge, projects, &prefix).await?;
    match found.len() {
        0 => Err(not_found(field, id)),
        1 => Ok(found.remove(0)),
        _ => Err(ambiguous(field, &prefix, &found).into()),
    }
}

/// Returns id and title of the visible entries whose ids have this prefix, ordered by id.
async fn with_prefix(
    knowledge: &Arc<Knowledge>,
    projects: &Projects,
    prefix: &str,
) -> Result<Vec<(Ulid, String)>, ServiceError> {
    if projects.is_all() {
        return Ok(knowledge
            .store
            .entries_with_prefix(prefix, CANDIDATES)
            .await?);
    }
    project_scope::refresh_labels(&knowledge.records, projects).await?;
    let visible = knowledge
        .labels
        .with_prefix(projects, prefix, CANDIDATES as usize);
    let mut titles = knowledge.store.entry_titles(&visible).await?;
    titles.sort_unstable_by_key(|(id, _)| *id);
    Ok(titles)
}

/// Converts typed text to the alphabet of ids. Source: ULID specification, Crockford's base 32.
pub(super) fn crockford(id: &str) -> String {
    let upper = id.trim().chars().flat_map(char::to_uppercase);
    upper
        .map(|c| match c {
            'I' | 'L' => '1',
            'O' => '0',
            other => other,
        })
        .collect()
}

/// Returns the error for a missing entry.
pub(super) fn not_found(field: &str, id: &str) -> ServiceError {
    let shown: String = id.chars().filter(|c| !c.is_control()).take(40).collect();
    let message = format!("Entry with ID '{shown}' not found; {HOW_TO_FIND}");
    refused(ErrorCode::EntryNotFound, field, message).into()
}

fn ambiguous(field: &str, prefix: &str, found: &[(Ulid, String)]) -> Box<ErrorBody> {
    let message = format!("Several entries begin with '{prefix}'; use more characters of one id");
    let mut body = refused(ErrorCode::ValidationError, field, message);
    let candidates = found.iter();
    let candidates = candidates.map(|(id, title)| json!({"id": id.to_string(), "title": title}));
    body.details = Some(json!({ "candidates": candidates.collect::<Vec<_>>() }));
    body
}
