//! Query counts: how often records were returned.

use jiff::Timestamp;
use sqlx::{PgConnection, Row};
use uuid::Uuid;

use crate::store::{
    QueryCount, Result,
    columns::{count_of, id_of, integer_of},
};

/// Adds a batch of counts.
pub(super) async fn add(
    transaction: &mut PgConnection,
    counts: &[(Uuid, u64)],
    now: Timestamp,
) -> Result<()> {
    let (ids, counts): (Vec<String>, Vec<i64>) = counts
        .iter()
        .map(|(id, count)| (id.to_string(), integer_of(*count)))
        .unzip();
    // Rows are locked in one order, whichever server counts.
    sqlx::query(
        "with counted as (select id, sum(count)::bigint as count \
         from unnest($1::text[], $2::bigint[]) as c(id, count) group by id), \
         locked as (select e.id from experiences e join counted c on c.id = e.id \
         order by e.id for update of e) \
         update experiences e set query_count = e.query_count + c.count, updated_at = $3 \
         from counted c join locked l on l.id = c.id where e.id = c.id",
    )
    .bind(ids)
    .bind(counts)
    .bind(now.as_microsecond())
    .execute(transaction)
    .await?;
    Ok(())
}

/// Reads the counts written at or after a moment.
pub(super) async fn since(
    connection: &mut PgConnection,
    moment: Timestamp,
) -> Result<Vec<QueryCount>> {
    let rows = sqlx::query(
        "select id, query_count from experiences where updated_at >= $1 and query_count > 0",
    )
    .bind(moment.as_microsecond())
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(QueryCount {
                id: id_of(row.try_get(0)?)?,
                query_count: count_of(row.try_get(1)?),
            })
        })
        .collect()
}
