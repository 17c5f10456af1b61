//! What a caller who is limited to projects may see. A caller without a limit may see everything.
//!
//! An entry belongs to one project or to none; without a project only callers without a limit see it. A
//! suggestion belongs to all the projects of its entries. Experiences and documentation belong to everybody.

use std::sync::Arc;

use recall_kit_store::{NewSuggestion, Projects};
use ulid::Ulid;

use super::{Records, catch_up, labels::Labels};
use crate::error::ServiceError;

/// Brings the labels up to date with the database if the caller is limited, since the limit is checked
/// against the labels.
///
/// *Errors*: those of the database or the index.
pub(crate) async fn refresh_labels(
    entries: &Arc<Records>,
    projects: &Projects,
) -> Result<(), ServiceError> {
    match projects.is_all() {
        true => Ok(()),
        false => catch_up(entries).await,
    }
}

/// Returns the projects that the caller may see, spelled as in their entries; `None` without a limit.
///
/// *Errors*: those of the database or the index.
pub(crate) async fn names(
    entries: &Arc<Records>,
    projects: &Projects,
) -> Result<Option<Vec<String>>, ServiceError> {
    refresh_labels(entries, projects).await?;
    let names = || {
        entries
            .labels()
            .projects(projects)
            .iter()
            .map(|name| name.to_string())
            .collect()
    };
    Ok((!projects.is_all()).then(names))
}

/// Returns whether a caller may see something that involves these entries: all of them must be visible.
pub(crate) fn is_within(
    labels: &Labels,
    projects: &Projects,
    entries: impl IntoIterator<Item = Ulid>,
) -> bool {
    let mut entries = entries.into_iter();
    projects.is_all() || entries.all(|id| labels.are_within(projects, id))
}

/// Counts the suggestions about a new entry that its author may see.
pub(crate) fn count_visible(
    labels: &Labels,
    projects: &Projects,
    new: Ulid,
    all: &[NewSuggestion],
) -> u64 {
    let is_visible = |one: &&NewSuggestion| {
        let others = one.entries.iter().copied().filter(|id| *id != new);
        is_within(labels, projects, others)
    };
    all.iter().filter(is_visible).count() as u64
}
