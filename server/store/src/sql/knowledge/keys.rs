//! Idempotency keys of entries.

use sqlx::FromRow;
use ulid::Ulid;

use crate::{
    IdempotencyKey, NewEntry, Result, StoreError,
    database::columns::ulid_of,
    sql::{Columns, SqlConnection, idempotency::remove_expired_keys, query},
};

/// Returns the entry that was stored under a key, if there is one.
pub(super) async fn earlier(
    connection: &mut impl SqlConnection,
    idempotency: &IdempotencyKey,
) -> Result<Option<Ulid>> {
    let stored: Option<KeyRow> =
        query("select fingerprint, entry_id from entry_idempotency_keys where key = $1")
            .bind(&idempotency.key)
            .fetch_optional(connection)
            .await?;
    if let Some(stored) = stored {
        return match stored.fingerprint == idempotency.fingerprint {
            true => Ok(Some(stored.entry)),
            false => Err(StoreError::KeyReused),
        };
    }
    let stored: Option<KeyRow> = query(
        "select fingerprint, entry_id from entry_idempotency_keys \
         where key = $1 and fingerprint = $2",
    )
    .bind(idempotency.unscoped())
    .bind(&idempotency.fingerprint)
    .fetch_optional(connection)
    .await?;
    Ok(stored.map(|stored| stored.entry))
}

struct KeyRow {
    fingerprint: Vec<u8>,
    entry: Ulid,
}

impl<'r, R: Columns> FromRow<'r, R> for KeyRow {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self {
            fingerprint: row.read("fingerprint")?,
            entry: ulid_of(row.read("entry_id")?)?,
        })
    }
}

/// Stores a key, and removes some that are past their lifetime, so that the table stays bounded.
pub(super) async fn insert(
    connection: &mut impl SqlConnection,
    new: &NewEntry,
    key: &IdempotencyKey,
) -> Result<()> {
    remove_expired_keys(connection, "entry_idempotency_keys", new.created_at).await?;
    query(
        "insert into entry_idempotency_keys (key, fingerprint, entry_id, created_at) \
         values ($1, $2, $3, $4)",
    )
    .bind(&key.key)
    .bind(&key.fingerprint)
    .bind(new.id)
    .bind(new.created_at)
    .execute(connection)
    .await?;
    Ok(())
}
