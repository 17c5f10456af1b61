//! The status of an entry: whether it is still valid.

use jiff::Timestamp;

use super::{entries, vectors::move_to_head};
use crate::{
    AuditEvent, EntryStatusChange, Result, StoreError, changed_after,
    sql::{Family, SqlConnection, access::audit::note_change, query},
};

/// Changes the status of an entry.
pub(crate) async fn set(
    connection: &mut impl SqlConnection,
    change: &EntryStatusChange,
    event: Option<&AuditEvent>,
) -> Result<Timestamp> {
    // The lock keeps what is read now unchanged until the commit.
    connection.lock_family(Family::Entries).await?;
    let entry = entries::by_id(connection, change.id).await?;
    let entry = entry.ok_or(StoreError::EntryGone(change.id))?;
    let before = entry.updated_at;
    if change.known.is_some_and(|known| known != before) {
        return Err(StoreError::EntryChanged(change.id));
    }
    if entry.status == change.status {
        return Ok(before);
    }
    let now = changed_after(before, change.now);
    query("update entries set status = $2, updated_at = $3 where id = $1")
        .bind(change.id)
        .bind(change.status.as_str())
        .bind(now)
        .execute(connection)
        .await?;
    move_to_head(connection, &[change.id]).await?;
    note_change(connection, event).await?;
    Ok(now)
}
