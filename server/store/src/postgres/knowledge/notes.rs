//! Batches of entries, and the Markdown notes from which entries were imported.

use jiff::Timestamp;
use sqlx::{PgConnection, Row, postgres::PgRow};
use ulid::Ulid;

use super::{entries, links, rows::tags_of, texts_of, vectors::move_to_head};
use crate::{
    EntryBatch, EntryUpdate, Note, Result, StoreError,
    database::columns::{timestamp_of, ulid_of},
    postgres::{
        Head,
        access::people::note_change,
        lock_head,
        text::{decoded, encoded},
    },
};

/// Stores a batch.
pub(super) async fn insert_batch(connection: &mut PgConnection, batch: &EntryBatch) -> Result<()> {
    lock_head(&mut *connection, Head::Entries).await?;
    entries::insert_all(&mut *connection, &batch.entries).await?;
    update_all(&mut *connection, &batch.updates).await?;
    set_changed(&mut *connection, &batch.changed).await?;
    sqlx::query("update entries set status = 'obsolete' where id = any($1)")
        .bind(texts_of(&batch.obsolete))
        .execute(&mut *connection)
        .await?;
    for link in &batch.links {
        links::insert_into(&mut *connection, link).await?;
    }
    // Last, because a link may change an entry's `updated_at`.
    put(&mut *connection, &batch.notes).await?;
    note_change(connection, batch.event.as_ref()).await
}

/// Changes entries and removes their vectors, which belong to the old content.
///
/// *Errors*: [`StoreError::EntryChanged`] if an entry was changed since the caller read it.
async fn update_all(connection: &mut PgConnection, updates: &[EntryUpdate]) -> Result<()> {
    for one in updates {
        update(&mut *connection, one).await?;
    }
    let ids: Vec<Ulid> = updates.iter().map(|update| update.id).collect();
    sqlx::query("delete from entry_vectors where entry_id = any($1)")
        .bind(texts_of(&ids))
        .execute(&mut *connection)
        .await?;
    move_to_head(connection, &ids).await
}

async fn update(connection: &mut PgConnection, update: &EntryUpdate) -> Result<()> {
    let content = &update.content;
    let done = sqlx::query(
        "update entries set type = $1, title = $2, content = $3, tags = $4, project = $5, \
         context = $6, confidence = $7, memory_type = $8, updated_at = $9 \
         where id = $10 and updated_at = $11",
    )
    .bind(content.kind.as_str())
    .bind(encoded(&content.title))
    .bind(encoded(&content.content))
    .bind(tags_of(content))
    .bind(content.project.as_deref().map(encoded))
    .bind(content.context.as_deref().map(encoded))
    .bind(i16::from(content.confidence))
    .bind(content.memory_type.as_str())
    .bind(update.now.as_microsecond())
    .bind(update.id.to_string())
    .bind(update.known.as_microsecond())
    .execute(connection)
    .await?;
    match done.rows_affected() {
        1 => Ok(()),
        _ => Err(StoreError::EntryChanged(update.id)),
    }
}

/// Sets `updated_at` of entries.
async fn set_changed(connection: &mut PgConnection, changed: &[(Ulid, Timestamp)]) -> Result<()> {
    let ids: Vec<String> = changed.iter().map(|(id, _)| id.to_string()).collect();
    let moments: Vec<i64> = changed
        .iter()
        .map(|(_, moment)| moment.as_microsecond())
        .collect();
    sqlx::query(
        "update entries e set updated_at = n.moment \
         from unnest($1::text[], $2::bigint[]) as n (id, moment) where e.id = n.id",
    )
    .bind(ids)
    .bind(moments)
    .execute(connection)
    .await?;
    Ok(())
}

/// Writes notes with the current `updated_at` of their entries, replacing earlier notes.
async fn put(connection: &mut PgConnection, notes: &[Note]) -> Result<()> {
    let ids: Vec<String> = notes.iter().map(|note| note.entry.to_string()).collect();
    let paths: Vec<_> = notes.iter().map(|note| encoded(&note.path)).collect();
    let heads: Vec<_> = notes.iter().map(|note| encoded(&note.head)).collect();
    sqlx::query(
        "insert into entry_notes (entry_id, path, head, entry_updated_at) \
         select distinct on (e.id) e.id, n.path, n.head, e.updated_at \
         from unnest($1::text[], $2::text[], $3::text[]) with ordinality \
         as n (id, path, head, place) join entries e on e.id = n.id order by e.id, n.place desc \
         on conflict (entry_id) do update set path = excluded.path, head = excluded.head, \
         entry_updated_at = excluded.entry_updated_at",
    )
    .bind(ids)
    .bind(paths)
    .bind(heads)
    .execute(connection)
    .await?;
    Ok(())
}

/// Reads the notes of some entries.
pub(super) async fn by_ids(connection: &mut PgConnection, ids: &[Ulid]) -> Result<Vec<Note>> {
    let rows = sqlx::query(
        "select entry_id, path, head, entry_updated_at from entry_notes where entry_id = any($1)",
    )
    .bind(texts_of(ids))
    .fetch_all(connection)
    .await?;
    rows.iter().map(note_of).collect()
}

/// Reads the notes with a path.
pub(super) async fn at(connection: &mut PgConnection, path: &str) -> Result<Vec<Note>> {
    // The index contains only the first 500 characters of a path.
    let rows = sqlx::query(
        "select entry_id, path, head, entry_updated_at from entry_notes \
         where left(path, 500) = left($1, 500) and path = $1 order by entry_id",
    )
    .bind(encoded(path))
    .fetch_all(connection)
    .await?;
    rows.iter().map(note_of).collect()
}

fn note_of(row: &PgRow) -> Result<Note> {
    let id: &str = row.try_get("entry_id")?;
    Ok(Note {
        entry: ulid_of(id)?,
        updated_at: timestamp_of(row.try_get("entry_updated_at")?, id)?,
        path: decoded(row.try_get("path")?),
        head: decoded(row.try_get("head")?),
    })
}
