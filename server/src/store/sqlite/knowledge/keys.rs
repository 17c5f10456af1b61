//! Idempotency keys of entries.

use sqlx::{Row, SqliteConnection};
use ulid::Ulid;

use crate::store::{
    IDEMPOTENCY_KEY_LIFETIME, IdempotencyKey, NewEntry, Result, StoreError, columns::ulid_of,
};

/// Returns the entry that a key stored before, if it did.
pub(super) async fn earlier(
    write: &mut SqliteConnection,
    idempotency: &IdempotencyKey,
) -> Result<Option<Ulid>> {
    let row = sqlx::query("select fingerprint, entry_id from entry_idempotency_keys where key = ?")
        .bind(&idempotency.key)
        .fetch_optional(write)
        .await?;
    let Some(row) = row else { return Ok(None) };
    if row.try_get::<&[u8], _>(0)? != idempotency.fingerprint {
        return Err(StoreError::KeyReused);
    }
    ulid_of(row.try_get(1)?).map(Some)
}

/// Remembers a key, and forgets keys past their lifetime so that the table stays bounded.
pub(super) async fn remember(
    write: &mut SqliteConnection,
    new: &NewEntry,
    key: &IdempotencyKey,
) -> Result<()> {
    let now = new.created_at.as_microsecond();
    let lifetime = i64::try_from(IDEMPOTENCY_KEY_LIFETIME.as_micros()).unwrap_or(i64::MAX);
    sqlx::query("delete from entry_idempotency_keys where created_at < ?")
        .bind(now.saturating_sub(lifetime))
        .execute(&mut *write)
        .await?;
    sqlx::query(
        "insert into entry_idempotency_keys (key, fingerprint, entry_id, created_at) \
         values (?, ?, ?, ?)",
    )
    .bind(&key.key)
    .bind(key.fingerprint.as_slice())
    .bind(new.id.to_string())
    .bind(now)
    .execute(write)
    .await?;
    Ok(())
}
