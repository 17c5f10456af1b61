//! Vectors of entries, and reads of entries for the index.

use sqlx::{PgConnection, Row, postgres::PgRow};
use ulid::Ulid;

use super::{entries::content_of, texts_of};
use crate::{
    EntryVectors, IndexRow, IndexedEntry, NewEntryVectors, Result,
    database::columns::{count_of, integer_of, timestamp_of, ulid_of, word_of},
    postgres::{Head, lock_head, take_seqs, vectors::check_model},
};

/// Writes vectors (model, entry, vectors) of entries that have none.
pub(super) async fn insert(
    connection: &mut PgConnection,
    new: &[(&str, Ulid, &EntryVectors)],
) -> Result<()> {
    if new.is_empty() {
        return Ok(());
    }
    let models: Vec<&str> = new.iter().map(|(model, ..)| *model).collect();
    let ids: Vec<String> = new.iter().map(|(_, id, _)| id.to_string()).collect();
    let (summaries, contexts) = columns_of(new.iter().map(|(.., vectors)| *vectors));
    sqlx::query(
        "insert into entry_vectors (entry_id, model, summary, context) \
         select id, model, summary, context \
         from unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[]) \
         as n (id, model, summary, context)",
    )
    .bind(ids)
    .bind(models)
    .bind(summaries)
    .bind(contexts)
    .execute(connection)
    .await?;
    Ok(())
}

fn columns_of<'a>(
    vectors: impl Iterator<Item = &'a EntryVectors>,
) -> (Vec<&'a [u8]>, Vec<Option<&'a [u8]>>) {
    vectors
        .map(|vectors| (vectors.summary.as_slice(), vectors.context.as_deref()))
        .unzip()
}

/// Counts entries that have no vectors of a model.
pub(super) async fn count_missing(connection: &mut PgConnection, model: &str) -> Result<u64> {
    let row = sqlx::query(
        "select count(*) from entries e where not exists \
         (select 1 from entry_vectors v where v.entry_id = e.id and v.model = $1)",
    )
    .bind(model)
    .fetch_one(connection)
    .await?;
    Ok(count_of(row.try_get(0)?))
}

/// Stores vectors for entries that have none of the model and have not changed since they were embedded;
/// returns the ids of these entries.
pub(super) async fn put(
    connection: &mut PgConnection,
    model: &str,
    vectors: &[NewEntryVectors],
) -> Result<Vec<Ulid>> {
    lock_head(&mut *connection, Head::Entries).await?;
    check_model(&mut *connection, model).await?;
    let ids: Vec<String> = vectors.iter().map(|new| new.id.to_string()).collect();
    let versions: Vec<i64> = vectors.iter().map(|new| new.version).collect();
    let (summaries, contexts) = columns_of(vectors.iter().map(|new| &new.vectors));
    // Meanwhile an entry may have been changed, or another server may have stored its vectors.
    let written = sqlx::query(
        "insert into entry_vectors (entry_id, model, summary, context) \
         select distinct on (e.id) e.id, $1, n.summary, n.context \
         from unnest($2::text[], $3::bytea[], $4::bytea[], $5::bigint[]) with ordinality \
         as n (id, summary, context, version, place) \
         join entries e on e.id = n.id and e.updated_at = n.version order by e.id, n.place \
         on conflict (entry_id) do update set model = excluded.model, \
         summary = excluded.summary, context = excluded.context \
         where entry_vectors.model <> excluded.model returning entry_id",
    )
    .bind(model)
    .bind(ids)
    .bind(summaries)
    .bind(contexts)
    .bind(versions)
    .fetch_all(&mut *connection)
    .await?;
    let written = written.iter().map(|row| ulid_of(row.try_get(0)?));
    let written = written.collect::<Result<Vec<_>>>()?;
    move_to_head(connection, &written).await?;
    Ok(written)
}

/// Moves entries to the next `seq`s, so that every index reads them again.
pub(super) async fn move_to_head(connection: &mut PgConnection, ids: &[Ulid]) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let before = take_seqs(&mut *connection, Head::Entries, ids.len()).await?;
    sqlx::query(
        "update entries e set seq = $1 + n.place \
         from unnest($2::text[]) with ordinality as n (id, place) where e.id = n.id",
    )
    .bind(before)
    .bind(texts_of(ids))
    .execute(connection)
    .await?;
    Ok(())
}

/// Reads the vectors of some entries.
pub(super) async fn by_ids(
    connection: &mut PgConnection,
    ids: &[Ulid],
) -> Result<Vec<(Ulid, EntryVectors)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows = sqlx::query(
        "select entry_id, summary, context from entry_vectors \
         where entry_id = any($1) and model = \
         (select value from database_facts where name = 'embedding_model') order by entry_id",
    )
    .bind(texts_of(ids))
    .fetch_all(connection)
    .await?;
    let vectors = |row: &PgRow| {
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
    connection: &mut PgConnection,
    seq: u64,
    limit: u32,
) -> Result<Vec<IndexedEntry>> {
    let rows = sqlx::query(
        "select e.seq, e.id, e.type, e.title, e.content, e.tags, e.project, e.context, \
         e.confidence, e.status, e.memory_type, e.access_count, e.popularity, e.created_at, \
         v.summary as summary_vector, v.context as context_vector from entries e \
         left join entry_vectors v on v.entry_id = e.id and v.model = \
         (select value from database_facts where name = 'embedding_model') \
         where e.seq > $1 order by e.seq limit $2",
    )
    .bind(integer_of(seq))
    .bind(i64::from(limit))
    .fetch_all(connection)
    .await?;
    let indexed = |row: &PgRow| {
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
    connection: &mut PgConnection,
    (after, up_to): (u64, u64),
    limit: u32,
) -> Result<Vec<IndexRow>> {
    let rows = sqlx::query(
        "select e.seq, e.id, e.access_count, e.popularity, e.created_at, \
         v.summary as summary_vector, v.context as context_vector from entries e \
         left join entry_vectors v on v.entry_id = e.id and v.model = \
         (select value from database_facts where name = 'embedding_model') \
         where e.seq > $1 and e.seq <= $2 order by e.seq limit $3",
    )
    .bind(integer_of(after))
    .bind(integer_of(up_to))
    .bind(i64::from(limit))
    .fetch_all(connection)
    .await?;
    rows.iter().map(index_row_of).collect()
}

fn index_row_of(row: &PgRow) -> Result<IndexRow> {
    let id: &str = row.try_get("id")?;
    let summary: Option<Vec<u8>> = row.try_get("summary_vector")?;
    let context: Option<&[u8]> = row.try_get("context_vector")?;
    Ok(IndexRow {
        seq: count_of(row.try_get("seq")?),
        id: ulid_of(id)?.into(),
        created_at: timestamp_of(row.try_get("created_at")?, id)?,
        query_count: count_of(row.try_get("access_count")?),
        popularity: count_of(row.try_get("popularity")?),
        vector: summary.map(|summary| EntryVectors::joined(summary, context)),
        is_gone: false,
    })
}
