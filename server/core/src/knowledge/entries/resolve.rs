//! Which entry an argument means: its id, or the beginning of it.

use std::sync::Arc;

use recall_kit_shared_types::{
    ErrorBody, ErrorCode, knowledge::knowledge_limits::MIN_PREFIX_CHARS,
};
use recall_kit_store::Projects;
use serde_json::json;
use ulid::Ulid;

use crate::{access::reach, app::App, error::ServiceError, validation::refused};

/// What the message about an entry that is not there ends with. It is for agents: a command says what to
/// do at a shell instead.
pub const HOW_TO_FIND: &str = "search for it with rekall_search";

/// Entries named when the beginning of an id is that of several.
const CANDIDATES: u32 = 10;

/// Finds the entry that an argument names, by its id or the beginning of it; returns id and title.
/// What is out of reach is not there, and makes no beginning ambiguous.
///
/// *Errors*: `ENTRY_NOT_FOUND`; `VALIDATION_ERROR` for less than five characters and for a beginning
/// that several entries have, with the candidates.
pub async fn resolve(
    app: &Arc<App>,
    reach: &Projects,
    field: &str,
    id: &str,
) -> Result<(Ulid, String), ServiceError> {
    let prefix = crockford(id);
    if prefix.chars().count() < MIN_PREFIX_CHARS {
        let message = format!("{field} must be an entry's ULID or at least its first 5 characters");
        return Err(refused(ErrorCode::ValidationError, field, message).into());
    }
    let mut found = with_prefix(app, reach, &prefix).await?;
    match found.len() {
        0 => Err(not_found(field, id)),
        1 => Ok(found.remove(0)),
        _ => Err(ambiguous(field, &prefix, &found).into()),
    }
}

/// Returns id and title of entries within reach whose ids begin like this, ordered by id.
async fn with_prefix(
    app: &Arc<App>,
    reach: &Projects,
    prefix: &str,
) -> Result<Vec<(Ulid, String)>, ServiceError> {
    if reach.is_all() {
        return Ok(app.store.entries_with_prefix(prefix, CANDIDATES).await?);
    }
    reach::look(app, reach).await?;
    let within = app.labels.with_prefix(reach, prefix, CANDIDATES as usize);
    let mut titles = app.store.entry_titles(&within).await?;
    titles.sort_unstable_by_key(|(id, _)| *id);
    Ok(titles)
}

/// Brings what was typed into the alphabet of ids. Source: ULID specification, Crockford's base 32.
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

/// Says that there is no such entry.
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
