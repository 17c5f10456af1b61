//! Batches of entries, and the Markdown notes from which entries were imported.

use sqlx::FromRow;
use ulid::Ulid;

use super::{EntryWrites, entries, links, rows::citations_column, vectors::move_to_head};
use crate::{
    EntryBatch, EntryUpdate, Note, Result, StoreError,
    database::columns::{json_of, timestamp_of, ulid_of},
    sql::{Columns, Dialects, Family, SqlConnection, access::audit::note_change, query},
};

/// Stores a batch.
pub(crate) async fn insert_batch(
    connection: &mut impl EntryWrites,
    batch: &EntryBatch,
) -> Result<()> {
    connection.lock_family(Family::Entries).await?;
    entries::insert_all(connection, &batch.entries).await?;
    update_all(connection, &batch.updates).await?;
    connection.set_updated(&batch.changed).await?;
    query("update entries set status = 'obsolete' where id = any($1)")
        .bind(batch.obsolete.as_slice())
        .execute(connection)
        .await?;
    for link in &batch.links {
        links::insert_into(connection, link).await?;
    }
    // Last, because a link may change an entry's `updated_at`.
    connection.put_notes(&batch.notes).await?;
    note_change(connection, batch.event.as_ref()).await
}

/// Changes entries and removes their vectors, which belong to the old content.
///
/// *Errors*: [`StoreError::EntryChanged`] if an entry was changed since the caller read it.
async fn update_all(connection: &mut impl SqlConnection, updates: &[EntryUpdate]) -> Result<()> {
    for one in updates {
        update(connection, one).await?;
    }
    let ids: Vec<Ulid> = updates.iter().map(|update| update.id).collect();
    query("delete from entry_vectors where entry_id = any($1)")
        .bind(ids.as_slice())
        .execute(connection)
        .await?;
    move_to_head(connection, &ids).await
}

async fn update(connection: &mut impl SqlConnection, update: &EntryUpdate) -> Result<()> {
    let content = &update.content;
    let written = query(
        "update entries set type = $1, title = $2, content = $3, tags = $4, project = $5, \
         context = $6, confidence = $7, memory_type = $8, citations = $9, updated_at = $10 \
         where id = $11 and updated_at = $12",
    )
    .bind(content.kind.as_str())
    .bind(&content.title)
    .bind(&content.content)
    .bind(json_of(&content.tags))
    .bind(&content.project)
    .bind(&content.context)
    .bind(u32::from(content.confidence))
    .bind(content.memory_type.as_str())
    .bind(citations_column(content))
    .bind(update.now)
    .bind(update.id)
    .bind(update.known)
    .execute(connection)
    .await?;
    match written {
        1 => Ok(()),
        _ => Err(StoreError::EntryChanged(update.id)),
    }
}

/// Reads the notes of some entries.
pub(crate) async fn by_ids(connection: &mut impl SqlConnection, ids: &[Ulid]) -> Result<Vec<Note>> {
    query("select entry_id, path, head, entry_updated_at from entry_notes where entry_id = any($1)")
        .bind(ids)
        .fetch_all(connection)
        .await
}

/// Reads the notes with a path.
pub(crate) async fn at(connection: &mut impl SqlConnection, path: &str) -> Result<Vec<Note>> {
    let notes = connection.dialect(Dialects {
        sqlite: "select entry_id, path, head, entry_updated_at from entry_notes \
                 where path = $1 order by entry_id",
        // The index contains only the first 500 characters of a path.
        postgres: "select entry_id, path, head, entry_updated_at from entry_notes \
                   where left(path, 500) = left($1, 500) and path = $1 order by entry_id",
    });
    query(notes).bind(path).fetch_all(connection).await
}

impl<'r, R: Columns> FromRow<'r, R> for Note {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("entry_id")?;
        Ok(Self {
            entry: ulid_of(id)?,
            updated_at: timestamp_of(row.read("entry_updated_at")?, id)?,
            path: row.text("path")?,
            head: row.text("head")?,
        })
    }
}
