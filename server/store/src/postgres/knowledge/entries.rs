//! Entries: insert, read by id and by a prefix of the id, labels, access counts.

use jiff::Timestamp;
use sqlx::{PgConnection, Row, postgres::PgRow};
use ulid::Ulid;
use uuid::Uuid;

use super::{keys, rows, suggestions, texts_of, vectors};
use crate::{
    EXCERPT_CHARS, Entry, EntryBrief, EntryContent, EntryLabels, NewCount, NewEntry, QueryCount,
    Result, SHORT_CHARS, ShortText,
    database::columns::{
        count_of, damaged, integer_of, rounded_time, timestamp_of, ulid_of, word_of,
    },
    postgres::{
        Head, lock_head,
        text::{decoded, encoded},
    },
};

/// Selects every column of an entry.
macro_rules! select_entries {
    () => {
        "select id, type, title, content, tags, project, context, confidence, status, memory_type, \
         access_count, popularity, last_accessed, created_at, updated_at from entries e "
    };
}

/// Writes an entry, its vectors, idempotency key and suggestions inside a transaction that has locked the
/// head of entries; returns its id as a UUID. If its idempotency key is refused, nothing was written. An
/// entry that is stored already, by an earlier attempt whose commit succeeded although its answer was
/// lost, is not changed.
pub(in super::super) async fn insert(
    connection: &mut PgConnection,
    new: &NewEntry,
) -> Result<Uuid> {
    let earlier = match &new.idempotency {
        Some(key) => keys::earlier(&mut *connection, key).await?,
        None => by_id(&mut *connection, new.id)
            .await?
            .filter(|stored| {
                stored.content == new.content && stored.created_at == rounded_time(new.created_at)
            })
            .map(|stored| stored.id),
    };
    if let Some(earlier) = earlier {
        return Ok(earlier.into());
    }
    write(connection, &[new]).await?;
    Ok(new.id.into())
}

/// Writes entries with their vectors, idempotency keys and suggestions; those without a key together.
pub(super) async fn insert_all(connection: &mut PgConnection, new: &[NewEntry]) -> Result<()> {
    let (with_key, without_key): (Vec<&NewEntry>, Vec<&NewEntry>) =
        new.iter().partition(|new| new.idempotency.is_some());
    for new in with_key {
        insert(&mut *connection, new).await?;
    }
    write(connection, &without_key).await
}

async fn write(connection: &mut PgConnection, new: &[&NewEntry]) -> Result<()> {
    let entries: Vec<_> = new.iter().map(|new| rows::NewRow::of(new)).collect();
    rows::insert(&mut *connection, &entries).await?;
    let new_vectors = new.iter().filter_map(|new| {
        let (model, vectors) = new.vectors.as_ref()?;
        Some((model.as_str(), new.id, vectors))
    });
    vectors::insert(&mut *connection, &new_vectors.collect::<Vec<_>>()).await?;
    for new in new {
        if let Some(key) = &new.idempotency {
            keys::insert(&mut *connection, new, key).await?;
        }
    }
    let new_suggestions: Vec<_> = new.iter().flat_map(|new| &new.suggestions).collect();
    suggestions::insert(connection, &new_suggestions).await?;
    Ok(())
}

/// Reads the head and the number of entries.
pub(super) async fn head_and_size(connection: &mut PgConnection) -> Result<(u64, u64)> {
    let row = sqlx::query(
        "select seq, (select count(*) from entries) from heads where family = 'entries'",
    )
    .fetch_one(connection)
    .await?;
    Ok((count_of(row.try_get(0)?), count_of(row.try_get(1)?)))
}

/// Reads an entry by id.
pub(super) async fn by_id(connection: &mut PgConnection, id: Ulid) -> Result<Option<Entry>> {
    let row = sqlx::query(concat!(select_entries!(), "where id = $1"))
        .bind(id.to_string())
        .fetch_optional(connection)
        .await?;
    row.as_ref().map(entry_of).transpose()
}

/// Reads entries by their ids, in no particular order.
pub(super) async fn by_ids(connection: &mut PgConnection, ids: &[Ulid]) -> Result<Vec<Entry>> {
    let rows = sqlx::query(concat!(select_entries!(), "where id = any($1)"))
        .bind(texts_of(ids))
        .fetch_all(connection)
        .await?;
    rows.iter().map(entry_of).collect()
}

