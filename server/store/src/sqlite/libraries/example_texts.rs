//! Texts that a language model wrote about code examples, stored by the hash of the prompt.

use jiff::{SignedDuration, Timestamp};
use sqlx::SqliteConnection;

use crate::{ExampleText, Result, sql::query};

/// Texts that were last stored longer ago are removed: a year.
const LIFETIME: SignedDuration = SignedDuration::from_hours(365 * 24);

/// Reads the stored texts with these hashes.
pub(super) async fn read(
    connection: &mut SqliteConnection,
    hashes: &[[u8; 32]],
) -> Result<Vec<ExampleText>> {
    let mut found = Vec::new();
    for hash in hashes {
        let text = query("select title, description from example_texts where hash = $1")
            .bind(hash)
            .fetch_optional(connection)
            .await?;
        found.extend(text.map(|(title, description)| ExampleText {
            hash: *hash,
            title,
            description,
        }));
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
        query(
            "insert into example_texts (hash, title, description, used_at) values ($1, $2, $3, $4) \
             on conflict (hash) do update set title = excluded.title, \
             description = excluded.description, used_at = excluded.used_at",
        )
        .bind(&text.hash)
        .bind(&text.title)
        .bind(&text.description)
        .bind(now)
        .execute(write)
        .await?;
    }
    query("delete from example_texts where used_at < $1")
        .bind(now - LIFETIME)
        .execute(write)
        .await?;
    Ok(())
}
