//! Rows of entries, many of which are written in one statement.

use jiff::Timestamp;
use recall_kit_shared_types::knowledge::EntryStatus;
use sqlx::PgConnection;
use ulid::Ulid;

use crate::{
    Entry, EntryContent, NewEntry, Result,
    database::columns::integer_of,
    postgres::{Head, take_seqs, text::encoded},
};

/// An entry about to be written.
pub(super) struct NewRow<'a> {
    id: Ulid,
    content: &'a EntryContent,
    status: EntryStatus,
    access_count: u64,
    popularity: u64,
    last_accessed: Option<Timestamp>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl<'a> NewRow<'a> {
    /// Returns the row of a new entry.
    pub(super) fn of(new: &'a NewEntry) -> Self {
        Self {
            id: new.id,
            content: &new.content,
            status: EntryStatus::Active,
            access_count: 0,
            popularity: 0,
            last_accessed: None,
            created_at: new.created_at,
            updated_at: new.created_at,
        }
    }

    /// Returns the row of an entry from another database.
    pub(super) fn copy_of(entry: &'a Entry) -> Self {
        Self {
            id: entry.id,
            content: &entry.content,
            status: entry.status,
            access_count: entry.access_count,
            popularity: entry.popularity,
            last_accessed: entry.last_accessed,
            created_at: entry.created_at,
            updated_at: entry.updated_at,
        }
    }
}

/// Writes entries at the next `seq`s, in their order.
pub(super) async fn insert(connection: &mut PgConnection, rows: &[NewRow<'_>]) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let before = take_seqs(&mut *connection, Head::Entries, rows.len()).await?;
    sqlx::query(
        "insert into entries (seq, id, type, title, content, tags, project, context, confidence, \
         memory_type, status, access_count, popularity, last_accessed, created_at, updated_at) \
         select $1 + n.place, n.id, n.type, n.title, n.content, n.tags, n.project, n.context, \
         n.confidence, n.memory_type, n.status, n.access_count, n.popularity, n.last_accessed, \
         n.created_at, n.updated_at from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], \
         $7::text[], $8::text[], $9::smallint[], $10::text[], $11::text[], $12::bigint[], \
         $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[]) with ordinality \
         as n (id, type, title, content, tags, project, context, confidence, memory_type, status, \
         access_count, popularity, last_accessed, created_at, updated_at, place)",
    )
    .bind(before)
    .bind(each(rows, |row| row.id.to_string()))
    .bind(each(rows, |row| row.content.kind.as_str()))
    .bind(each(rows, |row| encoded(&row.content.title)))
    .bind(each(rows, |row| encoded(&row.content.content)))
    .bind(each(rows, |row| tags_of(row.content)))
    .bind(each(rows, |row| row.content.project.as_deref().map(encoded)))
    .bind(each(rows, |row| row.content.context.as_deref().map(encoded)))
    .bind(each(rows, |row| i16::from(row.content.confidence)))
    .bind(each(rows, |row| row.content.memory_type.as_str()))
    .bind(each(rows, |row| row.status.as_str()))
    .bind(each(rows, |row| integer_of(row.access_count)))
    .bind(each(rows, |row| integer_of(row.popularity)))
    .bind(each(rows, |row| {
        row.last_accessed.map(Timestamp::as_microsecond)
    }))
    .bind(each(rows, |row| row.created_at.as_microsecond()))
    .bind(each(rows, |row| row.updated_at.as_microsecond()))
    .execute(connection)
    .await?;
    Ok(())
}

/// Converts tags to a JSON array, which escapes characters that a column cannot hold.
pub(super) fn tags_of(content: &EntryContent) -> String {
    serde_json::Value::from(content.tags.clone()).to_string()
}

/// Returns one column of the rows.
fn each<'a, T>(rows: &'a [NewRow<'_>], column: impl Fn(&'a NewRow<'_>) -> T) -> Vec<T> {
    rows.iter().map(column).collect()
}
