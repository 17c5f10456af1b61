//! Entries: insert, read by id and by a prefix of the id, labels, access counts.

use jiff::Timestamp;
use recall_kit_shared_types::knowledge::Citation;
use sqlx::FromRow;
use ulid::Ulid;
use uuid::Uuid;

use super::{EntryWrites, keys, rows::NewRow, suggestions};
use crate::{
    EXCERPT_CHARS, Entry, EntryBrief, EntryContent, EntryLabels, NewCount, NewEntry, QueryCount,
    Result, SHORT_CHARS, ShortText,
    database::columns::{
        count_of, damaged, integer_of, known_of, rounded_time, time_of, timestamp_of, ulid_of,
        word_of,
    },
    sql::{Columns, Family, SqlConnection, query},
};

/// Selects every column of an entry.
macro_rules! select_entries {
    () => {
        "select id, type, title, content, tags, project, context, confidence, status, memory_type, \
         citations, access_count, popularity, last_accessed, created_at, updated_at from entries e "
    };
}

/// Writes an entry, its vectors, idempotency key and suggestions inside a transaction that has locked the
/// family of entries; returns its id as a UUID. If its idempotency key is refused, nothing was written. An
/// entry that is stored already, by an earlier attempt whose commit succeeded although its answer was
/// lost, is not changed.
pub(crate) async fn insert(connection: &mut impl EntryWrites, new: &NewEntry) -> Result<Uuid> {
    let earlier = match &new.idempotency {
        Some(key) => keys::earlier(connection, key).await?,
        None => by_id(connection, new.id)
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
pub(super) async fn insert_all(connection: &mut impl EntryWrites, new: &[NewEntry]) -> Result<()> {
    let (with_key, without_key): (Vec<&NewEntry>, Vec<&NewEntry>) =
        new.iter().partition(|new| new.idempotency.is_some());
    for new in with_key {
        insert(connection, new).await?;
    }
    write(connection, &without_key).await
}

async fn write(connection: &mut impl EntryWrites, new: &[&NewEntry]) -> Result<()> {
    let entries: Vec<_> = new.iter().map(|new| NewRow::of(new)).collect();
    connection.insert_entries(&entries).await?;
    let new_vectors = new.iter().filter_map(|new| {
        let (model, vectors) = new.vectors.as_ref()?;
        Some((model.as_str(), new.id, vectors))
    });
    let new_vectors: Vec<_> = new_vectors.collect();
    connection.insert_vectors(&new_vectors).await?;
    for new in new {
        if let Some(key) = &new.idempotency {
            keys::insert(connection, new, key).await?;
        }
    }
    let new_suggestions: Vec<_> = new.iter().flat_map(|new| &new.suggestions).collect();
    suggestions::insert(connection, &new_suggestions).await?;
    Ok(())
}

/// Reads an entry by id.
pub(crate) async fn by_id(connection: &mut impl SqlConnection, id: Ulid) -> Result<Option<Entry>> {
    query(concat!(select_entries!(), "where id = $1"))
        .bind(id)
        .fetch_optional(connection)
        .await
}

/// Reads entries by their ids, in no particular order.
pub(super) async fn by_ids(
    connection: &mut impl SqlConnection,
    ids: &[Ulid],
) -> Result<Vec<Entry>> {
    query(concat!(select_entries!(), "where id = any($1)"))
        .bind(ids)
        .fetch_all(connection)
        .await
}

/// Reads entries that have no vectors of a model, ordered by id.
pub(crate) async fn without_vectors(
    connection: &mut impl SqlConnection,
    model: &str,
    after: Ulid,
    limit: u32,
) -> Result<Vec<Entry>> {
    query(concat!(
        select_entries!(),
        "where id > $1 and not exists \
         (select 1 from entry_vectors v where v.entry_id = e.id and v.model = $2) \
         order by id limit $3"
    ))
    .bind(after)
    .bind(model)
    .bind(limit)
    .fetch_all(connection)
    .await
}

/// Reads entries, ordered by id.
pub(crate) async fn by_page(
    connection: &mut impl SqlConnection,
    after: Ulid,
    limit: u32,
) -> Result<Vec<Entry>> {
    query(concat!(
        select_entries!(),
        "where id > $1 order by id limit $2"
    ))
    .bind(after)
    .bind(limit)
    .fetch_all(connection)
    .await
}

impl<'r, R: Columns> FromRow<'r, R> for Entry {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("id")?;
        Ok(Self {
            id: ulid_of(id)?,
            content: EntryContent::from_row(row)?,
            status: word_of(row.read("status")?, "status", id)?,
            access_count: count_of(row.read("access_count")?),
            popularity: count_of(row.read("popularity")?),
            last_accessed: time_of(row.read("last_accessed")?, id)?,
            created_at: timestamp_of(row.read("created_at")?, id)?,
            updated_at: timestamp_of(row.read("updated_at")?, id)?,
        })
    }
}

impl<'r, R: Columns> FromRow<'r, R> for EntryContent {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("id")?;
        let confidence: i16 = row.read("confidence")?;
        Ok(Self {
            kind: word_of(row.read("type")?, "type", id)?,
            title: row.text("title")?,
            content: row.text("content")?,
            tags: tags_of(row, id)?,
            project: row.optional_text("project")?,
            context: row.optional_text("context")?,
            confidence: u8::try_from(confidence).map_err(|_| damaged("confidence", id))?,
            memory_type: word_of(row.read("memory_type")?, "memory type", id)?,
            citations: citations_of(row, id)?,
        })
    }
}

