//! Chunks that have no vectors.

use uuid::Uuid;

use super::chunks::select_chunks;
use crate::{
    Chunk, Result,
    sql::{SqlConnection, query},
};

/// Reads chunks without a vector of a model, ordered by id.
pub(crate) async fn missing(
    connection: &mut impl SqlConnection,
    model: &str,
    after: Uuid,
    limit: u32,
) -> Result<Vec<Chunk>> {
    query(concat!(
        select_chunks!(),
        "from chunks c join docs_files f on f.id = c.file_id where c.id > $1 and not exists \
         (select 1 from chunk_vectors v where v.chunk_id = c.id and v.model = $2) \
         order by c.id limit $3"
    ))
    .bind(after)
    .bind(model)
    .bind(limit)
    .fetch_all(connection)
    .await
}

/// Counts the chunks without a vector of a model.
pub(crate) async fn count_missing(connection: &mut impl SqlConnection, model: &str) -> Result<u64> {
    query(
        "select (select count(*) from chunks where file_id is not null) \
         - (select count(*) from chunk_vectors where model = $1)",
    )
    .bind(model)
    .fetch_count(connection)
    .await
}
