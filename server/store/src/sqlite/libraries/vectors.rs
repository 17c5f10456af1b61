//! Writing vectors of chunks.

use sqlx::SqliteConnection;

use crate::{
    NewVector, Result,
    sql::{Family, SqlConnection, models::check_model, query},
};

/// Stores vectors of the database's model for chunks that have none and still exist.
pub(super) async fn put(
    write: &mut SqliteConnection,
    model: &str,
    vectors: &[NewVector],
) -> Result<()> {
    check_model(write, model).await?;
    for NewVector { id, vector } in vectors {
        // Another process may have stored the vector, and the chunk may have been removed meanwhile.
        let written = query(
            "insert into chunk_vectors (chunk_id, model, vector) \
             select id, $1, $2 from chunks where id = $3 and file_id is not null \
             on conflict (chunk_id) do update set model = excluded.model, \
             vector = excluded.vector where model <> excluded.model",
        )
        .bind(model)
        .bind(vector.as_slice())
        .bind(*id)
        .execute(write)
        .await?;
        if written > 0 {
            let before = write.take_seqs(Family::Chunks, 1).await?;
            query("update chunks set seq = $1 where id = $2")
                .bind(before + 1)
                .bind(*id)
                .execute(write)
                .await?;
        }
    }
    Ok(())
}
