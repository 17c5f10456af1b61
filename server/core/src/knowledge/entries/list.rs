//! Listing entries page by page.

use std::{cmp::Reverse, collections::HashMap, sync::Arc};

use recall_kit_store::{EntryBrief, Page, Projects};
use ulid::Ulid;

use crate::{
    access::Caller,
    error::ServiceError,
    indexing::{self, labels::EntryFilter},
    knowledge::Knowledge,
};

/// The order of a list of entries; among equal ones the newest come first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EntryOrder {
    /// By creation, newest first.
    #[default]
    Newest,
    /// By creation, oldest first.
    Oldest,
    /// By how often they were shown, most often first.
    MostShown,
}

/// Returns a page of the entries that the caller may see and that pass a filter, and their total number.
///
/// *Errors*: those of the database or the index.
pub async fn list(
    knowledge: &Arc<Knowledge>,
    caller: &Caller,
    filter: &EntryFilter,
    order: EntryOrder,
    page: Page,
) -> Result<(Vec<EntryBrief>, u64), ServiceError> {
    indexing::catch_up(&knowledge.records).await?;
    let passing = in_order(knowledge, &caller.projects, filter, order)?;
    let offset = usize::try_from(page.offset).unwrap_or(usize::MAX);
    let shown = passing.iter().skip(offset).take(page.limit as usize);
    let shown: Vec<Ulid> = shown.copied().collect();
    let briefs = knowledge.store.entry_briefs(&shown).await?;
    let mut briefs: HashMap<Ulid, EntryBrief> =
        briefs.into_iter().map(|one| (one.id, one)).collect();
    let entries = shown.iter().filter_map(|id| briefs.remove(id)).collect();
    Ok((entries, passing.len() as u64))
}

fn in_order(
    knowledge: &Knowledge,
    projects: &Projects,
    filter: &EntryFilter,
    order: EntryOrder,
) -> Result<Vec<Ulid>, ServiceError> {
    // The labels are ordered by id, and ids are ordered by time.
    let passing = knowledge.labels.list(projects, filter);
    let mut ids: Vec<Ulid> = passing.iter().map(|labels| labels.id).collect();
    match order {
        EntryOrder::Oldest => {}
        EntryOrder::Newest => ids.reverse(),
        EntryOrder::MostShown => {
            let index = knowledge.records.index()?;
            let counts = index.query_counts(ids.iter().map(|id| (*id).into()));
            let mut counted: Vec<(u64, Ulid)> = counts.into_iter().zip(ids).collect();
            counted.sort_unstable_by_key(|one| Reverse(*one));
            ids = counted.into_iter().map(|(_, id)| id).collect();
        }
    }
    Ok(ids)
}
