//! Vectors of chunks.

use sqlx::{Row, SqliteConnection, SqlitePool};
use uuid::Uuid;

use super::{chunks::chunk_of, take_seqs};
use crate::{Chunk, NewVector, Result, database::columns::count_of, sqlite::vectors::check_model};

/// Reads chunks without a vector of a model, ordered by id.
pub(super) async fn missing(
    readers: &SqlitePool,
    model: &str,
    after: Uuid,
    limit: u32,
) -> Result<Vec<Chunk>> {
    let rows = sqlx::query(
        "select c.id, f.path, c.kind, c.title, c.description, c.language, c.text, c.line, c.tokens \
         from chunks c join docs_files f on f.id = c.file_id where c.id > ? and not exists \
         (select 1 from chunk_vectors v where v.chunk_id = c.id and v.model = ?) \
         order by c.id limit ?",
    )
    .bind(after.to_string())
    .bind(model)
    .bind(limit)
    .fetch_all(readers)
    .await?;
    rows.iter().map(chunk_of).collect()
}

/// Counts the chunks without a vector of a model.
pub(super) async fn count_missing(readers: &SqlitePool, model: &str) -> Result<u64> {
    let row = sqlx::query(
        "select (select count(*) from chunks where file_id is not null) \
         - (select count(*) from chunk_vectors where model = ?)",
    )
    .bind(model)
    .fetch_one(readers)
    .await?;
    Ok(count_of(row.try_get(0)?))
}

/// Stores vectors of the database's model for chunks that have none and still exist.
pub(super) async fn put(
    write: &mut SqliteConnection,
    model: &str,
    vectors: &[NewVector],
) -> Result<()> {
    check_model(&mut *write, model).await?;
    for NewVector { id, vector } in vectors {
        let id = id.to_string();
        // Another process may have stored the vector, and the chunk may have been removed meanwhile.
        let written = sqlx::query(
            "insert into chunk_vectors (chunk_id, model, vector) \
             select id, ?, ? from chunks where id = ? and file_id is not null \
             on conflict (chunk_id) do update set model = excluded.model, \
             vector = excluded.vector where model <> excluded.model",
        )
        .bind(model)
        .bind(vector)
        .bind(&id)
        .execute(&mut *write)
        .await?;
        if written.rows_affected() > 0 {
            let before = take_seqs(&mut *write, 1).await?;
            sqlx::query("update chunks set seq = ? where id = ?")
                .bind(before + 1)
                .bind(&id)
                .execute(&mut *write)
                .await?;
        }
    }
    Ok(())
}
