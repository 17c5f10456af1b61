//! Query counts: how often records were returned.

use jiff::Timestamp;
use sqlx::{PgConnection, Row};

use crate::{
    NewCount, QueryCount, Result,
    database::columns::{count_of, id_of, integer_of},
};

/// Adds a batch of counts.
pub(crate) async fn add(
    transaction: &mut PgConnection,
    counts: &[NewCount],
    now: Timestamp,
) -> Result<()> {
    let ids: Vec<String> = counts.iter().map(|new| new.id.to_string()).collect();
    let popularities: Vec<i64> = counts
        .iter()
        .map(|new| integer_of(new.popularity))
        .collect();
    let counts: Vec<i64> = counts.iter().map(|new| integer_of(new.count)).collect();
    // All servers lock rows in the same order, so that they cannot deadlock.
    sqlx::query(
        "with counted as (select id, sum(count)::bigint as count, \
         sum(popularity)::bigint as popularity \
         from unnest($1::text[], $2::bigint[], $3::bigint[]) as c(id, count, popularity) \
         group by id), \
         locked as (select e.id from experiences e join counted c on c.id = e.id \
         order by e.id for update of e) \
         update experiences e set query_count = e.query_count + c.count, \
         popularity = e.popularity + c.popularity, updated_at = $4 \
         from counted c join locked l on l.id = c.id where e.id = c.id",
    )
    .bind(ids)
    .bind(counts)
    .bind(popularities)
    .bind(now.as_microsecond())
    .execute(transaction)
    .await?;
    Ok(())
}

/// Reads the counts written at or after a point in time.
pub(crate) async fn since(
    connection: &mut PgConnection,
    moment: Timestamp,
) -> Result<Vec<QueryCount>> {
    let rows = sqlx::query(
        "select id, query_count, popularity from experiences where updated_at >= $1 \
         and (query_count > 0 or popularity > 0)",
    )
    .bind(moment.as_microsecond())
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(QueryCount {
                id: id_of(row.try_get(0)?)?,
                query_count: count_of(row.try_get(1)?),
                popularity: count_of(row.try_get(2)?),
            })
        })
        .collect()
}
