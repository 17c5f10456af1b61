//! What is within the reach of a caller who is limited to projects: for who has no limit, everything.
//!
//! An entry belongs to a project, or to none: then only callers without a limit see it. A suggestion
//! belongs to all the projects of its entries. Experiences and documentation belong to everybody.

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

/// Makes sure that the labels say what the database does, where they are what a limit is kept by.
///
/// *Errors*: what the database or the index said.
pub(crate) async fn look(app: &Arc<App>, reach: &Projects) -> Result<(), ServiceError> {
    match reach.is_all() {
        true => Ok(()),
        false => indexing::catch_up(app, Family::Entries).await,
    }
}

/// Returns the projects within reach, each as its entries name it; none where there is no limit.
///
/// *Errors*: what the database or the index said.
pub(crate) async fn names(
    app: &Arc<App>,
    reach: &Projects,
) -> Result<Option<Vec<String>>, ServiceError> {
    look(app, reach).await?;
    let names = || {
        app.labels
            .projects(reach)
            .iter()
            .map(|name| name.to_string())
            .collect()
    };
    Ok((!reach.is_all()).then(names))
}

/// Puts what is to be stored into a project within reach: the only one where none is named.
///
/// *Errors*: `VALIDATION_ERROR`, naming the projects within reach.
pub(crate) fn place(reach: &Projects, content: &mut EntryContent) -> Result<(), ServiceError> {
    if content.project.is_none() {
        content.project = reach.sole().map(str::to_owned);
    }
    if reach.allow(content.project.as_deref()) {
        return Ok(());
    }
    let message = format!("You may add entries to these projects only: {reach}; name one of them");
    Err(refused(ErrorCode::ValidationError, "project", message).into())
}

/// Returns whether a caller may know of something that several entries belong to.
pub(crate) fn is_within(
    app: &App,
    reach: &Projects,
    entries: impl IntoIterator<Item = Ulid>,
) -> bool {
    let mut entries = entries.into_iter();
    reach.is_all() || entries.all(|id| app.labels.are_within(reach, id))
}

/// Counts the suggestions about a new entry that its author may know of.
pub(crate) fn told(app: &App, reach: &Projects, new: Ulid, all: &[NewSuggestion]) -> u64 {
    let within = |one: &&NewSuggestion| {
        let others = one.entries.iter().copied().filter(|id| *id != new);
        is_within(app, reach, others)
    };
    all.iter().filter(within).count() as u64
}
