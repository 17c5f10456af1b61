//! Entries: insert, read by id and by a prefix of the id, labels, access counts.

use jiff::Timestamp;
use sqlx::{Row, SqliteConnection, SqlitePool, sqlite::SqliteRow};
use ulid::Ulid;
use uuid::Uuid;

use super::{json_of, keys, next_seq, suggestions, vectors};
use crate::{
    EXCERPT_CHARS, Entry, EntryBrief, EntryContent, EntryLabels, NewCount, NewEntry, QueryCount,
    Result, SHORT_CHARS, ShortText,
    database::columns::{count_of, damaged, integer_of, timestamp_of, ulid_of, word_of},
};

/// Writes an entry, its vectors, idempotency key and suggestions inside a write transaction; returns its
/// id as a UUID. If its idempotency key is refused, nothing was written.
pub(in super::super) async fn insert(write: &mut SqliteConnection, new: &NewEntry) -> Result<Uuid> {
    if let Some(key) = &new.idempotency
        && let Some(earlier) = keys::earlier(&mut *write, key).await?
    {
        return Ok(earlier.into());
    }
    let seq = next_seq(&mut *write).await?;
    let created_at = new.created_at.as_microsecond();
    let content = &new.content;
    sqlx::query(
        "insert into entries (seq, id, type, title, content, tags, project, context, confidence, \
         memory_type, created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(seq)
    .bind(new.id.to_string())
    .bind(content.kind.as_str())
    .bind(&content.title)
    .bind(&content.content)
    .bind(serde_json::Value::from(content.tags.clone()).to_string())
    .bind(&content.project)
    .bind(&content.context)
    .bind(content.confidence)
    .bind(content.memory_type.as_str())
    .bind(created_at)
    .bind(created_at)
    .execute(&mut *write)
    .await?;
    if let Some((model, vectors)) = &new.vectors {
        vectors::insert(&mut *write, model, new.id, vectors).await?;
    }
    if let Some(key) = &new.idempotency {
        keys::insert(&mut *write, new, key).await?;
    }
    for suggestion in &new.suggestions {
        suggestions::insert(write, suggestion).await?;
    }
    Ok(new.id.into())
}

/// Reads an entry by id.
pub(super) async fn by_id(readers: &SqlitePool, id: Ulid) -> Result<Option<Entry>> {
    let mut read = readers.acquire().await?;
    in_transaction(&mut read, id).await
}

/// Reads an entry by id, on a connection.
pub(super) async fn in_transaction(
    connection: &mut SqliteConnection,
    id: Ulid,
) -> Result<Option<Entry>> {
    let row = sqlx::query(
        "select id, type, title, content, tags, project, context, confidence, status, memory_type, \
         access_count, popularity, last_accessed, created_at, updated_at from entries where id = ?",
    )
    .bind(id.to_string())
    .fetch_optional(connection)
    .await?;
    row.as_ref().map(entry_of).transpose()
}

/// Reads entries that have no vectors of a model, ordered by id.
pub(super) async fn without_vectors(
    readers: &SqlitePool,
    model: &str,
    after: Ulid,
    limit: u32,
) -> Result<Vec<Entry>> {
    let rows = sqlx::query(
        "select id, type, title, content, tags, project, context, confidence, status, memory_type, \
         access_count, popularity, last_accessed, created_at, updated_at from entries e \
         where id > ? and not exists \
         (select 1 from entry_vectors v where v.entry_id = e.id and v.model = ?) \
         order by id limit ?",
    )
    .bind(after.to_string())
    .bind(model)
    .bind(limit)
    .fetch_all(readers)
    .await?;
    rows.iter().map(entry_of).collect()
}

/// Reads entries, ordered by id.
pub(super) async fn by_page(readers: &SqlitePool, after: Ulid, limit: u32) -> Result<Vec<Entry>> {
    let rows = sqlx::query(
        "select id, type, title, content, tags, project, context, confidence, status, memory_type, \
         access_count, popularity, last_accessed, created_at, updated_at from entries where id > ? \
         order by id limit ?",
    )
    .bind(after.to_string())
    .bind(limit)
    .fetch_all(readers)
    .await?;
    rows.iter().map(entry_of).collect()
}

/// Reads what lists show of entries.
pub(super) async fn briefs(readers: &SqlitePool, ids: &[Ulid]) -> Result<Vec<EntryBrief>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows = sqlx::query(
        "select id, type, title, substr(content, 1, ?) as excerpt, tags, project, status, \
         memory_type from entries where id in (select value from json_each(?))",
    )
    .bind(EXCERPT_CHARS)
    .bind(json_of(ids))
    .fetch_all(readers)
    .await?;
    let brief = |row: &SqliteRow| {
        let id: &str = row.try_get("id")?;
        Ok(EntryBrief {
            id: ulid_of(id)?,
            kind: word_of(row.try_get("type")?, "type", id)?,
            title: row.try_get("title")?,
            excerpt: row.try_get("excerpt")?,
            tags: tags_of(row, id)?,
            project: row.try_get("project")?,
            status: word_of(row.try_get("status")?, "status", id)?,
            memory_type: word_of(row.try_get("memory_type")?, "memory type", id)?,
        })
    };
    rows.iter().map(brief).collect()
}

