//! Showing one experience: its state, similar ones, and its Markdown and JSON files.

use std::sync::Arc;

use recall_kit_sanitizer::{visible, visible_json};
use recall_kit_search::first_passage;
use recall_kit_shared_types::knowledge::EntryName;
use recall_kit_store::{Experience, ExperienceState, Standing, StoreError, StoredExperience};
use serde_json::json;
use uuid::Uuid;

use super::{Query, search};
use crate::{
    access::Caller,
    admission::run_query,
    app::App,
    error::ServiceError,
    indexing::{self, family::Family},
    knowledge::entries,
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
    /// The entry of the knowledge base that it was promoted to.
    pub promoted_to: Option<EntryName>,
}

/// Returns an experience that is neither hidden nor deleted. This is not counted; see
/// [`count_opened`].
///
/// *Errors*: `ENTRY_NOT_FOUND`; else those of the database.
pub async fn show(app: &Arc<App>, caller: &Caller, id: Uuid) -> Result<Shown, ServiceError> {
    let shown = inspect(app, caller, id).await?;
    match shown.state.standing() {
        Standing::Visible => Ok(shown),
        Standing::Hidden | Standing::Deleted => Err(StoreError::NoExperience(id).into()),
    }
}

/// Like [`show`], but also returns hidden and deleted experiences, for callers who may change them.
///
/// *Errors*: those of [`show`].
pub async fn inspect(app: &Arc<App>, caller: &Caller, id: Uuid) -> Result<Shown, ServiceError> {
    let StoredExperience {
        experience: mut record,
        state,
        ..
    } = stored(app, id).await?;
    record.query_count += app.experiences.popularity.pending(id);
    Ok(Shown {
        promoted_to: entries::promoted_to(app, &caller.projects, id).await?,
        record,
        state,
    })
}

/// Counts that an experience was opened on a web page, which raises its popularity. Its query count
/// stays the same, since no query returned it.
pub fn count_opened(app: &App, caller: &Caller, id: Uuid) {
    let popularity = &app.experiences.popularity;
    popularity.open(id, caller.voice(), app.now());
}

async fn stored(app: &App, id: Uuid) -> Result<StoredExperience, StoreError> {
    let stored = app.store.stored_experience(id).await?;
    stored.ok_or(StoreError::NoExperience(id))
}

/// Returns up to `limit` experiences that are similar to one by its own words and vector, best first.
/// This is not counted as a query.
///
/// *Errors*: as [`super::query`], and those of [`show`].
pub async fn similar(
    app: &Arc<App>,
    id: Uuid,
    limit: u32,
) -> Result<Vec<Experience>, ServiceError> {
    let StoredExperience {
        experience, vector, ..
    } = stored(app, id).await?;
    let content = &experience.content;
    let text = format!("{}\n{}", content.title, content.problem_description);
    let alike = Query {
        keywords: text.chars().take(ALIKE_CHARS).collect(),
        // The record itself is among the results.
        limit: limit + 1,
        offset: 0,
    };
    let found = run_query(app, async {
        indexing::catch_up(app, Family::Experiences).await?;
        let embedding = match vector.as_deref().and_then(first_passage) {
            Some(own) => Some(Arc::new(EmbeddedQuery::of_record(app, own))),
            None => embed_query(app, &alike.keywords).await,
        };
        search(app, alike, embedding, false).await
    });
    let (found, _) = found.await?;
    let ids = found.hits.iter().map(|hit| hit.id);
    let ids = ids.filter(|other| *other != id);
    let ids: Vec<Uuid> = ids.take(limit as usize).collect();
    let mut records = app.store.experiences(&ids).await?;
    records.sort_by_key(|record| ids.iter().position(|id| *id == record.id));
    Ok(records)
}

/// Formats an experience as a Markdown document, with visible marks for invisible characters.
pub fn as_markdown(record: &Experience) -> String {
    let content = &record.content;
    let mut text = format!(
        "# {}\n\n{}\n",
        content.title.trim(),
        entries::markdown(content)
    );
    if let Some(context) = &content.context {
        let fence = fence(context);
        text.push_str(&format!(
            "\n## Context\n\n{fence}\n{}\n{fence}\n",
            context.trim_end()
        ));
    }
    if !content.keywords.is_empty() {
        text.push_str(&format!("\nKeywords: {}\n", content.keywords.join(", ")));
    }
    visible(&text)
}

/// Returns a fence longer than any in a text. Source: CommonMark, "Fenced code blocks".
fn fence(text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    "`".repeat(runs.max().unwrap_or_default().max(2) + 1)
}

/// Formats an experience as JSON with the contract's fields, with visible marks for invisible
/// characters.
pub fn as_json(record: &Experience) -> String {
    let content = &record.content;
    let fields = json!({
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
    visible_json(&format!("{fields:#}\n"))
}
