//! Entries one page after the other, newest first.

use std::{collections::HashMap, sync::Arc};

use ulid::Ulid;

use crate::{
    app::App,
    error::ServiceError,
    service::{family::Family, indexing, labels::EntryFilter},
    store::EntryBrief,
};

/// Returns up to `limit` of the entries that a filter lets pass, newest first and `offset` skipped,
/// and how many there are in all.
///
/// *Errors*: what the database or the index said.
pub async fn list(
    app: &Arc<App>,
    filter: &EntryFilter,
    offset: usize,
    limit: usize,
) -> Result<(Vec<EntryBrief>, u64), ServiceError> {
    indexing::catch_up(app, Family::Entries).await?;
    // The labels are in the order of ids, and ids in that of time.
    let passing = app.labels.list(filter);
    let page = passing.iter().rev().skip(offset).take(limit);
    let page: Vec<Ulid> = page.map(|labels| labels.id).collect();
    let briefs = app.store.entry_briefs(&page).await?;
    let mut briefs: HashMap<Ulid, EntryBrief> =
        briefs.into_iter().map(|one| (one.id, one)).collect();
    let entries = page.iter().filter_map(|id| briefs.remove(id)).collect();
    Ok((entries, passing.len() as u64))
}
