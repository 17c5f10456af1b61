//! The status of an entry: whether it is still valid.

use jiff::Timestamp;
use recall_kit_shared_types::knowledge::EntryStatus;
use sqlx::{Row, SqliteConnection};

use super::vectors::move_to_head;
use crate::{
    AuditEvent, EntryStatusChange, Result, StoreError, changed_after,
    database::columns::{timestamp_of, word_of},
    sqlite::access::people::note_change,
};

/// Changes the status of an entry.
pub(super) async fn set(
    write: &mut SqliteConnection,
    change: &EntryStatusChange,
    event: Option<&AuditEvent>,
) -> Result<Timestamp> {
    let id = change.id.to_string();
    let row = sqlx::query("select status, updated_at from entries where id = ?")
        .bind(&id)
        .fetch_optional(&mut *write)
        .await?;
    let row = row.ok_or(StoreError::EntryGone(change.id))?;
    let status: EntryStatus = word_of(row.try_get(0)?, "status", &id)?;
    let before = timestamp_of(row.try_get(1)?, &id)?;
    if change.known.is_some_and(|known| known != before) {
        return Err(StoreError::EntryChanged(change.id));
    }
    if status == change.status {
        return Ok(before);
    }
    let now = changed_after(before, change.now);
    sqlx::query("update entries set status = ?, updated_at = ? where id = ?")
        .bind(change.status.as_str())
        .bind(now.as_microsecond())
        .bind(&id)
        .execute(&mut *write)
        .await?;
    move_to_head(&mut *write, change.id).await?;
    note_change(write, event).await?;
    Ok(now)
}
