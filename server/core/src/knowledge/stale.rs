//! Stale entries: those that were not shown for a long time.

use std::sync::Arc;

use recall_kit_shared_types::knowledge::{EntryStatus, EntryType};
use recall_kit_store::Entry;
use serde::Serialize;
use ulid::Ulid;

use super::values::{consolidation_score, days_between, shown_time};
use crate::{access::Caller, error::ServiceError, knowledge::Knowledge};

/// Entries read at once; if all have the largest size, they take some hundred megabytes.
const PAGE: u32 = 100;

/// An entry that was not shown for a long time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StaleEntry {
    /// A ULID.
    pub id: String,
    /// Its type.
    pub r#type: EntryType,
    /// Its title.
    pub title: String,
    /// When it was last shown, if it ever was. ISO 8601, UTC.
    pub last_accessed: Option<String>,
    /// When it was added. ISO 8601, UTC.
    pub created_at: String,
    /// 0–1: how well it is remembered.
    pub consolidation_score: f64,
}

/// Returns up to `limit` active entries that the caller may see and that were neither added nor shown in
/// the last `days`, the least remembered first.
///
/// *Errors*: those of the database.
pub async fn stale(
    knowledge: &Arc<Knowledge>,
    caller: &Caller,
    days: u32,
    limit: usize,
) -> Result<Vec<StaleEntry>, ServiceError> {
    let now = knowledge.clock.now();
    let mut found = Vec::new();
    let mut after = Ulid::nil();
    loop {
        let page = knowledge.store.entries_by_id(after, PAGE).await?;
        let Some(last) = page.last() else { break };
        after = last.id;
        for Entry {
            id,
            content,
            status,
            access_count,
            last_accessed,
            created_at,
            ..
        } in page
        {
            let last = last_accessed.unwrap_or(created_at);
            let age = days_between(last, now);
            let is_visible = caller.projects.allow(content.project.as_deref());
            if is_visible && status == EntryStatus::Active && age >= f64::from(days) {
                let entry = StaleEntry {
                    id: id.to_string(),
                    r#type: content.kind,
                    title: content.title,
                    last_accessed: last_accessed.map(shown_time),
                    created_at: shown_time(created_at),
                    consolidation_score: consolidation_score(access_count, last, now),
                };
                found.push((last, entry));
            }
        }
        found.sort_by(|(a_last, a), (b_last, b)| {
            let by_score = a.consolidation_score.total_cmp(&b.consolidation_score);
            by_score
                .then(a_last.cmp(b_last))
                .then_with(|| a.id.cmp(&b.id))
        });
        found.truncate(limit);
    }
    Ok(found.into_iter().map(|(_, entry)| entry).collect())
}
