//! Showing one experience: its state, similar ones, and its Markdown and JSON files.

use std::{collections::HashSet, sync::Arc};

use recall_kit_sanitizer::{visible, visible_json};
use recall_kit_search::first_passage;
use recall_kit_shared_types::{applicability::AppliesSource, knowledge::EntryName};
use recall_kit_store::{
    Experience, ExperienceContent, ExperienceState, Standing, StoreError, StoredExperience,
};
use serde_json::json;
use uuid::Uuid;

use super::{
    Experiences,
    applicability::{AppliesTo, applies},
    promoted_to,
};
use crate::{
    access::Caller,
    error::ServiceError,
    indexing::search::{ExperienceSearch, search},
    vectors::query_vectors::{EmbeddedQuery, embed_query},
};

/// How many characters of a record are used as the query for similar ones.
const ALIKE_CHARS: usize = 1_000;

/// An experience and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The record; its query count includes counts that are not stored yet.
    pub record: Experience,
    /// Its version, and whether it is hidden or deleted.
    pub state: ExperienceState,
    /// Where it applies.
    pub applies: AppliesTo,
    /// The entry of the knowledge base that it was promoted to.
    pub promoted_to: Option<EntryName>,
}

/// Returns an experience that is neither hidden nor deleted. This is not counted; see
/// [`count_opened`].
///
/// *Errors*: `ENTRY_NOT_FOUND`; else those of the database.
pub async fn show(
    experiences: &Experiences,
    caller: &Caller,
    id: Uuid,
) -> Result<Shown, ServiceError> {
    let shown = inspect(experiences, caller, id).await?;
    match shown.state.standing() {
        Standing::Visible => Ok(shown),
        Standing::Hidden | Standing::Deleted => Err(StoreError::NoExperience(id).into()),
    }
}

/// Like [`show`], but also returns hidden and deleted experiences, for callers who may change them.
///
/// *Errors*: those of [`show`].
pub async fn inspect(
    experiences: &Experiences,
    caller: &Caller,
    id: Uuid,
) -> Result<Shown, ServiceError> {
    let StoredExperience {
        experience: mut record,
        state,
        ..
    } = stored(experiences, id).await?;
    record.query_count += experiences.records.popularity.pending(id);
    Ok(Shown {
        applies: applies(experiences, id).await?,
        promoted_to: promoted_to(experiences, &caller.projects, id).await?,
        record,
        state,
    })
}

/// Counts that an experience was opened on a web page, which raises its popularity. Its query count
/// stays the same, since no query returned it.
pub fn count_opened(experiences: &Experiences, caller: &Caller, id: Uuid) {
    let popularity = &experiences.records.popularity;
    popularity.open(id, caller.voice(), experiences.clock.now());
}

async fn stored(experiences: &Experiences, id: Uuid) -> Result<StoredExperience, StoreError> {
    let stored = experiences.store.stored_experience(id).await?;
    stored.ok_or(StoreError::NoExperience(id))
}

/// Returns up to `limit` experiences that are similar to one by its own words and vector, best first.
/// This is not counted as a query.
///
/// *Errors*: as [`super::query`], and those of [`show`].
pub async fn similar(
    experiences: &Experiences,
    id: Uuid,
    limit: u32,
) -> Result<Vec<Experience>, ServiceError> {
    let StoredExperience {
        experience, vector, ..
    } = stored(experiences, id).await?;
    let content = &experience.content;
    let text = format!("{}\n{}", content.title, content.problem_description);
    let text: String = text.chars().take(ALIKE_CHARS).collect();
    let embedding = &experiences.embedding;
    let found = experiences.admission.run_query(async || {
        let query = match vector.as_deref().and_then(first_passage) {
            Some(own) => Some(Arc::new(EmbeddedQuery::of_record(embedding, own))),
            None => embed_query(embedding, &text).await,
        };
        let alike = ExperienceSearch {
            surroundings: None,
            text,
            query,
            context: None,
            offset: 0,
            // The record itself is among the results.
            limit: limit + 1,
            left_out: HashSet::new(),
        };
        search(&experiences.records, alike, false).await
    });
    let (found, _) = found.await?;
    let ids = found.hits.iter().map(|hit| hit.id);
    let ids = ids.filter(|other| *other != id);
    let ids: Vec<Uuid> = ids.take(limit as usize).collect();
    let mut records = experiences.store.experiences(&ids).await?;
    records.sort_by_key(|record| ids.iter().position(|id| *id == record.id));
    Ok(records)
}

/// Formats an experience as a Markdown document, with visible marks for invisible characters.
pub fn as_markdown(shown: &Shown) -> String {
    let content = &shown.record.content;
    let mut text = format!("# {}\n\n{}\n", content.title.trim(), markdown(content));
    if let Some(context) = &content.context {
        let fence = fence(context);
        text.push_str(&format!(
            "\n## Context\n\n{fence}\n{}\n{fence}\n",
            context.trim_end()
        ));
    }
    let applies = [
        ("Applies to", AppliesSource::Stated),
        ("Worked with", AppliesSource::Observed),
        ("Reports suggest", AppliesSource::Inferred),
    ];
    for (heading, source) in applies {
        let known = shown.applies.in_words(source);
        if !known.is_empty() {
            text.push_str(&format!("\n{heading}: {}\n", known.join("; ")));
        }
    }
    if !content.keywords.is_empty() {
        text.push_str(&format!("\nKeywords: {}\n", content.keywords.join(", ")));
    }
    visible(&text)
}

/// Formats an experience as the text of an entry.
pub(crate) fn markdown(content: &ExperienceContent) -> String {
    let sections = [
        ("Problem", Some(&content.problem_description)),
        ("Root cause", content.root_cause.as_ref()),
        ("Solution", Some(&content.solution)),
    ];
    let mut text = String::new();
    for (heading, section) in sections {
        if let Some(section) = section {
            text.push_str(&format!("## {heading}\n\n{}\n\n", section.trim()));
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// Returns a fence longer than any in a text. Source: CommonMark, "Fenced code blocks".
fn fence(text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    "`".repeat(runs.max().unwrap_or_default().max(2) + 1)
}

/// Formats an experience as JSON with the contract's fields, with visible marks for invisible
/// characters.
pub fn as_json(shown: &Shown) -> String {
    let record = &shown.record;
    let content = &record.content;
    let mut fields = json!({
        "id": record.id,
        "title": content.title,
        "problem_description": content.problem_description,
        "root_cause": content.root_cause,
        "solution": content.solution,
        "context": content.context,
        "keywords": content.keywords,
        "query_count": record.query_count,
        "created_at": record.created_at,
    });
    let applies = shown.applies.all();
    if !applies.is_empty() {
        fields["applies"] = json!(applies);
    }
    visible_json(&format!("{fields:#}\n"))
}
