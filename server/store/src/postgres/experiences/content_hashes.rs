//! Content hashes of experiences: computed for records that an older version of the program wrote, and
//! looked up.

use sqlx::{PgConnection, Row};
use uuid::Uuid;

use crate::{
    Result,
    database::columns::id_of,
    experiences::content_hash::content_hash,
    postgres::{Head, experiences::content_of, lock_head},
};

/// Whether there are records whose hashes may be missing or wrong.
pub(crate) async fn lag(connection: &mut PgConnection) -> Result<bool> {
    let row = sqlx::query("select hashed < seq from heads where family = 'experiences'")
        .fetch_one(connection)
        .await?;
    Ok(row.try_get(0)?)
}

/// Hashes the next records whose hashes may be missing, inside a transaction; returns how many.
pub(crate) async fn hash_next(transaction: &mut PgConnection, limit: u32) -> Result<u64> {
    lock_head(transaction, Head::Experiences).await?;
    let rows = sqlx::query(
        "select seq, id, title, problem_description, root_cause, solution, context, keywords \
         from experiences where seq > (select hashed from heads where family = 'experiences') \
         order by seq limit $1",
    )
    .bind(i64::from(limit))
    .fetch_all(&mut *transaction)
    .await?;
    let mut hashes = Vec::with_capacity(rows.len());
    for row in &rows {
        hashes.push((row.try_get("id")?, content_hash(&content_of(row)?)));
    }
    put(&mut *transaction, &hashes).await?;
    let last: Option<i64> = rows.last().map(|row| row.try_get("seq")).transpose()?;
    let are_all = rows.len() < limit as usize;
    sqlx::query(
        "update heads set hashed = case when $1 then seq else coalesce($2, hashed) end \
         where family = 'experiences'",
    )
    .bind(are_all)
    .bind(last)
    .execute(transaction)
    .await?;
    Ok(rows.len() as u64)
}

/// Returns the visible record with a content hash, inside a transaction that has locked the head.
pub(crate) async fn record_with(
    transaction: &mut PgConnection,
    hash: &[u8; 32],
) -> Result<Option<Uuid>> {
    loop {
        let row = sqlx::query(
            "select id, title, problem_description, root_cause, solution, context, keywords \
             from experiences where id = experience_with_hash($1)",
        )
        .bind(hash.as_slice())
        .fetch_optional(&mut *transaction)
        .await?;
        let Some(row) = row else {
            return Ok(None);
        };
        let id: &str = row.try_get("id")?;
        let present = content_hash(&content_of(&row)?);
        if present == *hash {
            return id_of(id).map(Some);
        }
        // An older version of the program changed the record without updating its hash.
        put(&mut *transaction, &[(id, present)]).await?;
    }
}

async fn put(transaction: &mut PgConnection, hashes: &[(&str, [u8; 32])]) -> Result<()> {
    let ids: Vec<&str> = hashes.iter().map(|(id, _)| *id).collect();
    let hashes: Vec<&[u8]> = hashes.iter().map(|(_, hash)| hash.as_slice()).collect();
    sqlx::query(
        "update experiences e set content_hash = new.hash \
         from unnest($1::text[], $2::bytea[]) as new(id, hash) where e.id = new.id",
    )
    .bind(ids)
    .bind(hashes)
    .execute(transaction)
    .await?;
    Ok(())
}
