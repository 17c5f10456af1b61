//! Query counts: how often records were returned.

use jiff::Timestamp;
use sqlx::{Row, SqliteConnection, SqlitePool};

use crate::{
    NewCount, QueryCount, Result,
    database::columns::{count_of, id_of, integer_of},
};

/// Adds a batch of counts.
pub(crate) async fn add(
    write: &mut SqliteConnection,
    counts: &[NewCount],
    now: Timestamp,
) -> Result<()> {
    for new in counts {
        sqlx::query(
            "update experiences set query_count = query_count + ?, popularity = popularity + ?, \
             updated_at = ? where id = ?",
        )
        .bind(integer_of(new.count))
        .bind(integer_of(new.popularity))
        .bind(now.as_microsecond())
        .bind(new.id.to_string())
        .execute(&mut *write)
        .await?;
    }
    Ok(())
}

/// Reads the counts written at or after a point in time.
pub(crate) async fn since(readers: &SqlitePool, moment: Timestamp) -> Result<Vec<QueryCount>> {
    let rows = sqlx::query(
        "select id, query_count, popularity from experiences where updated_at >= ? \
         and (query_count > 0 or popularity > 0)",
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
                popularity: count_of(row.try_get(2)?),
            })
        })
        .collect()
}
