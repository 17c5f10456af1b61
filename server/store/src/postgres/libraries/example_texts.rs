//! What a language model wrote about examples, kept by what it was asked.

use jiff::{SignedDuration, Timestamp};
use sqlx::{PgConnection, Row, postgres::PgRow};

use super::hash_of;
use crate::{
    ExampleText, Result,
    postgres::text::{given, kept},
};

/// What nobody asked for in so long is forgotten: a year.
const KEPT: SignedDuration = SignedDuration::from_hours(365 * 24);

/// Reads what there is of these.
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
        let title = given(row.try_get("title")?);
        Ok(ExampleText {
            hash: hash_of(row.try_get("hash")?, &title)?,
            description: given(row.try_get("description")?),
            title,
        })
    };
    rows.iter().map(text).collect()
}

/// Writes these, in the place of older ones, and forgets what is too old.
pub(super) async fn put(
    connection: &mut PgConnection,
    texts: &[ExampleText],
    now: Timestamp,
) -> Result<()> {
    let hashes: Vec<&[u8]> = texts.iter().map(|text| text.hash.as_slice()).collect();
    let titles: Vec<_> = texts.iter().map(|text| kept(&text.title)).collect();
    let descriptions: Vec<_> = texts.iter().map(|text| kept(&text.description)).collect();
    // In the order of their hashes: two servers that wrote the same ones in different orders would
    // wait for each other. Of several with one hash the last.
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
        .bind((now - KEPT).as_microsecond())
        .execute(connection)
        .await?;
    Ok(())
}
