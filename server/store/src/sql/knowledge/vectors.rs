//! Vectors of entries, and reads of entries for the index.

use sqlx::FromRow;
use ulid::Ulid;

use super::EntryWrites;
use crate::{
    EntryContent, EntryVectors, IndexRow, IndexedEntry, NewEntryVectors, Result,
    database::columns::{count_of, integer_of, timestamp_of, ulid_of, word_of},
    sql::{Columns, Dialects, Family, SqlConnection, models::check_model, query},
};

/// Counts entries that have no vectors of a model.
pub(crate) async fn count_missing(connection: &mut impl SqlConnection, model: &str) -> Result<u64> {
    query(
        "select count(*) from entries e where not exists \
         (select 1 from entry_vectors v where v.entry_id = e.id and v.model = $1)",
    )
    .bind(model)
    .fetch_count(connection)
    .await
}

/// Stores vectors for entries that have none of the model and have not changed since they were embedded;
/// returns the ids of these entries.
pub(crate) async fn put(
    connection: &mut impl EntryWrites,
    model: &str,
    vectors: &[NewEntryVectors],
) -> Result<Vec<Ulid>> {
    connection.lock_family(Family::Entries).await?;
    check_model(connection, model).await?;
    let written = connection.put_vectors(model, vectors).await?;
    move_to_head(connection, &written).await?;
    Ok(written)
}

/// Moves entries to the next `seq`s, so that every index reads them again.
pub(super) async fn move_to_head(connection: &mut impl SqlConnection, ids: &[Ulid]) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let before = connection.take_seqs(Family::Entries, ids.len()).await?;
    let update = connection.dialect(Dialects {
        sqlite: "update entries set seq = $1 + 1 + n.key from json_each($2) as n \
                 where entries.id = n.value",
        postgres: "update entries e set seq = $1 + n.place \
                   from unnest($2) with ordinality as n (id, place) where e.id = n.id",
    });
    query(update)
        .bind(before)
        .bind(ids)
        .execute(connection)
        .await?;
    Ok(())
}

/// Reads the vectors of some entries.
pub(crate) async fn by_ids(
    connection: &mut impl SqlConnection,
    ids: &[Ulid],
) -> Result<Vec<(Ulid, EntryVectors)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let vectors: Vec<VectorsRow> = query(
        "select entry_id, summary, context from entry_vectors \
         where entry_id = any($1) and model = \
         (select value from database_facts where name = 'embedding_model') order by entry_id",
    )
    .bind(ids)
    .fetch_all(connection)
    .await?;
    Ok(vectors.into_iter().map(|row| row.0).collect())
}

struct VectorsRow((Ulid, EntryVectors));

impl<'r, R: Columns> FromRow<'r, R> for VectorsRow {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let vectors = EntryVectors {
            summary: row.read("summary")?,
            context: row.read("context")?,
        };
        Ok(Self((ulid_of(row.read("entry_id")?)?, vectors)))
    }
}

/// Reads entries in commit order.
pub(crate) async fn entries_after(
    connection: &mut impl SqlConnection,
    seq: u64,
    limit: u32,
) -> Result<Vec<IndexedEntry>> {
    query(
        "select e.seq, e.id, e.type, e.title, e.content, e.tags, e.project, e.context, \
         e.confidence, e.status, e.memory_type, e.citations, e.access_count, e.popularity, e.created_at, \
         v.summary as summary_vector, v.context as context_vector from entries e \
         left join entry_vectors v on v.entry_id = e.id and v.model = \
         (select value from database_facts where name = 'embedding_model') \
         where e.seq > $1 order by e.seq limit $2",
    )
    .bind(integer_of(seq))
    .bind(limit)
    .fetch_all(connection)
    .await
}

impl<'r, R: Columns> FromRow<'r, R> for IndexedEntry {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("id")?;
        Ok(Self {
            row: EntryRow::from_row(row)?.0,
            status: word_of(row.read("status")?, "status", id)?,
            content: EntryContent::from_row(row)?,
        })
    }
}

/// Reads the index rows, without texts, of entries after one `seq` and up to another.
pub(crate) async fn rows(
    connection: &mut impl SqlConnection,
    (after, up_to): (u64, u64),
    limit: u32,
) -> Result<Vec<IndexRow>> {
    let rows: Vec<EntryRow> = query(
        "select e.seq, e.id, e.access_count, e.popularity, e.created_at, \
         v.summary as summary_vector, v.context as context_vector from entries e \
         left join entry_vectors v on v.entry_id = e.id and v.model = \
         (select value from database_facts where name = 'embedding_model') \
         where e.seq > $1 and e.seq <= $2 order by e.seq limit $3",
    )
    .bind(integer_of(after))
    .bind(integer_of(up_to))
    .bind(limit)
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(|row| row.0).collect())
}

/// The index row of an entry.
struct EntryRow(IndexRow);

impl<'r, R: Columns> FromRow<'r, R> for EntryRow {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("id")?;
        let summary: Option<Vec<u8>> = row.read("summary_vector")?;
        let context: Option<&[u8]> = row.read("context_vector")?;
        Ok(Self(IndexRow {
            seq: count_of(row.read("seq")?),
            id: ulid_of(id)?.into(),
            created_at: timestamp_of(row.read("created_at")?, id)?,
            query_count: count_of(row.read("access_count")?),
            popularity: count_of(row.read("popularity")?),
            vector: summary.map(|summary| EntryVectors::joined(summary, context)),
            is_gone: false,
        }))
    }
}
