//! Idempotency keys of entries.

use sqlx::{Row, SqliteConnection};
use ulid::Ulid;

use crate::{
    IdempotencyKey, NewEntry, Result, StoreError, database::columns::ulid_of,
    sqlite::experiences::idempotency::remove_expired_keys,
};

/// Returns the entry that was stored under a key, if there is one.
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

/// Stores a key, and removes some that are past their lifetime, so that the table stays bounded.
pub(super) async fn insert(
    write: &mut SqliteConnection,
    new: &NewEntry,
    key: &IdempotencyKey,
) -> Result<()> {
    remove_expired_keys(&mut *write, "entry_idempotency_keys", new.created_at).await?;
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