/// Reads entries that have no vectors of a model, ordered by id.
pub(super) async fn without_vectors(
    connection: &mut PgConnection,
    model: &str,
    after: Ulid,
    limit: u32,
) -> Result<Vec<Entry>> {
    let rows = sqlx::query(concat!(
        select_entries!(),
        "where id > $1 and not exists \
         (select 1 from entry_vectors v where v.entry_id = e.id and v.model = $2) \
         order by id limit $3"
    ))
    .bind(after.to_string())
    .bind(model)
    .bind(i64::from(limit))
    .fetch_all(connection)
    .await?;
    rows.iter().map(entry_of).collect()
}

/// Reads entries, ordered by id.
pub(super) async fn by_page(
    connection: &mut PgConnection,
    after: Ulid,
    limit: u32,
) -> Result<Vec<Entry>> {
    let page = concat!(select_entries!(), "where id > $1 order by id limit $2");
    let rows = sqlx::query(page)
        .bind(after.to_string())
        .bind(i64::from(limit))
        .fetch_all(connection)
        .await?;
    rows.iter().map(entry_of).collect()
}

/// Reads what lists show of entries.
pub(super) async fn briefs(connection: &mut PgConnection, ids: &[Ulid]) -> Result<Vec<EntryBrief>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows = sqlx::query(
        "select id, type, title, substr(content, 1, $1) as excerpt, tags, project, status, \
         memory_type from entries where id = any($2)",
    )
    .bind(i32::try_from(EXCERPT_CHARS).unwrap_or(i32::MAX))
    .bind(texts_of(ids))
    .fetch_all(connection)
    .await?;
    let brief = |row: &PgRow| {
        let id: &str = row.try_get("id")?;
        Ok(EntryBrief {
            id: ulid_of(id)?,
            kind: word_of(row.try_get("type")?, "type", id)?,
            title: decoded(row.try_get("title")?),
            excerpt: decoded(row.try_get("excerpt")?),
            tags: tags_of(row, id)?,
            project: row.try_get::<Option<String>, _>("project")?.map(decoded),
            status: word_of(row.try_get("status")?, "status", id)?,
            memory_type: word_of(row.try_get("memory_type")?, "memory type", id)?,
        })
    };
    rows.iter().map(brief).collect()
}

/// Reads ids with a prefix and the titles, as a range of the index on ids.
pub(super) async fn with_prefix(
    connection: &mut PgConnection,
    prefix: &str,
    limit: u32,
) -> Result<Vec<(Ulid, String)>> {
    // Every character of an id comes before `~`.
    let rows = sqlx::query(
        "select id, title from entries where id >= $1 and id < $2 order by id limit $3",
    )
    .bind(encoded(prefix))
    .bind(format!("{}~", encoded(prefix)))
    .bind(i64::from(limit))
    .fetch_all(connection)
    .await?;
    rows.iter().map(named).collect()
}

/// Reads titles.
pub(super) async fn titles(
    connection: &mut PgConnection,
    ids: &[Ulid],
) -> Result<Vec<(Ulid, String)>> {
    let rows = sqlx::query("select id, title from entries where id = any($1)")
        .bind(texts_of(ids))
        .fetch_all(connection)
        .await?;
    rows.iter().map(named).collect()
}

fn named(row: &PgRow) -> Result<(Ulid, String)> {
    Ok((ulid_of(row.try_get("id")?)?, decoded(row.try_get("title")?)))
}

/// Reads labels, ordered by id.
pub(super) async fn labels(
    connection: &mut PgConnection,
    after: Ulid,
    limit: u32,
) -> Result<Vec<EntryLabels>> {
    let rows = sqlx::query(
        "select id, type, project, status, \
         case when length(content) between 1 and $3 then content end as short, \
         case when length(content) between 1 and $3 then context end as context \
         from entries where id > $1 order by id limit $2",
    )
    .bind(after.to_string())
    .bind(i64::from(limit))
    .bind(i32::try_from(SHORT_CHARS).unwrap_or(i32::MAX))
    .fetch_all(connection)
    .await?;
    let labels = |row: &PgRow| {
        let id: &str = row.try_get("id")?;
        let short: Option<String> = row.try_get("short")?;
        let context: Option<String> = row.try_get("context")?;
        Ok(EntryLabels {
            id: ulid_of(id)?,
            kind: word_of(row.try_get("type")?, "type", id)?,
            project: row.try_get::<Option<String>, _>("project")?.map(decoded),
            status: word_of(row.try_get("status")?, "status", id)?,
            short: short.map(|content| ShortText {
                content: decoded(content),
                context: context.map(decoded),
            }),
        })
    };
    rows.iter().map(labels).collect()
}

