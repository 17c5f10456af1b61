//! The time up to which failed sign-in attempts no longer delay new ones: one fact of the database.

use jiff::Timestamp;
use sqlx::{Row, SqliteConnection, SqlitePool};

use crate::{
    Result,
    database::columns::{damaged, timestamp_of},
};

/// The fact's name; its value is the time in microseconds since 1970.
const FACT: &str = "sign_in_waits_cleared_at";

/// Stores the time.
pub(super) async fn clear(write: &mut SqliteConnection, now: Timestamp) -> Result<()> {
    sqlx::query(
        "insert into database_facts (name, value) values (?, ?) \
         on conflict (name) do update set value = excluded.value",
    )
    .bind(FACT)
    .bind(now.as_microsecond().to_string())
    .execute(write)
    .await?;
    Ok(())
}

/// Reads the time.
pub(super) async fn cleared_at(readers: &SqlitePool) -> Result<Option<Timestamp>> {
    let row = sqlx::query("select value from database_facts where name = ?")
        .bind(FACT)
        .fetch_optional(readers)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let value: String = row.try_get(0)?;
    let micros = value.parse().map_err(|_| damaged("value", FACT))?;
    timestamp_of(micros, FACT).map(Some)
}