fn tags_of(row: &impl Columns, id: &str) -> Result<Vec<String>> {
    let tags: &str = row.read("tags")?;
    serde_json::from_str(tags).map_err(|_| damaged("tags", id))
}

fn citations_of(row: &impl Columns, id: &str) -> Result<Vec<Citation>> {
    let citations: Option<&str> = row.read("citations")?;
    let citations = citations.map(known_of).transpose();
    citations
        .map(Option::unwrap_or_default)
        .map_err(|_| damaged("citations", id))
}

/// Reads what lists show of entries.
pub(crate) async fn briefs(
    connection: &mut impl SqlConnection,
    ids: &[Ulid],
) -> Result<Vec<EntryBrief>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    query(
        "select id, type, title, substr(content, 1, cast($1 as integer)) as excerpt, tags, project, \
         status, memory_type, citations from entries where id = any($2)",
    )
    .bind(integer_of(EXCERPT_CHARS as u64))
    .bind(ids)
    .fetch_all(connection)
    .await
}

impl<'r, R: Columns> FromRow<'r, R> for EntryBrief {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("id")?;
        Ok(Self {
            id: ulid_of(id)?,
            kind: word_of(row.read("type")?, "type", id)?,
            title: row.text("title")?,
            excerpt: row.text("excerpt")?,
            tags: tags_of(row, id)?,
            project: row.optional_text("project")?,
            status: word_of(row.read("status")?, "status", id)?,
            memory_type: word_of(row.read("memory_type")?, "memory type", id)?,
            citations: citations_of(row, id)?,
        })
    }
}

/// Reads ids with a prefix and the titles, as a range of the index on ids.
pub(crate) async fn with_prefix(
    connection: &mut impl SqlConnection,
    prefix: &str,
    limit: u32,
) -> Result<Vec<(Ulid, String)>> {
    // Every character of an id comes before `~`.
    let titles: Vec<Title> =
        query("select id, title from entries where id >= $1 and id < $2 order by id limit $3")
            .bind(prefix)
            .bind(format!("{prefix}~"))
            .bind(limit)
            .fetch_all(connection)
            .await?;
    Ok(titles.into_iter().map(|title| title.0).collect())
}

/// Reads titles.
pub(crate) async fn titles(
    connection: &mut impl SqlConnection,
    ids: &[Ulid],
) -> Result<Vec<(Ulid, String)>> {
    let titles: Vec<Title> = query("select id, title from entries where id = any($1)")
        .bind(ids)
        .fetch_all(connection)
        .await?;
    Ok(titles.into_iter().map(|title| title.0).collect())
}

struct Title((Ulid, String));

impl<'r, R: Columns> FromRow<'r, R> for Title {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self((ulid_of(row.read("id")?)?, row.text("title")?)))
    }
}

/// Reads labels, ordered by id.
pub(crate) async fn labels(
    connection: &mut impl SqlConnection,
    after: Ulid,
    limit: u32,
) -> Result<Vec<EntryLabels>> {
    query(
        "select id, type, project, status, \
         case when length(content) between 1 and $3 then content end as short, \
         case when length(content) between 1 and $3 then context end as context \
         from entries where id > $1 order by id limit $2",
    )
    .bind(after)
    .bind(limit)
    .bind(integer_of(SHORT_CHARS as u64))
    .fetch_all(connection)
    .await
}

impl<'r, R: Columns> FromRow<'r, R> for EntryLabels {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("id")?;
        let context = row.optional_text("context")?;
        Ok(Self {
            id: ulid_of(id)?,
            kind: word_of(row.read("type")?, "type", id)?,
            project: row.optional_text("project")?,
            status: word_of(row.read("status")?, "status", id)?,
            short: row
                .optional_text("short")?
                .map(|content| ShortText { content, context }),
        })
    }
}

/// Adds a batch of access counts.
pub(crate) async fn add_access_counts(
    connection: &mut impl EntryWrites,
    counts: &[NewCount],
    now: Timestamp,
) -> Result<()> {
    if counts.is_empty() {
        return Ok(());
    }
    // Two servers that changed the same entries in different orders could deadlock.
    connection.lock_family(Family::Entries).await?;
    connection.add_counts(counts, now).await
}

/// Reads the access counts written at or after a point in time.
pub(crate) async fn access_counts_since(
    connection: &mut impl SqlConnection,
    moment: Timestamp,
) -> Result<Vec<QueryCount>> {
    let counts: Vec<AccessCount> =
        query("select id, access_count, popularity from entries where last_accessed >= $1")
            .bind(moment)
            .fetch_all(connection)
            .await?;
    Ok(counts.into_iter().map(|count| count.0).collect())
}

struct AccessCount(QueryCount);

impl<'r, R: Columns> FromRow<'r, R> for AccessCount {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self(QueryCount {
            id: ulid_of(row.read("id")?)?.into(),
            query_count: count_of(row.read("access_count")?),
            popularity: count_of(row.read("popularity")?),
        }))
    }
}
