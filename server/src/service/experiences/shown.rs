//! One experience as people look at it: what became of it, what is like it, and it as a file.

use std::sync::Arc;

use recall_kit_shared_types::{ErrorCode, knowledge::EntryName};
use serde_json::json;
use uuid::Uuid;

use super::{Query, in_turn, search};
use crate::{
    app::App,
    error::ServiceError,
    service::{entries, family::Family, indexing, query_vectors::embed_query, validation::refused},
    store::Experience,
};

/// Characters of a record by which those like it are found.
const ALIKE_CHARS: usize = 1_000;

/// An experience and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The record, with what was counted and not stored yet.
    pub record: Experience,
    /// The entry of the knowledge base that was made of it.
    pub promoted_to: Option<EntryName>,
}

/// Returns an experience; looking at it counts nothing.
///
/// *Errors*: `ENTRY_NOT_FOUND`; else what the database said.
pub async fn show(app: &Arc<App>, id: Uuid) -> Result<Shown, ServiceError> {
    let mut records = app.store.experiences(&[id]).await?;
    let Some(mut record) = records.pop() else {
        let message = format!("Experience with ID '{id}' not found");
        return Err(refused(ErrorCode::EntryNotFound, "id", message).into());
    };
    record.query_count += app.experiences.popularity.pending(id);
    Ok(Shown {
        promoted_to: entries::promoted_to(app, id).await?,
        record,
    })
}

/// Returns up to `limit` experiences that are about the same, best first; that they were looked for
/// counts nothing.
///
/// *Errors*: as [`super::query`].
pub async fn similar(
    app: &Arc<App>,
    record: &Experience,
    limit: u32,
) -> Result<Vec<Experience>, ServiceError> {
    let content = &record.content;
    let text = format!("{}\n{}", content.title, content.problem_description);
    let alike = Query {
        keywords: text.chars().take(ALIKE_CHARS).collect(),
        // The record itself is among them.
        limit: limit + 1,
        offset: 0,
    };
    let found = in_turn(app, async {
        indexing::catch_up(app, Family::Experiences).await?;
        let embedding = embed_query(app, &alike.keywords).await;
        search(app, alike, embedding, false).await
    });
    let (found, _) = found.await?;
    let ids = found.hits.iter().map(|hit| hit.id);
    let ids = ids.filter(|id| *id != record.id);
    let ids: Vec<Uuid> = ids.take(limit as usize).collect();
    let mut records = app.store.experiences(&ids).await?;
    records.sort_by_key(|record| ids.iter().position(|id| *id == record.id));
    Ok(records)
}

/// Writes an experience as a Markdown document.
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
    text
}

/// Returns a fence longer than any in a text. Source: CommonMark, "Fenced code blocks".
fn fence(text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len);
    "`".repeat(runs.max().unwrap_or_default().max(2) + 1)
}

/// Writes an experience as JSON, in the contract's fields.
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
    format!("{fields:#}\n")
}
