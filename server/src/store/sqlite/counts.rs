//! Query counts: how often records were returned.

use jiff::Timestamp;
use sqlx::{Row, SqliteConnection, SqlitePool};
use uuid::Uuid;

use crate::store::{
    QueryCount, Result,
    columns::{count_of, id_of, integer_of},
};

/// Adds a batch of counts in one transaction.
pub(super) async fn add(
    write: &mut SqliteConnection,
    counts: &[(Uuid, u64)],
    now: Timestamp,
) -> Result<()> {
    for (id, count) in counts {
        sqlx::query(
            "update experiences set query_count = query_count + ?, updated_at = ? where id = ?",
        )
        .bind(integer_of(*count))
        .bind(now.as_microsecond())
        .bind(id.to_string())
        .execute(&mut *write)
        .await?;
    }
    Ok(())
}

/// Reads the counts written at or after a moment.
pub(super) async fn since(readers: &SqlitePool, moment: Timestamp) -> Result<Vec<QueryCount>> {
    let rows = sqlx::query(
        "select id, query_count from experiences where updated_at >= ? and query_count > 0",
    )
    .bind(moment.as_microsecond())
    .fetch_all(readers)
    .await?;
    rows.iter()
        .map(|row| {
            let id: &str = row.try_get(0)?;
            Ok(QueryCount {
                id: id_of(id)?,
                query_count: count_of(row.try_get(1)?),
            })
        })
        .collect()
}
