//! Maintenance of experiences: edit, hide, delete, restore and list them, and purge those that were
//! deleted long ago.

use std::sync::Arc;

use recall_kit_store::{
    ChangedExperience, ExperienceBrief, ExperienceChange, ExperienceContent, ExperienceListing,
    ExperienceState, StoreError,
};
use uuid::Uuid;

use super::{Experiences, Submission};
use crate::{
    access::{
        Caller, Scope,
        audit::{Action, PendingEvent, Subject},
    },
    detached,
    error::ServiceError,
    indexing::{self, applicability::reading},
    purge,
    validation::{SubmissionInput, validate_submission},
    vectors,
};

/// Records removed in one transaction.
const PURGE_BATCH: u32 = 200;
/// Records hashed in one transaction.
const HASH_BATCH: u32 = 200;

/// A page of a list of experiences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExperienceList {
    /// The records of the page, in the requested order.
    pub records: Vec<ExperienceBrief>,
    /// The exact number of records in the whole list.
    pub total: u64,
}

/// The result of editing an experience.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// Its version, and whether it is hidden.
    pub state: ExperienceState,
    /// What validation changed in the texts, for the caller.
    pub notes: Vec<String>,
}

/// Replaces the texts of an experience and where it applies. They are validated like those of a submission; `version` is
/// the version that the caller has seen.
///
/// *Errors*: [`ServiceError::Forbidden`]; those of a submission; [`StoreError::VersionChanged`] when
/// the record was changed meanwhile; [`StoreError::NoExperience`], [`StoreError::ExperienceDeleted`].
pub async fn edit(
    experiences: &Arc<Experiences>,
    caller: &Caller,
    (id, version): (Uuid, u64),
    content: ExperienceContent,
) -> Result<Edited, ServiceError> {
    caller.require(Scope::Write)?;
    let Submission { content, notes, .. } = validated(content).await?;
    let vector = vectors::embed_record(&experiences.embedding, &content).await;
    let content = Box::new(content);
    let edit = ExperienceChange::Edit { content, vector };
    let state = change(experiences, caller, (id, Some(version)), edit).await?;
    Ok(Edited { state, notes })
}

/// Validates texts like those of a submission, on a blocking thread, since that takes milliseconds.
async fn validated(content: ExperienceContent) -> Result<Submission, ServiceError> {
    let input = SubmissionInput {
        title: Some(content.title),
        problem_description: Some(content.problem_description),
        root_cause: content.root_cause,
        solution: Some(content.solution),
        context: content.context,
        keywords: Some(content.keywords),
        applies: content.applies,
        idempotency_key: None,
    };
    let validated = tokio::task::spawn_blocking(move || validate_submission(input)).await;
    let validated = validated.map_err(|_| ServiceError::Broken("the validation"))?;
    Ok(validated?)
}

/// Hides an experience from searches. If a version is passed, the record must still have it.
///
/// *Errors*: [`ServiceError::Forbidden`], [`StoreError::NoExperience`], [`StoreError::ExperienceDeleted`],
/// [`StoreError::VersionChanged`].
pub async fn hide(
    experiences: &Arc<Experiences>,
    caller: &Caller,
    at: (Uuid, Option<u64>),
) -> Result<ExperienceState, ServiceError> {
    change(experiences, caller, at, ExperienceChange::Hide).await
}

/// Makes a hidden experience visible again.
///
/// *Errors*: those of [`hide`].
pub async fn unhide(
    experiences: &Arc<Experiences>,
    caller: &Caller,
    at: (Uuid, Option<u64>),
) -> Result<ExperienceState, ServiceError> {
    change(experiences, caller, at, ExperienceChange::Unhide).await
}

/// Deletes an experience: it is no longer found, and after thirty days it is removed permanently.
///
/// *Errors*: [`StoreError::NoExperience`], [`StoreError::VersionChanged`].
pub async fn delete(
    experiences: &Arc<Experiences>,
    caller: &Caller,
    at: (Uuid, Option<u64>),
) -> Result<ExperienceState, ServiceError> {
    change(experiences, caller, at, ExperienceChange::Delete).await
}

/// Restores a deleted experience as it was before, hidden if it was hidden.
///
/// *Errors*: those of [`delete`].
pub async fn restore(
    experiences: &Arc<Experiences>,
    caller: &Caller,
    at: (Uuid, Option<u64>),
) -> Result<ExperienceState, ServiceError> {
    change(experiences, caller, at, ExperienceChange::Restore).await
}

async fn change(
    experiences: &Arc<Experiences>,
    caller: &Caller,
    (id, expected): (Uuid, Option<u64>),
    change: ExperienceChange,
) -> Result<ExperienceState, ServiceError> {
    caller.require(Scope::Write)?;
    let action = match &change {
        ExperienceChange::Edit { .. } => Action::ExperienceEdited,
        ExperienceChange::Hide => Action::ExperienceHidden,
        ExperienceChange::Unhide => Action::ExperienceUnhidden,
        ExperienceChange::Delete => Action::ExperienceDeleted,
        ExperienceChange::Restore => Action::ExperienceRestored,
    };
    let now = experiences.clock.now();
    let pending = PendingEvent::new(action).to(Subject::Experience, id);
    let changed = ChangedExperience {
        id,
        expected,
        change,
        now,
        event: Some(pending.by(caller, now)),
    };
    let experiences = Arc::clone(experiences);
    detached::run("the change", async move {
        let state = experiences.store.change_experience(&changed).await?;
        indexing::catch_up_soon(&experiences.records);
        reading::read_soon(&experiences.records.source);
        tracing::info!(
            experience.id = %id,
            experience.version = state.version,
            experience.standing = ?state.standing(),
            "experience changed"
        );
        Ok(state)
    })
    .await
}

/// Lists experiences.
///
/// *Errors*: those of the database.
pub async fn list(
    experiences: &Experiences,
    listing: &ExperienceListing,
) -> Result<ExperienceList, ServiceError> {
    let (mut records, total) = experiences.store.list_experiences(listing).await?;
    let popularity = &experiences.records.popularity;
    for record in &mut records {
        record.query_count += popularity.pending(record.id);
    }
    Ok(ExperienceList { records, total })
}

/// Hashes the contents of some experiences that older programs stored without a hash, so that the same
/// content is not stored again; returns whether any may be left.
///
/// *Errors*: those of the database.
pub(crate) async fn hash_some(experiences: &Experiences) -> Result<bool, StoreError> {
    let hashed = experiences.store.hash_experiences(HASH_BATCH).await?;
    Ok(hashed == u64::from(HASH_BATCH))
}

/// Permanently removes experiences deleted long ago, a bounded number at a time; returns how many.
///
/// *Errors*: those of the database.
pub(crate) async fn purge(experiences: &Experiences) -> Result<u64, StoreError> {
    let now = experiences.clock.now();
    purge::purge(now, PURGE_BATCH, |before, most| {
        experiences.store.purge_experiences(before, most)
    })
    .await
}

#[cfg(test)]
mod tests;
