//! Chunks: written with their file, read in commit order and by id, emptied when their file is removed.

use jiff::Timestamp;
use recall_kit_shared_types::libraries::DocsMode;
use sqlx::{Row, SqliteConnection, SqlitePool, sqlite::SqliteRow};
use uuid::Uuid;

use super::{json_of, take_seqs};
use crate::{
    Chunk, ChunkContent, IndexRow, IndexedChunk, NewDocsFile, Page, Result, chunk_id,
    database::columns::{count_of, id_of, integer_of, kind_of, timestamp_of},
};

/// Writes the chunks of a new file inside a write transaction.
pub(super) async fn insert(
    write: &mut SqliteConnection,
    file: u64,
    new: &NewDocsFile,
    now: Timestamp,
) -> Result<()> {
    let before = take_seqs(&mut *write, new.chunks.len()).await?;
    for ((place, seq), chunk) in (0_u32..).zip(before + 1..).zip(&new.chunks) {
        sqlx::query(
            "insert into chunks (seq, id, file_id, kind, title, description, language, text, line, \
             tokens, created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
        .bind(now.as_microsecond())
        .execute(&mut *write)
        .await?;
    }
    Ok(())
}

/// Empties the chunks of a file inside a write transaction, and moves them to the head, so that every
/// index removes them. From then on `created_at` is the time of their removal.
pub(super) async fn empty(write: &mut SqliteConnection, file: u64) -> Result<()> {
    let ids = sqlx::query("select id from chunks where file_id = ? order by seq")
        .bind(integer_of(file))
        .fetch_all(&mut *write)
        .await?;
    let before = take_seqs(&mut *write, ids.len()).await?;
    for (seq, row) in (before + 1..).zip(&ids) {
        let id: &str = row.try_get(0)?;
        sqlx::query("delete from chunk_vectors where chunk_id = ?")
            .bind(id)
            .execute(&mut *write)
            .await?;
        sqlx::query(
            "update chunks set seq = ?, file_id = null, title = '', description = null, \
             language = null, text = '', created_at = unixepoch() * 1000000 where id = ?",
        )
        .bind(seq)
        .bind(id)
        .execute(&mut *write)
        .await?;
    }
    Ok(())
}

/// Returns whether there are rows of chunks that were removed before a point in time.
pub(super) async fn is_purge_due(readers: &SqlitePool, before: Timestamp) -> Result<bool> {
    let due = sqlx::query("select 1 from chunks where file_id is null and created_at < ? limit 1")
        .bind(before.as_microsecond())
        .fetch_optional(readers)
        .await?;
    Ok(due.is_some())
}

/// Deletes rows of chunks that were removed before a point in time.
pub(super) async fn purge(
    write: &mut SqliteConnection,
    before: Timestamp,
    limit: u32,
) -> Result<u64> {
    let purged = sqlx::query(
        "delete from chunks where seq in (select seq from chunks \
         where file_id is null and created_at < ? limit ?)",
    )
    .bind(before.as_microsecond())
    .bind(limit)
    .execute(write)
    .await?;
    Ok(purged.rows_affected())
}

/// Reads chunks in commit order.
pub(super) async fn after(readers: &SqlitePool, seq: u64, limit: u32) -> Result<Vec<IndexedChunk>> {
    let rows = sqlx::query(
        "select c.seq, c.id, c.kind, c.title, c.description, c.language, c.text, c.line, \
         c.tokens, c.created_at, v.vector, c.file_id is null as is_gone from chunks c \
         left join chunk_vectors v on v.chunk_id = c.id and v.model = \
         (select value from database_facts where name = 'embedding_model') \
         where c.seq > ? order by c.seq limit ?",
    )
    .bind(integer_of(seq))
    .bind(limit)
    .fetch_all(readers)
    .await?;
    let indexed = |row: &SqliteRow| {
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
    readers: &SqlitePool,
    (after, up_to): (u64, u64),
    limit: u32,
) -> Result<Vec<IndexRow>> {
    let rows = sqlx::query(
        "select c.seq, c.id, c.created_at, v.vector, c.file_id is null as is_gone from chunks c \
         left join chunk_vectors v on v.chunk_id = c.id and v.model = \
         (select value from database_facts where name = 'embedding_model') \
         where c.seq > ? and c.seq <= ? order by c.seq limit ?",
    )
    .bind(integer_of(after))
    .bind(integer_of(up_to))
    .bind(limit)
    .fetch_all(readers)
    .await?;
    rows.iter().map(index_row_of).collect()
}

/// Reads chunks by id; removed chunks are left out.
pub(super) async fn by_ids(readers: &SqlitePool, ids: &[Uuid]) -> Result<Vec<Chunk>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<String> = ids.iter().map(Uuid::to_string).collect();
    let rows = sqlx::query(
        "select c.id, f.path, c.kind, c.title, c.description, c.language, c.text, c.line, c.tokens \
         from chunks c join docs_files f on f.id = c.file_id \
         where c.id in (select value from json_each(?))",
    )
    .bind(json_of(&ids))
    .fetch_all(readers)
    .await?;
    rows.iter().map(chunk_of).collect()
}

/// Reads the ids of all chunks in a programming language.
pub(super) async fn in_language(readers: &SqlitePool, language: &str) -> Result<Vec<Uuid>> {
    let rows = sqlx::query("select id from chunks where language = ?")
        .bind(language)
        .fetch_all(readers)
        .await?;
    rows.iter().map(|row| id_of(row.try_get(0)?)).collect()
}

/// Reads the chunks of a file, in order.
pub(super) async fn of_file(readers: &SqlitePool, hash: [u8; 32]) -> Result<Vec<ChunkContent>> {
    // An id ends with the place of its chunk, below the kind.
    let rows = sqlx::query(
        "select c.id, c.kind, c.title, c.description, c.language, c.text, c.line, c.tokens \
         from chunks c join docs_files f on f.id = c.file_id where f.hash = ? order by c.line, c.id",
    )
    .bind(hash.as_slice())
    .fetch_all(readers)
    .await?;
    rows.iter().map(content_of).collect()
}

/// Reads a page of a version's chunks, of one kind or of both, and counts them.
pub(super) async fn of_version(
    readers: &SqlitePool,
    (version, kind): (u64, Option<DocsMode>),
    page: Page,
) -> Result<(Vec<Chunk>, u64)> {
    let kind = kind.map(DocsMode::as_str);
    let total = sqlx::query(
        "select count(*) from version_files v join chunks c on c.file_id = v.file_id \
         where v.version_id = ?1 and (?2 is null or c.kind = ?2)",
    )
    .bind(integer_of(version))
    .bind(kind)
    .fetch_one(readers)
    .await?;
    // An id ends with the place of its chunk, below the kind.
    let rows = sqlx::query(
        "select c.id, f.path, c.kind, c.title, c.description, c.language, c.text, c.line, c.tokens \
         from version_files v join docs_files f on f.id = v.file_id \
         join chunks c on c.file_id = f.id \
         where v.version_id = ?1 and (?2 is null or c.kind = ?2) \
         order by f.path, f.id, c.line, c.id limit ?3 offset ?4",
    )
    .bind(integer_of(version))
    .bind(kind)
    .bind(page.limit)
    .bind(integer_of(page.offset))
    .fetch_all(readers)
    .await?;
    let chunks = rows.iter().map(chunk_of).collect::<Result<_>>()?;
    Ok((chunks, count_of(total.try_get(0)?)))
}

/// Reads a chunk from a row with the columns of [`by_ids`].
pub(super) fn chunk_of(row: &SqliteRow) -> Result<Chunk> {
    Ok(Chunk {
        id: id_of(row.try_get("id")?)?,
        path: row.try_get("path")?,
        content: content_of(row)?,
    })
}

pub(in crate::sqlite) fn content_of(row: &SqliteRow) -> Result<ChunkContent> {
    let id: &str = row.try_get("id")?;
    Ok(ChunkContent {
        kind: kind_of(row.try_get("kind")?, id)?,
        title: row.try_get("title")?,
        description: row.try_get("description")?,
        language: row.try_get("language")?,
        text: row.try_get("text")?,
        line: row.try_get("line")?,
        tokens: row.try_get("tokens")?,
    })
}

fn index_row_of(row: &SqliteRow) -> Result<IndexRow> {
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
