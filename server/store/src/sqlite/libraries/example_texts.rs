//! What a language model wrote about examples, kept by what it was asked.

use jiff::{SignedDuration, Timestamp};
use sqlx::{Row, SqliteConnection, SqlitePool};

use crate::{ExampleText, Result};

/// What nobody asked for in so long is forgotten: a year.
const KEPT: SignedDuration = SignedDuration::from_hours(365 * 24);

/// Reads what there is of these.
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

/// Writes these, in the place of older ones, and forgets what is too old.
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
        .bind((now - KEPT).as_microsecond())
        .execute(&mut *write)
        .await?;
    Ok(())
}
