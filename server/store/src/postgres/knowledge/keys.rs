//! Idempotency keys of entries.

use sqlx::{PgConnection, Row};
use ulid::Ulid;

use crate::{
    IdempotencyKey, NewEntry, Result, StoreError,
    database::columns::ulid_of,
    experiences::idempotency::{KEPT_KEYS, REMOVED_PER_SUBMIT, expired_before},
};

/// Returns the entry that was stored under a key, if there is one.
pub(super) async fn earlier(
    connection: &mut PgConnection,
    idempotency: &IdempotencyKey,
) -> Result<Option<Ulid>> {
    let row =
        sqlx::query("select fingerprint, entry_id from entry_idempotency_keys where key = $1")
            .bind(&idempotency.key)
            .fetch_optional(&mut *connection)
            .await?;
    if let Some(row) = row {
        if row.try_get::<&[u8], _>(0)? != idempotency.fingerprint {
            return Err(StoreError::KeyReused);
        }
        return ulid_of(row.try_get(1)?).map(Some);
    }
    let row = sqlx::query(
        "select entry_id from entry_idempotency_keys where key = $1 and fingerprint = $2",
    )
    .bind(idempotency.unscoped())
    .bind(idempotency.fingerprint.as_slice())
    .fetch_optional(connection)
    .await?;
    row.map(|row| ulid_of(row.try_get(0)?)).transpose()
}

/// Stores a key, and removes some that are past their lifetime, so that the table stays bounded.
pub(super) async fn insert(
    connection: &mut PgConnection,
    new: &NewEntry,
    key: &IdempotencyKey,
) -> Result<()> {
    sqlx::query(
        "delete from entry_idempotency_keys where key in (select key from entry_idempotency_keys \
         where created_at < $1 and created_at < (select created_at from entry_idempotency_keys \
         order by created_at desc limit 1 offset $2) order by created_at limit $3)",
    )
    .bind(expired_before(new.created_at))
    .bind(i64::from(KEPT_KEYS))
    .bind(i64::from(REMOVED_PER_SUBMIT))
    .execute(&mut *connection)
    .await?;
    sqlx::query(
        "insert into entry_idempotency_keys (key, fingerprint, entry_id, created_at) \
         values ($1, $2, $3, $4)",
    )
    .bind(&key.key)
    .bind(key.fingerprint.as_slice())
    .bind(new.id.to_string())
    .bind(new.created_at.as_microsecond())
    .execute(connection)
    .await?;
    Ok(())
}
