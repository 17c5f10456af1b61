//! The projects to which new entries belong.

use recall_kit_shared_types::ErrorCode;
use recall_kit_store::{EntryContent, Projects};

use crate::{error::ServiceError, validation::refused};

/// Checks that new content belongs to a project that the caller may write to. Content without a project
/// gets the caller's project if there is only one.
///
/// *Errors*: `VALIDATION_ERROR`, which names the allowed projects.
pub(super) fn assign_project(
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
