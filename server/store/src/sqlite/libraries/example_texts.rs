//! Texts that a language model wrote about code examples, stored by the hash of the prompt.

use jiff::{SignedDuration, Timestamp};
use sqlx::{Row, SqliteConnection, SqlitePool};

use crate::{ExampleText, Result};

/// Texts that were last stored longer ago are removed: a year.
const LIFETIME: SignedDuration = SignedDuration::from_hours(365 * 24);

/// Reads the stored texts with these hashes.
pub(super) async fn read(readers: &SqlitePool, hashes: &[[u8; 32]]) -> Result<Vec<ExampleText>> {
    let mut found = Vec::new();
    for hash in hashes {
        let row = sqlx::query("select title, description from example_texts where hash = ?")
            .bind(hash.as_slice())
            .fetch_optional(readers)
            .await?;
        if let Some(row) = row {
            found.push(ExampleText {
                hash: *hash,
                title: row.try_get(0)?,
                description: row.try_get(1)?,
            });
        }
    }
    Ok(found)
}

/// Stores texts, replacing earlier ones with the same hash, and removes texts that are too old.
pub(super) async fn put(
    write: &mut SqliteConnection,
    texts: &[ExampleText],
    now: Timestamp,
) -> Result<()> {
    for text in texts {
        sqlx::query(
            "insert into example_texts (hash, title, description, used_at) values (?, ?, ?, ?) \
             on conflict (hash) do update set title = excluded.title, \
             description = excluded.description, used_at = excluded.used_at",
        )
        .bind(text.hash.as_slice())
        .bind(&text.title)
        .bind(&text.description)
        .bind(now.as_microsecond())
        .execute(&mut *write)
        .await?;
    }
    sqlx::query("delete from example_texts where used_at < ?")
        .bind((now - LIFETIME).as_microsecond())
        .execute(&mut *write)
        .await?;
    Ok(())
}
