//! Writing vectors of chunks.

use sqlx::{PgConnection, Row};

use crate::{
    NewVector, Result,
    postgres::{Head, lock_head, take_seqs},
    sql::models::check_model,
};

/// Stores vectors of the database's model for chunks that have none and still exist.
pub(super) async fn put(
    connection: &mut PgConnection,
    model: &str,
    vectors: &[NewVector],
) -> Result<()> {
    lock_head(&mut *connection, Head::Chunks).await?;
    check_model(connection, model).await?;
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
