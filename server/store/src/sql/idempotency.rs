//! Removal of expired idempotency keys, of experiences and of entries.

use jiff::Timestamp;
use sqlx::AssertSqlSafe;

use super::{SqlConnection, query};
use crate::{
    Result,
    experiences::idempotency::{KEPT_KEYS, REMOVED_PER_SUBMIT, expired_before},
};

/// Removes some keys of a table that are past their lifetime, so that the table stays bounded.
pub(crate) async fn remove_expired_keys(
    connection: &mut impl SqlConnection,
    table: &'static str,
    now: Timestamp,
) -> Result<()> {
    query(AssertSqlSafe(format!(
        "delete from {table} where key in (select key from {table} \
         where created_at < $1 and created_at < (select created_at from {table} \
         order by created_at desc limit 1 offset $2) order by created_at limit $3)"
    )))
    .bind(expired_before(now))
    .bind(KEPT_KEYS)
    .bind(REMOVED_PER_SUBMIT)
    .execute(connection)
    .await?;
    Ok(())
}
