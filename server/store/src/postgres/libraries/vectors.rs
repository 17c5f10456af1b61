//! Vectors of chunks.

use sqlx::{PgConnection, Row};
use uuid::Uuid;

use super::chunks::chunk_of;
use crate::{
    Chunk, NewVector, Result,
    database::columns::count_of,
    postgres::{Head, lock_head, take_seqs, vectors::check_model},
};

/// Reads chunks without a vector of a model, ordered by id.
pub(super) async fn missing(
    connection: &mut PgConnection,
    model: &str,
    after: Uuid,
    limit: u32,
) -> Result<Vec<Chunk>> {
    let rows = sqlx::query(
        "select c.id, f.path, c.kind, c.title, c.description, c.language, c.text, c.line, c.tokens \
         from chunks c join docs_files f on f.id = c.file_id where c.id > $1 and not exists \
         (select 1 from chunk_vectors v where v.chunk_id = c.id and v.model = $2) \
         order by c.id limit $3",
    )
    .bind(after.to_string())
    .bind(model)
    .bind(i64::from(limit))
    .fetch_all(connection)
    .await?;
    rows.iter().map(chunk_of).collect()
}

/// Counts the chunks without a vector of a model.
pub(super) async fn count_missing(connection: &mut PgConnection, model: &str) -> Result<u64> {
    let row = sqlx::query(
        "select (select count(*) from chunks where file_id is not null) \
         - (select count(*) from chunk_vectors where model = $1)",
    )
    .bind(model)
    .fetch_one(connection)
    .await?;
    Ok(count_of(row.try_get(0)?))
}

/// Stores vectors of the database's model for chunks that have none and still exist.
pub(super) async fn put(
    connection: &mut PgConnection,
    model: &str,
    vectors: &[NewVector],
) -> Result<()> {
    lock_head(&mut *connection, Head::Chunks).await?;
    check_model(&mut *connection, model).await?;
    let ids: Vec<String> = vectors.iter().map(|new| new.id.to_string()).collect();
    let bytes: Vec<&[u8]> = vectors.iter().map(|new| new.vector.as_slice()).collect();
    // Another server may have stored a vector, and a chunk may have been removed meanwhile.
    let written = sqlx::query(
        "insert into chunk_vectors (chunk_id, model, vector) \
         select distinct on (c.id) c.id, $1, n.vector \
         from unnest($2::text[], $3::bytea[]) with ordinality as n (id, vector, place) \
         join chunks c on c.id = n.id where c.file_id is not null order by c.id, n.place \
         on conflict (chunk_id) do update set model = excluded.model, vector = excluded.vector \
         where chunk_vectors.model <> excluded.model returning chunk_id",
    )
    .bind(model)
    .bind(ids)
    .bind(bytes)
    .fetch_all(&mut *connection)
    .await?;
    let written = written.iter().map(|row| Ok(row.try_get(0)?));
    move_to_head(connection, &written.collect::<Result<Vec<String>>>()?).await
}

/// Moves chunks to the next `seq`s, so that every index reads them again.
async fn move_to_head(connection: &mut PgConnection, ids: &[String]) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let before = take_seqs(&mut *connection, Head::Chunks, ids.len()).await?;
    sqlx::query(
        "update chunks c set seq = $1 + n.place \
         from unnest($2::text[]) with ordinality as n (id, place) where c.id = n.id",
    )
    .bind(before)
    .bind(ids)
    .execute(connection)
    .await?;
    Ok(())
}
