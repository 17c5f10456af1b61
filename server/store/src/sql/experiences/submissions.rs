//! Idempotency keys of submissions.

use jiff::Timestamp;
use sqlx::FromRow;
use uuid::Uuid;

use crate::{
    IdempotencyKey, Result, StoreError, SubmittedExperience,
    database::columns::id_of,
    sql::{Columns, SqlConnection, query},
};

/// Returns the record that was stored under a key, if there is one. If the key has the same creation time
/// as the record, its submission stored the record; otherwise the record was known before.
pub(crate) async fn earlier(
    connection: &mut impl SqlConnection,
    idempotency: &IdempotencyKey,
) -> Result<Option<SubmittedExperience>> {
    const EARLIER: &str = "select k.experience_id, k.created_at <> e.created_at as is_known, \
         k.fingerprint from idempotency_keys k join experiences e on e.id = k.experience_id \
         where k.key = $1";
    let stored: Option<Earlier> = query(EARLIER)
        .bind(&idempotency.key)
        .fetch_optional(connection)
        .await?;
    if let Some(stored) = stored {
        return match stored.fingerprint == idempotency.fingerprint {
            true => Ok(Some(stored.submission)),
            false => Err(StoreError::KeyReused),
        };
    }
    let stored: Option<Earlier> = query(EARLIER)
        .bind(idempotency.unscoped())
        .fetch_optional(connection)
        .await?;
    let same = stored.filter(|stored| stored.fingerprint == idempotency.fingerprint);
    Ok(same.map(|stored| stored.submission))
}

struct Earlier {
    submission: SubmittedExperience,
    fingerprint: Vec<u8>,
}

impl<'r, R: Columns> FromRow<'r, R> for Earlier {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self {
            submission: SubmittedExperience {
                id: id_of(row.read("experience_id")?)?,
                is_known: row.read("is_known")?,
            },
            fingerprint: row.read("fingerprint")?,
        })
    }
}

/// Stores the key of a submission whose content is stored with an id.
pub(crate) async fn insert_key(
    connection: &mut impl SqlConnection,
    key: &IdempotencyKey,
    id: Uuid,
    now: Timestamp,
) -> Result<()> {
    query(
        "insert into idempotency_keys (key, fingerprint, experience_id, created_at) \
         values ($1, $2, $3, $4)",
    )
    .bind(&key.key)
    .bind(&key.fingerprint)
    .bind(id)
    .bind(now)
    .execute(connection)
    .await?;
    Ok(())
}
