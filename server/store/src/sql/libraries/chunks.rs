//! Chunks: read in commit order and by id, emptied when their file is removed.

use jiff::Timestamp;
use recall_kit_shared_types::libraries::DocsMode;
use sqlx::FromRow;
use uuid::Uuid;

use crate::{
    Chunk, ChunkContent, IndexRow, IndexedChunk, Page, Result,
    database::columns::{count_of, damaged, id_of, integer_of, kind_of, timestamp_of},
    sql::{Columns, Dialects, Family, Id, SqlConnection, query},
};

/// Selects what [`Chunk`] is read from, of a chunk `c` and its file `f`.
macro_rules! select_chunks {
    () => {
        "select c.id, f.path, c.kind, c.title, c.description, c.language, c.text, c.line, c.tokens "
    };
}

pub(super) use select_chunks;

/// Empties the chunks of files, with an expression for the time in seconds.
macro_rules! empty_chunks {
    ($seconds:literal) => {
        concat!(
            "update chunks set seq = $1 + n.place, file_id = null, title = '', description = null, \
             language = null, text = '', created_at = cast(",
            $seconds,
            " * 1000000 as bigint) from (select id, row_number() over (order by seq) as place \
             from chunks where file_id = any($2)) n where chunks.id = n.id"
        )
    };
}

/// Empties the chunks of files inside a transaction that has locked the family of chunks, and moves them
/// to the next `seq`s, so that every index removes them. From then on `created_at` is the time of their
/// removal.
pub(crate) async fn empty(connection: &mut impl SqlConnection, files: &[i64]) -> Result<()> {
    let count = query("select count(*) from chunks where file_id = any($1)")
        .bind(files)
        .fetch_count(connection)
        .await?;
    if count == 0 {
        return Ok(());
    }
    query(
        "delete from chunk_vectors where chunk_id in (select id from chunks where file_id = any($1))",
    )
    .bind(files)
    .execute(connection)
    .await?;
    let before = connection
        .take_seqs(Family::Chunks, usize::try_from(count).unwrap_or(usize::MAX))
        .await?;
    let empty = connection.dialect(Dialects {
        sqlite: empty_chunks!("unixepoch()"),
        postgres: empty_chunks!("extract(epoch from now())"),
    });
    query(empty)
        .bind(before)
        .bind(files)
        .execute(connection)
        .await?;
    Ok(())
}

/// Returns whether there are rows of chunks that were removed before a point in time.
pub(crate) async fn is_purge_due(
    connection: &mut impl SqlConnection,
    before: Timestamp,
) -> Result<bool> {
    let due: Option<(i32,)> =
        query("select 1 from chunks where file_id is null and created_at < $1 limit 1")
            .bind(before)
            .fetch_optional(connection)
            .await?;
    Ok(due.is_some())
}

/// Deletes rows of chunks that were removed before a point in time.
pub(crate) async fn purge(
    connection: &mut impl SqlConnection,
    before: Timestamp,
    limit: u32,
) -> Result<u64> {
    query(
        "delete from chunks where seq in (select seq from chunks \
         where file_id is null and created_at < $1 limit $2)",
    )
    .bind(before)
    .bind(limit)
    .execute(connection)
    .await
}

/// Counts the chunks up to a `seq`.
pub(crate) async fn count(connection: &mut impl SqlConnection, up_to: u64) -> Result<u64> {
    query("select count(*) from chunks where seq <= $1 and file_id is not null")
        .bind(integer_of(up_to))
        .fetch_count(connection)
        .await
}

/// Reads chunks in commit order.
pub(crate) async fn after(
    connection: &mut impl SqlConnection,
    seq: u64,
    limit: u32,
) -> Result<Vec<IndexedChunk>> {
    query(
        "select c.seq, c.id, c.kind, c.title, c.description, c.language, c.text, c.line, \
         c.tokens, c.created_at, v.vector, c.file_id is null as is_gone from chunks c \
         left join chunk_vectors v on v.chunk_id = c.id and v.model = \
         (select value from database_facts where name = 'embedding_model') \
         where c.seq > $1 order by c.seq limit $2",
    )
    .bind(integer_of(seq))
    .bind(limit)
    .fetch_all(connection)
    .await
}

