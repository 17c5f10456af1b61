//! What a caller who is limited to projects may see and write. A caller without a limit may see everything.
//!
//! An entry belongs to one project or to none; without a project only callers without a limit see it. A
//! suggestion belongs to all the projects of its entries. Experiences and documentation belong to everybody.

use std::sync::Arc;

use recall_kit_shared_types::ErrorCode;
use recall_kit_store::{EntryContent, NewSuggestion, Projects};
use ulid::Ulid;

use crate::{
    app::App,
    error::ServiceError,
    indexing::{self, family::Family},
    validation::refused,
};

/// Brings the labels up to date with the database if the caller is limited, since the limit is checked
/// against the labels.
///
/// *Errors*: those of the database or the index.
pub(crate) async fn refresh_labels(
    app: &Arc<App>,
    projects: &Projects,
) -> Result<(), ServiceError> {
    match projects.is_all() {
        true => Ok(()),
        false => indexing::catch_up(app, Family::Entries).await,
    }
}

/// Returns the projects that the caller may see, spelled as in their entries; `None` without a limit.
///
/// *Errors*: those of the database or the index.
pub(crate) async fn names(
    app: &Arc<App>,
    projects: &Projects,
) -> Result<Option<Vec<String>>, ServiceError> {
    refresh_labels(app, projects).await?;
    let names = || {
        app.labels
            .projects(projects)
            .iter()
            .map(|name| name.to_string())
            .collect()
    };
    Ok((!projects.is_all()).then(names))
}

/// Checks that new content belongs to a project that the caller may write to. Content without a project
/// gets the caller's project if there is only one.
///
/// *Errors*: `VALIDATION_ERROR`, which names the allowed projects.
pub(crate) fn assign_project(
    projects: &Projects,
    content: &mut EntryContent,
) -> Result<(), ServiceError> {
    if content.project.is_none() {
        content.project = projects.sole().map(str::to_owned);
    }
    if projects.allow(content.project.as_deref()) {
        return Ok(());
    }
    let message =
        format!("You may add entries to these projects only: {projects}; name one of them");
    Err(refused(ErrorCode::ValidationError, "project", message).into())
}

/// Returns whether a caller may see something that involves these entries: all of them must be visible.
pub(crate) fn is_within(
    app: &App,
    projects: &Projects,
    entries: impl IntoIterator<Item = Ulid>,
) -> bool {
    let mut entries = entries.into_iter();
    projects.is_all() || entries.all(|id| app.labels.are_within(projects, id))
}

/// Counts the suggestions about a new entry that its author may see.
pub(crate) fn count_visible(
    app: &App,
    projects: &Projects,
    new: Ulid,
    all: &[NewSuggestion],
) -> u64 {
    let is_visible = |one: &&NewSuggestion| {
        let others = one.entries.iter().copied().filter(|id| *id != new);
        is_within(app, projects, others)
    };
    all.iter().filter(is_visible).count() as u64
}
