//! Texts that a language model wrote about code examples, stored by the hash of the prompt.

use jiff::{SignedDuration, Timestamp};
use sqlx::{PgConnection, Row, postgres::PgRow};

use crate::{
    ExampleText, Result,
    database::columns::hash_of,
    postgres::text::{decoded, encoded},
};

/// Texts that were last stored longer ago are removed: a year.
const LIFETIME: SignedDuration = SignedDuration::from_hours(365 * 24);

/// Reads the stored texts with these hashes.
pub(super) async fn read(
    connection: &mut PgConnection,
    hashes: &[[u8; 32]],
) -> Result<Vec<ExampleText>> {
    let rows =
        sqlx::query("select hash, title, description from example_texts where hash = any($1)")
            .bind(hashes)
            .fetch_all(connection)
            .await?;
    let text = |row: &PgRow| {
        let title = decoded(row.try_get("title")?);
        Ok(ExampleText {
            hash: hash_of(row.try_get("hash")?, &title)?,
            description: decoded(row.try_get("description")?),
            title,
        })
    };
    rows.iter().map(text).collect()
}

/// Stores texts, replacing earlier ones with the same hash, and removes texts that are too old.
pub(super) async fn put(
    connection: &mut PgConnection,
    texts: &[ExampleText],
    now: Timestamp,
) -> Result<()> {
    let hashes: Vec<&[u8]> = texts.iter().map(|text| text.hash.as_slice()).collect();
    let titles: Vec<_> = texts.iter().map(|text| encoded(&text.title)).collect();
    let descriptions: Vec<_> = texts
        .iter()
        .map(|text| encoded(&text.description))
        .collect();
    // Ordered by hash: two servers that wrote the same texts in different orders could deadlock. Of
    // several texts with one hash the last is stored.
    sqlx::query(
        "insert into example_texts (hash, title, description, used_at) \
         select distinct on (hash) hash, title, description, $4 \
         from unnest($1::bytea[], $2::text[], $3::text[]) with ordinality \
         as n (hash, title, description, place) order by hash, place desc \
         on conflict (hash) do update set title = excluded.title, \
         description = excluded.description, used_at = excluded.used_at",
    )
    .bind(hashes)
    .bind(titles)
    .bind(descriptions)
    .bind(now.as_microsecond())
    .execute(&mut *connection)
    .await?;
    sqlx::query("delete from example_texts where used_at < $1")
        .bind((now - LIFETIME).as_microsecond())
        .execute(connection)
        .await?;
    Ok(())
}
