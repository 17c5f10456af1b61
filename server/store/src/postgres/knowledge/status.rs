//! The status of an entry: whether it is still valid.

use jiff::Timestamp;
use recall_kit_shared_types::knowledge::EntryStatus;
use sqlx::{PgConnection, Row};

use super::vectors::move_to_head;
use crate::{
    AuditEvent, EntryStatusChange, Result, StoreError, changed_after,
    database::columns::{timestamp_of, word_of},
    postgres::{Head, access::people::note_change, lock_head},
};

/// Changes the status of an entry.
pub(super) async fn set(
    transaction: &mut PgConnection,
    change: &EntryStatusChange,
    event: Option<&AuditEvent>,
) -> Result<Timestamp> {
    // The lock keeps what is read now unchanged until the commit.
    lock_head(&mut *transaction, Head::Entries).await?;
    let id = change.id.to_string();
    let row = sqlx::query("select status, updated_at from entries where id = $1")
        .bind(&id)
        .fetch_optional(&mut *transaction)
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
    sqlx::query("update entries set status = $2, updated_at = $3 where id = $1")
        .bind(&id)
        .bind(change.status.as_str())
        .bind(now.as_microsecond())
        .execute(&mut *transaction)
        .await?;
    move_to_head(&mut *transaction, &[change.id]).await?;
    note_change(transaction, event).await?;
    Ok(now)
}
