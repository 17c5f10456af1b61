//! Vectors of entries, and reads of entries for the index.

use sqlx::{Row, SqliteConnection, SqlitePool, sqlite::SqliteRow};
use ulid::Ulid;

use super::{entries::content_of, json_of, next_seq};
use crate::{
    EntryVectors, IndexRow, IndexedEntry, NewEntryVectors, Result,
    database::columns::{count_of, integer_of, timestamp_of, ulid_of, word_of},
    sqlite::vectors::check_model,
};

/// Writes the vectors of an entry inside a write transaction.
pub(super) async fn insert(
    write: &mut SqliteConnection,
    model: &str,
    id: Ulid,
    vectors: &EntryVectors,
) -> Result<()> {
    sqlx::query(
        "insert into entry_vectors (entry_id, model, summary, context) values (?, ?, ?, ?) \
         on conflict (entry_id) do update set model = excluded.model, \
         summary = excluded.summary, context = excluded.context",
    )
    .bind(id.to_string())
    .bind(model)
    .bind(&vectors.summary)
    .bind(&vectors.context)
    .execute(write)
    .await?;
    Ok(())
}

/// Counts entries that have no vectors of a model.
pub(super) async fn count_missing(readers: &SqlitePool, model: &str) -> Result<u64> {
    let row = sqlx::query(
        "select count(*) from entries e where not exists \
         (select 1 from entry_vectors v where v.entry_id = e.id and v.model = ?)",
    )
    .bind(model)
    .fetch_one(readers)
    .await?;
    Ok(count_of(row.try_get(0)?))
}

/// Stores vectors for entries that have none of the model and have not changed since they were embedded;
/// returns the ids of these entries.
pub(super) async fn put(
    write: &mut SqliteConnection,
    model: &str,
    vectors: &[NewEntryVectors],
) -> Result<Vec<Ulid>> {
    check_model(&mut *write, model).await?;
    let mut written = Vec::with_capacity(vectors.len());
    for new in vectors {
        // Meanwhile the entry may have been changed, or another process may have stored its vectors.
        let needs_vectors = sqlx::query(
            "select 1 from entries e where id = ? and updated_at = ? and not exists \
             (select 1 from entry_vectors v where v.entry_id = e.id and v.model = ?)",
        )
        .bind(new.id.to_string())
        .bind(new.version)
        .bind(model)
        .fetch_optional(&mut *write)
        .await?;
        if needs_vectors.is_some() {
            insert(&mut *write, model, new.id, &new.vectors).await?;
            move_to_head(&mut *write, new.id).await?;
            written.push(new.id);
        }
    }
    Ok(written)
}

/// Moves an entry to the next `seq`, so that every index reads it again.
pub(super) async fn move_to_head(write: &mut SqliteConnection, id: Ulid) -> Result<()> {
    let seq = next_seq(&mut *write).await?;
    sqlx::query("update entries set seq = ? where id = ?")
        .bind(seq)
        .bind(id.to_string())
        .execute(write)
        .await?;
    Ok(())
}

/// Reads the vectors of some entries.
pub(super) async fn by_ids(
    readers: &SqlitePool,
    ids: &[Ulid],
) -> Result<Vec<(Ulid, EntryVectors)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows = sqlx::query(
        "select entry_id, summary, context from entry_vectors \
         where entry_id in (select value from json_each(?)) and model = \
         (select value from database_facts where name = 'embedding_model')",
    )
    .bind(json_of(ids))
    .fetch_all(readers)
    .await?;
    let vectors = |row: &SqliteRow| {
        let vectors = EntryVectors {
            summary: row.try_get(1)?,
            context: row.try_get(2)?,
        };
        Ok((ulid_of(row.try_get(0)?)?, vectors))
    };
    rows.iter().map(vectors).collect()
}

/// Reads entries in commit order.
pub(super) async fn entries_after(
    readers: &SqlitePool,
    seq: u64,
    limit: u32,
) -> Result<Vec<IndexedEntry>> {
    let rows = sqlx::query(
        "select e.seq, e.id, e.type, e.title, e.content, e.tags, e.project, e.context, \
         e.confidence, e.status, e.memory_type, e.access_count, e.popularity, e.created_at, \
         v.summary as summary_vector, v.context as context_vector from entries e \
         left join entry_vectors v on v.entry_id = e.id and v.model = \
         (select value from database_facts where name = 'embedding_model') \
         where e.seq > ? order by e.seq limit ?",
    )
    .bind(integer_of(seq))
    .bind(limit)
    .fetch_all(readers)
    .await?;
    let indexed = |row: &SqliteRow| {
        let id: &str = row.try_get("id")?;
        Ok(IndexedEntry {
            row: index_row_of(row)?,
            status: word_of(row.try_get("status")?, "status", id)?,
            content: content_of(row)?,
        })
    };
    rows.iter().map(indexed).collect()
}

/// Reads the index rows, without texts, of entries after one `seq` and up to another.
pub(super) async fn rows(
    readers: &SqlitePool,
    (after, up_to): (u64, u64),
    limit: u32,
) -> Result<Vec<IndexRow>> {
    let rows = sqlx::query(
        "select e.seq, e.id, e.access_count, e.popularity, e.created_at, \
         v.summary as summary_vector, v.context as context_vector from entries e \
         left join entry_vectors v on v.entry_id = e.id and v.model = \
         (select value from database_facts where name = 'embedding_model') \
         where e.seq > ? and e.seq <= ? order by e.seq limit ?",
    )
    .bind(integer_of(after))
    .bind(integer_of(up_to))
    .bind(limit)
    .fetch_all(readers)
    .await?;
    rows.iter().map(index_row_of).collect()
}

fn index_row_of(row: &SqliteRow) -> Result<IndexRow> {
    let id: &str = row.try_get("id")?;
    let summary: Option<Vec<u8>> = row.try_get("summary_vector")?;
    let context: Option<Vec<u8>> = row.try_get("context_vector")?;
    Ok(IndexRow {
        seq: count_of(row.try_get("seq")?),
        id: ulid_of(id)?.into(),
        created_at: timestamp_of(row.try_get("created_at")?, id)?,
        query_count: count_of(row.try_get("access_count")?),
        popularity: count_of(row.try_get("popularity")?),
        vector: summary.map(|summary| EntryVectors::joined(summary, context.as_deref())),
        is_gone: false,
    })
}