/// Reads the index rows, without texts, of chunks after one `seq` and up to another.
pub(crate) async fn rows(
    connection: &mut impl SqlConnection,
    (after, up_to): (u64, u64),
    limit: u32,
) -> Result<Vec<IndexRow>> {
    let rows: Vec<ChunkRow> = query(
        "select c.seq, c.id, c.created_at, v.vector, c.file_id is null as is_gone from chunks c \
         left join chunk_vectors v on v.chunk_id = c.id and v.model = \
         (select value from database_facts where name = 'embedding_model') \
         where c.seq > $1 and c.seq <= $2 order by c.seq limit $3",
    )
    .bind(integer_of(after))
    .bind(integer_of(up_to))
    .bind(limit)
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// Reads chunks by id; removed chunks are left out.
pub(crate) async fn by_ids(
    connection: &mut impl SqlConnection,
    ids: &[Uuid],
) -> Result<Vec<Chunk>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    query(concat!(
        select_chunks!(),
        "from chunks c join docs_files f on f.id = c.file_id where c.id = any($1)"
    ))
    .bind(ids)
    .fetch_all(connection)
    .await
}

/// Reads the ids of all chunks in a programming language.
pub(crate) async fn in_language(
    connection: &mut impl SqlConnection,
    language: &str,
) -> Result<Vec<Uuid>> {
    let ids: Vec<Id> = query("select id from chunks where language = $1")
        .bind(language)
        .fetch_all(connection)
        .await?;
    Ok(ids.into_iter().map(|id| id.0).collect())
}

/// Reads the chunks of a file, in order.
pub(crate) async fn of_file(
    connection: &mut impl SqlConnection,
    hash: [u8; 32],
) -> Result<Vec<ChunkContent>> {
    // An id ends with the place of its chunk, below the kind.
    query(
        "select c.id, c.kind, c.title, c.description, c.language, c.text, c.line, c.tokens \
         from chunks c join docs_files f on f.id = c.file_id where f.hash = $1 order by c.line, c.id",
    )
    .bind(hash.as_slice())
    .fetch_all(connection)
    .await
}

/// Reads a page of a version's chunks, of one kind or of both, and counts them.
pub(crate) async fn of_version(
    connection: &mut impl SqlConnection,
    (version, kind): (u64, Option<DocsMode>),
    page: Page,
) -> Result<(Vec<Chunk>, u64)> {
    let kind = kind.map(DocsMode::as_str);
    let total = query(
        "select count(*) from version_files v join chunks c on c.file_id = v.file_id \
         where v.version_id = $1 and ($2 is null or c.kind = $2)",
    )
    .bind(integer_of(version))
    .bind(kind)
    .fetch_count(connection)
    .await?;
    // An id ends with the place of its chunk, below the kind.
    let chunks = query(concat!(
        select_chunks!(),
        "from version_files v join docs_files f on f.id = v.file_id \
         join chunks c on c.file_id = f.id \
         where v.version_id = $1 and ($2 is null or c.kind = $2) \
         order by f.path, f.id, c.line, c.id limit $3 offset $4"
    ))
    .bind(integer_of(version))
    .bind(kind)
    .bind(page.limit)
    .bind(integer_of(page.offset))
    .fetch_all(connection)
    .await?;
    Ok((chunks, total))
}

impl<'r, R: Columns> FromRow<'r, R> for Chunk {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self {
            id: id_of(row.read("id")?)?,
            path: row.text("path")?,
            content: ChunkContent::from_row(row)?,
        })
    }
}

impl<'r, R: Columns> FromRow<'r, R> for ChunkContent {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("id")?;
        let small = |column: &'static str| {
            let number: i64 = row.read(column)?;
            u32::try_from(number).map_err(|_| damaged(column, id))
        };
        Ok(Self {
            kind: kind_of(row.read("kind")?, id)?,
            title: row.text("title")?,
            description: row.optional_text("description")?,
            language: row.optional_text("language")?,
            text: row.text("text")?,
            line: small("line")?,
            tokens: small("tokens")?,
        })
    }
}

impl<'r, R: Columns> FromRow<'r, R> for IndexedChunk {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let ChunkRow(index_row) = ChunkRow::from_row(row)?;
        Ok(Self {
            content: match index_row.is_gone {
                true => None,
                false => Some(ChunkContent::from_row(row)?),
            },
            row: index_row,
        })
    }
}

/// The index row of a chunk.
struct ChunkRow(IndexRow);

impl<'r, R: Columns> FromRow<'r, R> for ChunkRow {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("id")?;
        Ok(Self(IndexRow {
            seq: count_of(row.read("seq")?),
            id: id_of(id)?,
            created_at: timestamp_of(row.read("created_at")?, id)?,
            query_count: 0,
            popularity: 0,
            vector: row.read("vector")?,
            is_gone: row.read("is_gone")?,
        }))
    }
}
