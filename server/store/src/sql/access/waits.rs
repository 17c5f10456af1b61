//! The time up to which failed sign-in attempts no longer delay new ones: one fact of the database.

use jiff::Timestamp;

use crate::{
    Result,
    database::columns::{damaged, timestamp_of},
    sql::{SqlConnection, query},
};

/// The fact's name; its value is the time in microseconds since 1970.
const FACT: &str = "sign_in_waits_cleared_at";

/// Stores the time.
pub(crate) async fn clear(connection: &mut impl SqlConnection, now: Timestamp) -> Result<()> {
    query(
        "insert into database_facts (name, value) values ($1, $2) \
         on conflict (name) do update set value = excluded.value",
    )
    .bind(FACT)
    .bind(now.as_microsecond().to_string())
    .execute(connection)
    .await?;
    Ok(())
}

/// Reads the time.
pub(crate) async fn cleared_at(connection: &mut impl SqlConnection) -> Result<Option<Timestamp>> {
    let row: Option<(String,)> = query("select value from database_facts where name = $1")
        .bind(FACT)
        .fetch_optional(connection)
        .await?;
    let Some((value,)) = row else { return Ok(None) };
    let micros = value.parse().map_err(|_| damaged("value", FACT))?;
    timestamp_of(micros, FACT).map(Some)
}