/// Reads ids with a prefix and the titles, as a range of the index on ids.
pub(super) async fn with_prefix(
    readers: &SqlitePool,
    prefix: &str,
    limit: u32,
) -> Result<Vec<(Ulid, String)>> {
    // Every character of an id comes before `~`.
    let rows =
        sqlx::query("select id, title from entries where id >= ? and id < ? order by id limit ?")
            .bind(prefix)
            .bind(format!("{prefix}~"))
            .bind(limit)
            .fetch_all(readers)
            .await?;
    let named = |row: &SqliteRow| Ok((ulid_of(row.try_get(0)?)?, row.try_get(1)?));
    rows.iter().map(named).collect()
}

/// Reads titles.
pub(super) async fn titles(readers: &SqlitePool, ids: &[Ulid]) -> Result<Vec<(Ulid, String)>> {
    let rows =
        sqlx::query("select id, title from entries where id in (select value from json_each(?))")
            .bind(json_of(ids))
            .fetch_all(readers)
            .await?;
    let named = |row: &SqliteRow| Ok((ulid_of(row.try_get(0)?)?, row.try_get(1)?));
    rows.iter().map(named).collect()
}

/// Reads labels, ordered by id.
pub(super) async fn labels(
    readers: &SqlitePool,
    after: Ulid,
    limit: u32,
) -> Result<Vec<EntryLabels>> {
    let rows = sqlx::query(
        "select id, type, project, status, \
         case when length(content) between 1 and ?3 then content end as short, \
         case when length(content) between 1 and ?3 then context end as context \
         from entries where id > ?1 order by id limit ?2",
    )
    .bind(after.to_string())
    .bind(limit)
    .bind(SHORT_CHARS)
    .fetch_all(readers)
    .await?;
    let labels = |row: &SqliteRow| {
        let id: &str = row.try_get("id")?;
        Ok(EntryLabels {
            id: ulid_of(id)?,
            kind: word_of(row.try_get("type")?, "type", id)?,
            project: row.try_get("project")?,
            status: word_of(row.try_get("status")?, "status", id)?,
            short: short_of(row.try_get("short")?, row.try_get("context")?),
        })
    };
    rows.iter().map(labels).collect()
}

fn short_of(content: Option<String>, context: Option<String>) -> Option<ShortText> {
    content.map(|content| ShortText { content, context })
}

/// Adds a batch of access counts.
pub(super) async fn add_access_counts(
    write: &mut SqliteConnection,
    counts: &[NewCount],
    now: Timestamp,
) -> Result<()> {
    for new in counts {
        sqlx::query(
            "update entries set access_count = access_count + ?, popularity = popularity + ?, \
             last_accessed = ? where id = ?",
        )
        .bind(integer_of(new.count))
        .bind(integer_of(new.popularity))
        .bind(now.as_microsecond())
        .bind(Ulid::from(new.id).to_string())
        .execute(&mut *write)
        .await?;
    }
    Ok(())
}

/// Reads the access counts written at or after a point in time.
pub(super) async fn access_counts_since(
    readers: &SqlitePool,
    moment: Timestamp,
) -> Result<Vec<QueryCount>> {
    let rows =
        sqlx::query("select id, access_count, popularity from entries where last_accessed >= ?")
            .bind(moment.as_microsecond())
            .fetch_all(readers)
            .await?;
    let count = |row: &SqliteRow| {
        Ok(QueryCount {
            id: ulid_of(row.try_get(0)?)?.into(),
            query_count: count_of(row.try_get(1)?),
            popularity: count_of(row.try_get(2)?),
        })
    };
    rows.iter().map(count).collect()
}

/// Reads an entry.
pub(super) fn entry_of(row: &SqliteRow) -> Result<Entry> {
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
pub(super) fn content_of(row: &SqliteRow) -> Result<EntryContent> {
    let id: &str = row.try_get("id")?;
    Ok(EntryContent {
        kind: word_of(row.try_get("type")?, "type", id)?,
        title: row.try_get("title")?,
        content: row.try_get("content")?,
        tags: tags_of(row, id)?,
        project: row.try_get("project")?,
        context: row.try_get("context")?,
        confidence: row.try_get("confidence")?,
        memory_type: word_of(row.try_get("memory_type")?, "memory type", id)?,
    })
}

fn tags_of(row: &SqliteRow, id: &str) -> Result<Vec<String>> {
    let tags: &str = row.try_get("tags")?;
    serde_json::from_str(tags).map_err(|_| damaged("tags", id))
}
