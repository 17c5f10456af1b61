//! Content hashes of experiences: computed for records that an older version of the program wrote, and
//! looked up.

use sqlx::{Row, SqliteConnection, SqliteExecutor};
use uuid::Uuid;

use crate::{
    Result, database::columns::id_of, experiences::content_hash::content_hash,
    sqlite::experiences::content_of,
};

/// Whether there are records whose hashes may be missing or wrong.
pub(crate) async fn lag(connection: impl SqliteExecutor<'_>) -> Result<bool> {
    let row = sqlx::query("select hashed < seq from head")
        .fetch_one(connection)
        .await?;
    Ok(row.try_get(0)?)
}

/// Hashes the next records whose hashes may be missing, inside a write transaction; returns how many.
pub(crate) async fn hash_next(write: &mut SqliteConnection, limit: u32) -> Result<u64> {
    if !lag(&mut *write).await? {
        return Ok(0);
    }
    let rows = sqlx::query(
        "select seq, id, title, problem_description, root_cause, solution, context, keywords \
         from experiences where seq > (select hashed from head) order by seq limit ?",
    )
    .bind(limit)
    .fetch_all(&mut *write)
    .await?;
    let mut last = None;
    for row in &rows {
        let seq: i64 = row.try_get("seq")?;
        let hash = content_hash(&content_of(row)?);
        put(&mut *write, row.try_get("id")?, &hash).await?;
        last = Some(seq);
    }
    let are_all = rows.len() < limit as usize;
    sqlx::query("update head set hashed = case when ? then seq else coalesce(?, hashed) end")
        .bind(are_all)
        .bind(last)
        .execute(write)
        .await?;
    Ok(rows.len() as u64)
}

/// Returns the visible record with a content hash.
pub(crate) async fn record_with(
    write: &mut SqliteConnection,
    hash: &[u8; 32],
) -> Result<Option<Uuid>> {
    loop {
        let row = sqlx::query(
            "select id, title, problem_description, root_cause, solution, context, keywords \
             from experiences where content_hash = ? and coalesce(hidden_at, deleted_at) is null \
             order by created_at, id limit 1",
        )
        .bind(hash.as_slice())
        .fetch_optional(&mut *write)
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
        put(&mut *write, id, &present).await?;
    }
}

async fn put(write: &mut SqliteConnection, id: &str, hash: &[u8; 32]) -> Result<()> {
    sqlx::query("update experiences set content_hash = ? where id = ?")
        .bind(hash.as_slice())
        .bind(id)
        .execute(write)
        .await?;
    Ok(())
}