/// Adds a batch of access counts.
pub(super) async fn add_access_counts(
    connection: &mut PgConnection,
    counts: &[NewCount],
    now: Timestamp,
) -> Result<()> {
    if counts.is_empty() {
        return Ok(());
    }
    // Two servers that changed the same entries in different orders could deadlock.
    lock_head(&mut *connection, Head::Entries).await?;
    let ids: Vec<String> = counts
        .iter()
        .map(|new| Ulid::from(new.id).to_string())
        .collect();
    let added: Vec<i64> = counts.iter().map(|new| integer_of(new.count)).collect();
    let popularities: Vec<i64> = counts
        .iter()
        .map(|new| integer_of(new.popularity))
        .collect();
    sqlx::query(
        "update entries e set access_count = e.access_count + n.added, \
         popularity = e.popularity + n.popularity, last_accessed = $4 \
         from (select id, sum(added)::bigint as added, sum(popularity)::bigint as popularity \
         from unnest($1::text[], $2::bigint[], $3::bigint[]) as n (id, added, popularity) \
         group by id) n where e.id = n.id",
    )
    .bind(ids)
    .bind(added)
    .bind(popularities)
    .bind(now.as_microsecond())
    .execute(connection)
    .await?;
    Ok(())
}

/// Reads the access counts written at or after a point in time.
pub(super) async fn access_counts_since(
    connection: &mut PgConnection,
    moment: Timestamp,
) -> Result<Vec<QueryCount>> {
    let rows =
        sqlx::query("select id, access_count, popularity from entries where last_accessed >= $1")
            .bind(moment.as_microsecond())
            .fetch_all(connection)
            .await?;
    let count = |row: &PgRow| {
        Ok(QueryCount {
            id: ulid_of(row.try_get(0)?)?.into(),
            query_count: count_of(row.try_get(1)?),
            popularity: count_of(row.try_get(2)?),
        })
    };
    rows.iter().map(count).collect()
}

/// Reads an entry.
pub(super) fn entry_of(row: &PgRow) -> Result<Entry> {
    let id: &str = row.try_get("id")?;
    let last_accessed: Option<i64> = row.try_get("last_accessed")?;
    Ok(Entry {
        id: ulid_of(id)?,
        content: content_of(row)?,
        status: word_of(row.try_get("status")?, "status", id)?,
        access_count: count_of(row.try_get("access_count")?),
        popularity: count_of(row.try_get("popularity")?),
        last_accessed: last_accessed
            .map(|micros| timestamp_of(micros, id))
            .transpose()?,
        created_at: timestamp_of(row.try_get("created_at")?, id)?,
        updated_at: timestamp_of(row.try_get("updated_at")?, id)?,
    })
}

/// Reads the content of an entry.
pub(super) fn content_of(row: &PgRow) -> Result<EntryContent> {
    let id: &str = row.try_get("id")?;
    let confidence: i16 = row.try_get("confidence")?;
    Ok(EntryContent {
        kind: word_of(row.try_get("type")?, "type", id)?,
        title: decoded(row.try_get("title")?),
        content: decoded(row.try_get("content")?),
        tags: tags_of(row, id)?,
        project: row.try_get::<Option<String>, _>("project")?.map(decoded),
        context: row.try_get::<Option<String>, _>("context")?.map(decoded),
        confidence: u8::try_from(confidence).map_err(|_| damaged("confidence", id))?,
        memory_type: word_of(row.try_get("memory_type")?, "memory type", id)?,
    })
}

fn tags_of(row: &PgRow, id: &str) -> Result<Vec<String>> {
    let tags: &str = row.try_get("tags")?;
    serde_json::from_str(tags).map_err(|_| damaged("tags", id))
}
