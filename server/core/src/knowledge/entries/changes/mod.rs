//! Entries as people look after them: edited, marked as obsolete or as valid again.
//!
//! A version of an entry is when it last changed, [`Entry::version`]. Its labels, index and vectors
//! follow a change as they follow one of another server; the note that it came from keeps its text.

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
        audit::{Action, Deed, Subject},
        reach,
    },
    app::App,
    detached,
    error::ServiceError,
    indexing::{self, family::Family},
    validation::{AddInput, validate_add},
};

/// What became of an edited entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// Its version from now on.
    pub version: i64,
    /// What was changed of what was typed, in words.
    pub notes: Vec<String>,
}

/// Returns an entry as whoever changes it needs it; looking at it counts nothing.
///
/// *Errors*: `ENTRY_NOT_FOUND`, also for one out of reach; else what the database said.
pub async fn inspect(app: &Arc<App>, caller: &Caller, id: Ulid) -> Result<Entry, ServiceError> {
    let entry = app.store.entry(id).await?;
    let within = entry.filter(|entry| caller.projects.allow(entry.content.project.as_deref()));
    within.ok_or_else(|| not_found("id", &id.to_string()))
}

/// Lets an entry say something else, which must pass as an addition does; `version` is the one that
/// whoever changes it has seen.
///
/// *Errors*: [`ServiceError::Forbidden`]; those of [`inspect`] and of an addition;
/// [`StoreError::EntryChanged`] when somebody was quicker.
pub async fn edit(
    app: &Arc<App>,
    caller: &Caller,
    (id, version): (Ulid, i64),
    input: AddInput,
) -> Result<Edited, ServiceError> {
    caller.require(Scope::Write)?;
    inspect(app, caller, id).await?;
    let validated = tokio::task::spawn_blocking(move || validate_add(input)).await;
    let validated = validated.map_err(|_| ServiceError::Broken("the validation"))?;
    let Addition {
        mut content, notes, ..
    } = validated?;
    reach::place(&caller.projects, &mut content)?;
    let known = moment_of(id, version)?;
    let now = changed_after(known, app.now());
    let batch = EntryBatch {
        updates: vec![EntryUpdate {
            id,
            content,
            known,
            now,
        }],
        event: Some(about(Action::EntryEdited, id).by(caller, app.now())),
        ..EntryBatch::default()
    };
    let app = Arc::clone(app);
    detached::run("the change", async move {
        app.store.insert_entries(&batch).await?;
        // Its vectors are made anew as soon as the index has taken it in without.
        indexing::catch_up_soon(&app, Family::Entries);
        tracing::info!(entry.id = %id, "entry changed");
        Ok(Edited {
            version: now.as_microsecond(),
            notes,
        })
    })
    .await
}

/// Marks an entry as obsolete, or as valid again; returns its version from then on. Where a `version`
/// is given it must still be that one.
///
/// *Errors*: [`ServiceError::Forbidden`]; those of [`inspect`]; [`StoreError::EntryGone`],
/// [`StoreError::EntryChanged`].
pub async fn set_status(
    app: &Arc<App>,
    caller: &Caller,
    (id, version): (Ulid, Option<i64>),
    status: EntryStatus,
) -> Result<i64, ServiceError> {
    caller.require(Scope::Write)?;
    inspect(app, caller, id).await?;
    let known = version.map(|version| moment_of(id, version)).transpose()?;
    let change = EntryStatusChange {
        id,
        known,
        status,
        now: app.now(),
    };
    let action = match status {
        EntryStatus::Active => Action::EntryValid,
        EntryStatus::Obsolete => Action::EntryObsolete,
    };
    let event = about(action, id).by(caller, change.now);
    let app = Arc::clone(app);
    detached::run("the change", async move {
        let changed_at = app.store.set_entry_status(&change, Some(&event)).await?;
        indexing::catch_up_soon(&app, Family::Entries);
        tracing::info!(entry.id = %id, entry.status = status.as_str(), "entry changed");
        Ok(changed_at.as_microsecond())
    })
    .await
}

fn about(action: Action, id: Ulid) -> Deed {
    Deed::new(action).to(Subject::Entry, id)
}

/// No entry has a version that is no moment.
fn moment_of(id: Ulid, version: i64) -> Result<Timestamp, StoreError> {
    Timestamp::from_microsecond(version).map_err(|_| StoreError::EntryChanged(id))
}

#[cfg(test)]
mod tests;
