//! Entries that are stored together, and the Markdown notes that entries came from.

use sqlx::{Row, SqlitePool, sqlite::SqliteRow};
use ulid::Ulid;

use super::{entries, json_of, links, ulid_of};
use crate::store::{EntryBatch, Note, Result};

/// Stores a batch in one transaction.
pub(super) async fn insert_batch(writer: &SqlitePool, batch: &EntryBatch) -> Result<()> {
    let mut write = writer.begin_with("begin immediate").await?;
    for entry in &batch.entries {
        entries::insert(&mut write, entry).await?;
    }
    for id in &batch.obsolete {
        sqlx::query("update entries set status = 'obsolete' where id = ?")
            .bind(id.to_string())
            .execute(&mut *write)
            .await?;
    }
    for note in &batch.notes {
        sqlx::query("insert into entry_notes (entry_id, path, head) values (?, ?, ?)")
            .bind(note.entry.to_string())
            .bind(&note.path)
            .bind(&note.head)
            .execute(&mut *write)
            .await?;
    }
    for link in &batch.links {
        links::insert_into(&mut write, link).await?;
    }
    write.commit().await?;
    Ok(())
}

/// Reads the notes of some entries.
pub(super) async fn by_ids(readers: &SqlitePool, ids: &[Ulid]) -> Result<Vec<Note>> {
    let rows = sqlx::query(
        "select entry_id, path, head from entry_notes \
         where entry_id in (select value from json_each(?))",
    )
    .bind(json_of(ids))
    .fetch_all(readers)
    .await?;
    rows.iter().map(note_of).collect()
}

/// Reads the notes at a path.
pub(super) async fn at(readers: &SqlitePool, path: &str) -> Result<Vec<Note>> {
    let rows = sqlx::query(
        "select entry_id, path, head from entry_notes where path = ? order by entry_id",
    )
    .bind(path)
    .fetch_all(readers)
    .await?;
    rows.iter().map(note_of).collect()
}

fn note_of(row: &SqliteRow) -> Result<Note> {
    Ok(Note {
        entry: ulid_of(row.try_get("entry_id")?)?,
        path: row.try_get("path")?,
        head: row.try_get("head")?,
    })
}
