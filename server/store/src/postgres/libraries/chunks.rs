//! Chunks: written with their file, read in commit order and by id, emptied when their file is removed.

use jiff::Timestamp;
use recall_kit_shared_types::libraries::DocsMode;
use sqlx::{PgConnection, Row, postgres::PgRow};
use uuid::Uuid;

use crate::{
    Chunk, ChunkContent, IndexRow, IndexedChunk, NewDocsFile, Page, Result, chunk_id,
    database::columns::{count_of, damaged, id_of, integer_of, kind_of, timestamp_of},
    postgres::{
        Head, take_seqs,
        text::{decoded, encoded},
    },
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

/// Empties the chunks of files inside a transaction that has locked the head of chunks, and moves them to
/// the head, so that every index removes them. From then on `created_at` is the time of their removal.
pub(super) async fn empty(connection: &mut PgConnection, files: &[i64]) -> Result<()> {
    let row = sqlx::query("select count(*) from chunks where file_id = any($1)")
        .bind(files)
        .fetch_one(&mut *connection)
        .await?;
    let count = usize::try_from(count_of(row.try_get(0)?)).unwrap_or(usize::MAX);
    if count == 0 {
        return Ok(());
    }
    sqlx::query(
        "delete from chunk_vectors v using chunks c where c.file_id = any($1) and v.chunk_id = c.id",
    )
    .bind(files)
    .execute(&mut *connection)
    .await?;
    let before = take_seqs(&mut *connection, Head::Chunks, count).await?;
    sqlx::query(
        "update chunks c set seq = $1 + n.place, file_id = null, title = '', description = null, \
         language = null, text = '', created_at = (extract(epoch from now()) * 1000000)::bigint \
         from (select id, row_number() over (order by seq) as place \
         from chunks where file_id = any($2)) n where c.id = n.id",
    )
    .bind(before)
    .bind(files)
    .execute(connection)
    .await?;
    Ok(())
}

/// Deletes rows of chunks that were removed before a point in time.
pub(super) async fn purge(
    connection: &mut PgConnection,
    before: Timestamp,
    limit: u32,
) -> Result<u64> {
    let due = sqlx::query("select 1 from chunks where file_id is null and created_at < $1 limit 1")
        .bind(before.as_microsecond())
        .fetch_optional(&mut *connection)
        .await?;
    if due.is_none() {
        return Ok(0);
    }
    let purged = sqlx::query(
        "delete from chunks where seq in (select seq from chunks \
         where file_id is null and created_at < $1 limit $2)",
    )
    .bind(before.as_microsecond())
    .bind(i64::from(limit))
    .execute(connection)
    .await?;
    Ok(purged.rows_affected())
}

/// Reads the head and the number of chunks.
pub(super) async fn head_and_size(connection: &mut PgConnection) -> Result<(u64, u64)> {
    let row = sqlx::query(
        "select seq, (select count(*) from chunks where file_id is not null) \
         from heads where family = 'chunks'",
    )
    .fetch_one(connection)
    .await?;
    Ok((count_of(row.try_get(0)?), count_of(row.try_get(1)?)))
}

/// Counts the chunks up to a `seq`.
pub(super) async fn count(connection: &mut PgConnection, up_to: u64) -> Result<u64> {
    let row = sqlx::query("select count(*) from chunks where seq <= $1 and file_id is not null")
        .bind(integer_of(up_to))
        .fetch_one(connection)
        .await?;
    Ok(count_of(row.try_get(0)?))
}

/// Reads chunks in commit order.
pub(super) async fn after(
    connection: &mut PgConnection,
    seq: u64,
    limit: u32,
) -> Result<Vec<IndexedChunk>> {
    let rows = sqlx::query(
        "select c.seq, c.id, c.kind, c.title, c.description, c.language, c.text, c.line, \
         c.tokens, c.created_at, v.vector, c.file_id is null as is_gone from chunks c \
         left join chunk_vectors v on v.chunk_id = c.id and v.model = \
         (select value from database_facts where name = 'embedding_model') \
         where c.seq > $1 order by c.seq limit $2",
    )
    .bind(integer_of(seq))
    .bind(i64::from(limit))
    .fetch_all(connection)
    .await?;
    let indexed = |row: &PgRow| {
        let index_row = index_row_of(row)?;
        Ok(IndexedChunk {
            content: match index_row.is_gone {
                true => None,
                false => Some(content_of(row)?),
            },
            row: index_row,
        })
    };
    rows.iter().map(indexed).collect()
}

/// Reads the index rows, without texts, of chunks after one `seq` and up to another.
pub(super) async fn rows(
    connection: &mut PgConnection,
    (after, up_to): (u64, u64),
    limit: u32,
) -> Result<Vec<IndexRow>> {
    let rows = sqlx::query(
        "select c.seq, c.id, c.created_at, v.vector, c.file_id is null as is_gone from chunks c \
         left join chunk_vectors v on v.chunk_id = c.id and v.model = \
         (select value from database_facts where name = 'embedding_model') \
         where c.seq > $1 and c.seq <= $2 order by c.seq limit $3",
    )
    .bind(integer_of(after))
    .bind(integer_of(up_to))
    .bind(i64::from(limit))
    .fetch_all(connection)
    .await?;
    rows.iter().map(index_row_of).collect()
}

/// Reads chunks by id; removed chunks are left out.
pub(super) async fn by_ids(connection: &mut PgConnection, ids: &[Uuid]) -> Result<Vec<Chunk>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<String> = ids.iter().map(Uuid::to_string).collect();
    let rows = sqlx::query(
        "select c.id, f.path, c.kind, c.title, c.description, c.language, c.text, c.line, c.tokens \
         from chunks c join docs_files f on f.id = c.file_id where c.id = any($1)",
    )
    .bind(ids)
    .fetch_all(connection)
    .await?;
    rows.iter().map(chunk_of).collect()
}

