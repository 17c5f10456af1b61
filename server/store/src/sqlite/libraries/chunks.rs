//! Writing the chunks of new files.

use jiff::Timestamp;
use sqlx::SqliteConnection;

use crate::{
    NewDocsFile, Result, chunk_id,
    database::columns::integer_of,
    sql::{Family, SqlConnection, query},
};

/// Writes the chunks of a new file inside a write transaction.
pub(super) async fn insert(
    write: &mut SqliteConnection,
    file: u64,
    new: &NewDocsFile,
    now: Timestamp,
) -> Result<()> {
    let before = write.take_seqs(Family::Chunks, new.chunks.len()).await?;
    for ((place, seq), chunk) in (0_u32..).zip(before + 1..).zip(&new.chunks) {
        query(
            "insert into chunks (seq, id, file_id, kind, title, description, language, text, line, \
             tokens, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        )
        .bind(seq)
        .bind(chunk_id(file, chunk.kind, place, &new.hash).to_string())
        .bind(integer_of(file))
        .bind(chunk.kind.as_str())
        .bind(&chunk.title)
        .bind(&chunk.description)
        .bind(&chunk.language)
        .bind(&chunk.text)
        .bind(chunk.line)
        .bind(chunk.tokens)
        .bind(now)
        .execute(write)
        .await?;
    }
    Ok(())
}
