//! Idempotency keys of entries.

use sqlx::{PgConnection, Row};
use ulid::Ulid;

use crate::store::{
    IDEMPOTENCY_KEY_LIFETIME, IdempotencyKey, NewEntry, Result, StoreError, columns::ulid_of,
};

/// Returns the entry that a key stored before, if it did.
pub(super) async fn earlier(
    connection: &mut PgConnection,
    idempotency: &IdempotencyKey,
) -> Result<Option<Ulid>> {
    let row =
        sqlx::query("select fingerprint, entry_id from entry_idempotency_keys where key = $1")
            .bind(&idempotency.key)
            .fetch_optional(connection)
            .await?;
    let Some(row) = row else { return Ok(None) };
    if row.try_get::<&[u8], _>(0)? != idempotency.fingerprint {
        return Err(StoreError::KeyReused);
    }
    ulid_of(row.try_get(1)?).map(Some)
}

/// Remembers a key, and forgets keys past their lifetime so that the table stays bounded.
pub(super) async fn remember(
    connection: &mut PgConnection,
    new: &NewEntry,
    key: &IdempotencyKey,
) -> Result<()> {
    let now = new.created_at.as_microsecond();
    let lifetime = i64::try_from(IDEMPOTENCY_KEY_LIFETIME.as_micros()).unwrap_or(i64::MAX);
    sqlx::query("delete from entry_idempotency_keys where created_at < $1")
        .bind(now.saturating_sub(lifetime))
        .execute(&mut *connection)
        .await?;
    sqlx::query(
        "insert into entry_idempotency_keys (key, fingerprint, entry_id, created_at) \
         values ($1, $2, $3, $4)",
    )
    .bind(&key.key)
    .bind(key.fingerprint.as_slice())
    .bind(new.id.to_string())
    .bind(now)
    .execute(connection)
    .await?;
    Ok(())
}