/// Reads the ids of all chunks in a programming language.
pub(super) async fn in_language(
    connection: &mut PgConnection,
    language: &str,
) -> Result<Vec<Uuid>> {
    let rows = sqlx::query("select id from chunks where language = $1")
        .bind(encoded(language))
        .fetch_all(connection)
        .await?;
    rows.iter().map(|row| id_of(row.try_get(0)?)).collect()
}

/// Reads the chunks of a file, in order.
pub(super) async fn of_file(
    connection: &mut PgConnection,
    hash: [u8; 32],
) -> Result<Vec<ChunkContent>> {
    // An id ends with the place of its chunk, below the kind.
    let rows = sqlx::query(
        "select c.id, c.kind, c.title, c.description, c.language, c.text, c.line, c.tokens \
         from chunks c join docs_files f on f.id = c.file_id where f.hash = $1 order by c.line, c.id",
    )
    .bind(hash.as_slice())
    .fetch_all(connection)
    .await?;
    rows.iter().map(content_of).collect()
}

/// Reads a page of a version's chunks, of one kind or of both, and counts them.
pub(super) async fn of_version(
    connection: &mut PgConnection,
    (version, kind): (u64, Option<DocsMode>),
    page: Page,
) -> Result<(Vec<Chunk>, u64)> {
    let kind = kind.map(DocsMode::as_str);
    let total = sqlx::query(
        "select count(*) from version_files v join chunks c on c.file_id = v.file_id \
         where v.version_id = $1 and ($2::text is null or c.kind = $2)",
    )
    .bind(integer_of(version))
    .bind(kind)
    .fetch_one(&mut *connection)
    .await?;
    // An id ends with the place of its chunk, below the kind.
    let rows = sqlx::query(
        "select c.id, f.path, c.kind, c.title, c.description, c.language, c.text, c.line, c.tokens \
         from version_files v join docs_files f on f.id = v.file_id \
         join chunks c on c.file_id = f.id \
         where v.version_id = $1 and ($2::text is null or c.kind = $2) \
         order by f.path, f.id, c.line, c.id limit $3 offset $4",
    )
    .bind(integer_of(version))
    .bind(kind)
    .bind(i64::from(page.limit))
    .bind(integer_of(page.offset))
    .fetch_all(connection)
    .await?;
    let chunks = rows.iter().map(chunk_of).collect::<Result<_>>()?;
    Ok((chunks, count_of(total.try_get(0)?)))
}

/// Reads a chunk from a row with the columns of [`by_ids`].
pub(super) fn chunk_of(row: &PgRow) -> Result<Chunk> {
    Ok(Chunk {
        id: id_of(row.try_get("id")?)?,
        path: decoded(row.try_get("path")?),
        content: content_of(row)?,
    })
}

pub(in crate::postgres) fn content_of(row: &PgRow) -> Result<ChunkContent> {
    let id: &str = row.try_get("id")?;
    let small = |column: &'static str| {
        let number: i64 = row.try_get(column)?;
        u32::try_from(number).map_err(|_| damaged(column, id))
    };
    Ok(ChunkContent {
        kind: kind_of(row.try_get("kind")?, id)?,
        title: decoded(row.try_get("title")?),
        description: row
            .try_get::<Option<String>, _>("description")?
            .map(decoded),
        language: row.try_get::<Option<String>, _>("language")?.map(decoded),
        text: decoded(row.try_get("text")?),
        line: small("line")?,
        tokens: small("tokens")?,
    })
}

fn index_row_of(row: &PgRow) -> Result<IndexRow> {
    let id: &str = row.try_get("id")?;
    Ok(IndexRow {
        seq: count_of(row.try_get("seq")?),
        id: id_of(id)?,
        created_at: timestamp_of(row.try_get("created_at")?, id)?,
        query_count: 0,
        popularity: 0,
        vector: row.try_get("vector")?,
        is_gone: row.try_get("is_gone")?,
    })
}
