//! Writing the chunks of new files.

use jiff::Timestamp;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    ChunkContent, NewDocsFile, Result, chunk_id,
    database::columns::integer_of,
    postgres::{Head, take_seqs, text::encoded},
};

/// A chunk about to be written.
struct NewRow<'a> {
    id: Uuid,
    file: u64,
    content: &'a ChunkContent,
}

/// Writes the chunks of new files at the next `seq`s, in their order.
pub(super) async fn insert(
    connection: &mut PgConnection,
    files: &[(u64, &NewDocsFile)],
    now: Timestamp,
) -> Result<()> {
    let rows: Vec<NewRow<'_>> = files.iter().flat_map(rows_of).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let before = take_seqs(&mut *connection, Head::Chunks, rows.len()).await?;
    sqlx::query(
        "insert into chunks (seq, id, file_id, kind, title, description, language, text, line, \
         tokens, created_at) \
         select $1 + n.place, n.id, n.file, n.kind, n.title, n.description, n.language, n.text, \
         n.line, n.tokens, $2 from unnest($3::text[], $4::bigint[], $5::text[], $6::text[], \
         $7::text[], $8::text[], $9::text[], $10::bigint[], $11::bigint[]) with ordinality \
         as n (id, file, kind, title, description, language, text, line, tokens, place)",
    )
    .bind(before)
    .bind(now.as_microsecond())
    .bind(each(&rows, |row| row.id.to_string()))
    .bind(each(&rows, |row| integer_of(row.file)))
    .bind(each(&rows, |row| row.content.kind.as_str()))
    .bind(each(&rows, |row| encoded(&row.content.title)))
    .bind(each(&rows, |row| {
        row.content.description.as_deref().map(encoded)
    }))
    .bind(each(&rows, |row| {
        row.content.language.as_deref().map(encoded)
    }))
    .bind(each(&rows, |row| encoded(&row.content.text)))
    .bind(each(&rows, |row| i64::from(row.content.line)))
    .bind(each(&rows, |row| i64::from(row.content.tokens)))
    .execute(connection)
    .await?;
    Ok(())
}

fn rows_of<'a>((file, new): &(u64, &'a NewDocsFile)) -> impl Iterator<Item = NewRow<'a>> {
    let (file, hash) = (*file, new.hash);
    (0_u32..)
        .zip(&new.chunks)
        .map(move |(place, content)| NewRow {
            id: chunk_id(file, content.kind, place, &hash),
            file,
            content,
        })
}

/// Returns one column of the rows.
fn each<'a, T>(rows: &'a [NewRow<'_>], column: impl Fn(&'a NewRow<'_>) -> T) -> Vec<T> {
    rows.iter().map(column).collect()
}
