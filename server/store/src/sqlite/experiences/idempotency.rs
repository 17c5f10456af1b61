//! Forgetting idempotency keys, of experiences and of entries alike.

use jiff::Timestamp;
use sqlx::{AssertSqlSafe, SqliteConnection};

use crate::{
    Result,
    experiences::idempotency::{FORGOTTEN_AT_ONCE, KEPT_KEYS, expired_before},
};

/// Forgets some keys of a table that are past their lifetime at a moment, so that it stays bounded.
pub(crate) async fn forget_keys(
    write: &mut SqliteConnection,
    table: &'static str,
    now: Timestamp,
) -> Result<()> {
    sqlx::query(AssertSqlSafe(format!(
        "delete from {table} where key in (select key from {table} \
         where created_at < ? and created_at < (select created_at from {table} \
         order by created_at desc limit 1 offset ?) order by created_at limit ?)"
    )))
    .bind(expired_before(now))
    .bind(KEPT_KEYS)
    .bind(FORGOTTEN_AT_ONCE)
    .execute(write)
    .await?;
    Ok(())
}
