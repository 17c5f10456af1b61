//! Idempotency keys of outcomes for moving to another database; each stands in the row of its outcome.

use jiff::Timestamp;
use sqlx::FromRow;
use uuid::Uuid;

use crate::{
    KeyImport, Result, StoredIdempotencyKey,
    database::columns::{id_of, timestamp_of},
    sql::{Columns, Dialects, Id, SqlConnection, query},
};

/// Instead of a fingerprint: the report itself is compared.
const NO_FINGERPRINT: [u8; 32] = [0; 32];

/// Reads keys, in the order of their bytes, whatever the database's own order is.
pub(crate) async fn page(
    connection: &mut impl SqlConnection,
    (since, after): (Timestamp, &str),
    limit: u32,
) -> Result<Vec<StoredIdempotencyKey>> {
    let sql = connection.dialect(Dialects {
        sqlite: "select idempotency_key, id, at from outcomes \
                 where idempotency_key > $1 and at >= $2 order by idempotency_key limit $3",
        postgres: "select idempotency_key, id, at from outcomes \
                   where idempotency_key collate \"C\" > $1 and at >= $2 \
                   order by idempotency_key collate \"C\" limit $3",
    });
    let keys: Vec<KeyRow> = query(sql)
        .bind(after)
        .bind(since)
        .bind(limit)
        .fetch_all(connection)
        .await?;
    Ok(keys.into_iter().map(|KeyRow(key)| key).collect())
}

/// Stores a key with its outcome, which is stored already.
pub(crate) async fn import(
    connection: &mut impl SqlConnection,
    new: &StoredIdempotencyKey,
) -> Result<KeyImport> {
    let holder: Option<Id> = query("select id from outcomes where idempotency_key = $1")
        .bind(&new.key)
        .fetch_optional(connection)
        .await?;
    if let Some(Id(holder)) = holder {
        return Ok(match holder == new.record {
            true => KeyImport::Existing,
            false => KeyImport::Conflict,
        });
    }
    let stored = query(
        "update outcomes set idempotency_key = $1 where id = $2 and idempotency_key is null and principal is not null",
    )
    .bind(&new.key)
    .bind(new.record)
    .execute(connection)
    .await?;
    if stored > 0 {
        return Ok(KeyImport::Stored);
    }
    let outcome: Option<Id> = query("select id from outcomes where id = $1")
        .bind(new.record)
        .fetch_optional(connection)
        .await?;
    Ok(match outcome {
        Some(_) => KeyImport::Conflict,
        None => KeyImport::RecordMissing,
    })
}

struct KeyRow(StoredIdempotencyKey);

impl<'r, R: Columns> FromRow<'r, R> for KeyRow {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("id")?;
        let record: Uuid = id_of(id)?;
        Ok(Self(StoredIdempotencyKey {
            key: row.text("idempotency_key")?,
            fingerprint: NO_FINGERPRINT,
            record,
            created_at: timestamp_of(row.read("at")?, id)?,
        }))
    }
}
