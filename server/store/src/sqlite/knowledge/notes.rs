//! Batches of entries, and the Markdown notes from which entries were imported.

use sqlx::{Row, SqliteConnection, SqlitePool, sqlite::SqliteRow};
use ulid::Ulid;

use super::{entries, json_of, links, vectors::move_to_head};
use crate::{
    EntryBatch, EntryUpdate, Note, Result, StoreError,
    database::columns::{timestamp_of, ulid_of},
    sqlite::access::people::note_change,
};

/// Stores a batch.
pub(super) async fn insert_batch(write: &mut SqliteConnection, batch: &EntryBatch) -> Result<()> {
    for entry in &batch.entries {
        entries::insert(&mut *write, entry).await?;
    }
    for one in &batch.updates {
        update(&mut *write, one).await?;
    }
    for (id, moment) in &batch.changed {
        sqlx::query("update entries set updated_at = ? where id = ?")
            .bind(moment.as_microsecond())
            .bind(id.to_string())
            .execute(&mut *write)
            .await?;
    }
    for id in &batch.obsolete {
        sqlx::query("update entries set status = 'obsolete' where id = ?")
            .bind(id.to_string())
            .execute(&mut *write)
            .await?;
    }
    for link in &batch.links {
        links::insert_into(&mut *write, link).await?;
    }
    // Last, because a link may change an entry's `updated_at`.
    for note in &batch.notes {
        sqlx::query(
            "insert into entry_notes (entry_id, path, head, entry_updated_at) \
             select id, ?2, ?3, updated_at from entries where id = ?1 \
             on conflict (entry_id) do update set path = excluded.path, head = excluded.head, \
             entry_updated_at = excluded.entry_updated_at",
        )
        .bind(note.entry.to_string())
        .bind(&note.path)
        .bind(&note.head)
        .execute(&mut *write)
        .await?;
    }
    note_change(write, batch.event.as_ref()).await
}

/// Changes an entry and removes its vectors, which belong to the old content.
///
/// *Errors*: [`StoreError::EntryChanged`] if the entry was changed since the caller read it.
async fn update(write: &mut SqliteConnection, update: &EntryUpdate) -> Result<()> {
    let (id, content) = (update.id.to_string(), &update.content);
    let done = sqlx::query(
        "update entries set type = ?, title = ?, content = ?, tags = ?, project = ?, context = ?, \
         confidence = ?, memory_type = ?, updated_at = ? where id = ? and updated_at = ?",
    )
    .bind(content.kind.as_str())
    .bind(&content.title)
    .bind(&content.content)
    .bind(serde_json::Value::from(content.tags.clone()).to_string())
    .bind(&content.project)
    .bind(&content.context)
    .bind(content.confidence)
    .bind(content.memory_type.as_str())
    .bind(update.now.as_microsecond())
    .bind(&id)
    .bind(update.known.as_microsecond())
    .execute(&mut *write)
    .await?;
    if done.rows_affected() != 1 {
        return Err(StoreError::EntryChanged(update.id));
    }
    sqlx::query("delete from entry_vectors where entry_id = ?")
        .bind(&id)
        .execute(&mut *write)
        .await?;
    move_to_head(write, update.id).await
}

/// Reads the notes of some entries.
pub(super) async fn by_ids(readers: &SqlitePool, ids: &[Ulid]) -> Result<Vec<Note>> {
    let rows = sqlx::query(
        "select entry_id, path, head, entry_updated_at from entry_notes \
         where entry_id in (select value from json_each(?))",
    )
    .bind(json_of(ids))
    .fetch_all(readers)
    .await?;
    rows.iter().map(note_of).collect()
}

/// Reads the notes with a path.
pub(super) async fn at(readers: &SqlitePool, path: &str) -> Result<Vec<Note>> {
    let rows = sqlx::query(
        "select entry_id, path, head, entry_updated_at from entry_notes where path = ? order by entry_id",
    )
    .bind(path)
    .fetch_all(readers)
    .await?;
    rows.iter().map(note_of).collect()
}

fn note_of(row: &SqliteRow) -> Result<Note> {
    let id: &str = row.try_get("entry_id")?;
    Ok(Note {
        entry: ulid_of(id)?,
        updated_at: timestamp_of(row.try_get("entry_updated_at")?, id)?,
        path: row.try_get("path")?,
        head: row.try_get("head")?,
    })
}
