//! Maintenance of entries: edit them, mark them as obsolete or as valid again.
//!
//! The version of an entry is the time of its last change, see [`Entry::version`]. Labels, index and vectors
//! are updated as after a change by another server. A note file from which the entry was imported is not
//! changed.

use std::sync::Arc;

use jiff::Timestamp;
use recall_kit_shared_types::knowledge::EntryStatus;
use recall_kit_store::{
    Entry, EntryBatch, EntryStatusChange, EntryUpdate, StoreError, changed_after,
};
use ulid::Ulid;

use super::{Addition, not_found};
use crate::{
    access::{
        Caller, Scope,
        audit::{Action, PendingEvent, Subject},
    },
    detached,
    error::ServiceError,
    indexing,
    knowledge::{Knowledge, projects::assign_project},
    validation::{AddInput, validate_add},
};

/// The result of editing an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// Its new version.
    pub version: i64,
    /// What validation changed in the input, for the caller.
    pub notes: Vec<String>,
}

/// Returns an entry for a form that changes it. This is not counted as showing it.
///
/// *Errors*: `ENTRY_NOT_FOUND`, also for an entry that the caller may not see; else those of the database.
pub async fn inspect(
    knowledge: &Arc<Knowledge>,
    caller: &Caller,
    id: Ulid,
) -> Result<Entry, ServiceError> {
    let entry = knowledge.store.entry(id).await?;
    let visible = entry.filter(|entry| caller.projects.allow(entry.content.project.as_deref()));
    visible.ok_or_else(|| not_found("id", &id.to_string()))
}

/// Replaces the content of an entry. It is validated like an addition; `version` is the version that the
/// caller has seen. Without citations in the input, those of the entry stay.
///
/// *Errors*: [`ServiceError::Forbidden`]; those of [`inspect`] and of an addition;
/// [`StoreError::EntryChanged`] if the entry was changed meanwhile.
pub async fn edit(
    knowledge: &Arc<Knowledge>,
    caller: &Caller,
    (id, version): (Ulid, i64),
    input: AddInput,
) -> Result<Edited, ServiceError> {
    caller.require(Scope::Write)?;
    let present = inspect(knowledge, caller, id).await?;
    let keeps_citations = input.citations.is_none();
    let validated = tokio::task::spawn_blocking(move || validate_add(input)).await;
    let validated = validated.map_err(|_| ServiceError::Broken("the validation"))?;
    let Addition {
        mut content, notes, ..
    } = validated?;
    assign_project(&caller.projects, &mut content)?;
    if keeps_citations {
        // If they are not those that the caller saw, the entry has another version, too.
        content.citations = present.content.citations;
    }
    let known = time_of(id, version)?;
    let now = changed_after(known, knowledge.clock.now());
    let batch = EntryBatch {
        updates: vec![EntryUpdate {
            id,
            content,
            known,
            now,
        }],
        event: Some(about(Action::EntryEdited, id).by(caller, knowledge.clock.now())),
        ..EntryBatch::default()
    };
    let knowledge = Arc::clone(knowledge);
    detached::run("the change", async move {
        knowledge.store.insert_entries(&batch).await?;
        // Its vectors are computed again when the index has the entry without them.
        indexing::catch_up_soon(&knowledge.records);
        tracing::info!(entry.id = %id, "entry changed");
        Ok(Edited {
            version: now.as_microsecond(),
            notes,
        })
    })
    .await
}

/// Marks an entry as obsolete, or as valid again; returns its new version. If a `version` is passed, the
/// entry must still have it.
///
/// *Errors*: [`ServiceError::Forbidden`]; those of [`inspect`]; [`StoreError::EntryGone`],
/// [`StoreError::EntryChanged`].
pub async fn set_status(
    knowledge: &Arc<Knowledge>,
    caller: &Caller,
    (id, version): (Ulid, Option<i64>),
    status: EntryStatus,
) -> Result<i64, ServiceError> {
    caller.require(Scope::Write)?;
    inspect(knowledge, caller, id).await?;
    let known = version.map(|version| time_of(id, version)).transpose()?;
    let change = EntryStatusChange {
        id,
        known,
        status,
        now: knowledge.clock.now(),
    };
    let action = match status {
        EntryStatus::Active => Action::EntryValid,
        EntryStatus::Obsolete => Action::EntryObsolete,
    };
    let event = about(action, id).by(caller, change.now);
    let knowledge = Arc::clone(knowledge);
    detached::run("the change", async move {
        let changed_at = knowledge
            .store
            .set_entry_status(&change, Some(&event))
            .await?;
        indexing::catch_up_soon(&knowledge.records);
        tracing::info!(entry.id = %id, entry.status = status.as_str(), "entry changed");
        Ok(changed_at.as_microsecond())
    })
    .await
}

fn about(action: Action, id: Ulid) -> PendingEvent {
    PendingEvent::new(action).to(Subject::Entry, id)
}

/// Converts a version to a time. No entry has a version that is not a valid time.
fn time_of(id: Ulid, version: i64) -> Result<Timestamp, StoreError> {
    Timestamp::from_microsecond(version).map_err(|_| StoreError::EntryChanged(id))
}

#[cfg(test)]
mod tests;
