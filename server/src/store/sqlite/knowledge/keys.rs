//! Idempotency keys of entries.

use sqlx::{Row, SqliteConnection};
use ulid::Ulid;

use crate::store::{
    IdempotencyKey, NewEntry, Result, StoreError,
    columns::ulid_of,
    idempotency::{FORGOTTEN_AT_ONCE, KEPT_KEYS, expired_before},
};

/// Returns the entry that a key stored before, if it did.
pub(super) async fn earlier(
    write: &mut SqliteConnection,
    idempotency: &IdempotencyKey,
) -> Result<Option<Ulid>> {
    let row = sqlx::query("select fingerprint, entry_id from entry_idempotency_keys where key = ?")
        .bind(&idempotency.key)
        .fetch_optional(&mut *write)
        .await?;
    if let Some(row) = row {
        if row.try_get::<&[u8], _>(0)? != idempotency.fingerprint {
            return Err(StoreError::KeyReused);
        }
        return ulid_of(row.try_get(1)?).map(Some);
    }
    let row = sqlx::query(
        "select entry_id from entry_idempotency_keys where key = ? and fingerprint = ?",
    )
    .bind(idempotency.unscoped())
    .bind(idempotency.fingerprint.as_slice())
    .fetch_optional(write)
    .await?;
    row.map(|row| ulid_of(row.try_get(0)?)).transpose()
}

/// Remembers a key, and forgets some past their lifetime so that the table stays bounded.
pub(super) async fn remember(
    write: &mut SqliteConnection,
    new: &NewEntry,
    key: &IdempotencyKey,
) -> Result<()> {
    sqlx::query(
        "delete from entry_idempotency_keys where key in (select key from entry_idempotency_keys \
         where created_at < ? and created_at < (select created_at from entry_idempotency_keys \
         order by created_at desc limit 1 offset ?) order by created_at limit ?)",
    )
    .bind(expired_before(new.created_at))
    .bind(KEPT_KEYS)
    .bind(FORGOTTEN_AT_ONCE)
    .execute(&mut *write)
    .await?;
    sqlx::query(
        "insert into entry_idempotency_keys (key, fingerprint, entry_id, created_at) \
         values (?, ?, ?, ?)",
    )
    .bind(&key.key)
    .bind(key.fingerprint.as_slice())
    .bind(new.id.to_string())
    .bind(new.created_at.as_microsecond())
    .execute(write)
    .await?;
    Ok(())
}
