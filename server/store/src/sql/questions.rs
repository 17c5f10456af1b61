//! Statistics of queries.

use std::str::FromStr;

use jiff::Timestamp;
use sqlx::{AssertSqlSafe, FromRow};
use ulid::Ulid;
use uuid::Uuid;

use super::{Columns, Dialects, SqlConnection, query};
use crate::{
    AskedQuestion, Day, Growth, QuestionDay, QuestionFamily, QuestionOrder, Result, ReturnedRecord,
    database::columns::{count_of, integer_of, timestamp_of, word_of},
    questions::with_latencies,
};

/// Adds counts of a day.
pub(crate) async fn add_day(connection: &mut impl SqlConnection, new: &QuestionDay) -> Result<()> {
    query(
        "insert into question_days (day, family, asked, unanswered, others) \
         values ($1, $2, $3, $4, $5) on conflict (day, family) do update set \
         asked = question_days.asked + excluded.asked, \
         unanswered = question_days.unanswered + excluded.unanswered, \
         others = question_days.others + excluded.others",
    )
    .bind(new.day.0)
    .bind(new.family.as_str())
    .bind(integer_of(new.asked))
    .bind(integer_of(new.unanswered))
    .bind(integer_of(new.others))
    .execute(connection)
    .await?;
    for (bucket, asked) in (0_i64..).zip(new.latencies).filter(|(_, asked)| *asked > 0) {
        query(
            "insert into question_latencies (day, family, bucket, asked) \
             values ($1, $2, $3, $4) on conflict (day, family, bucket) do update set \
             asked = question_latencies.asked + excluded.asked",
        )
        .bind(new.day.0)
        .bind(new.family.as_str())
        .bind(bucket)
        .bind(integer_of(asked))
        .execute(connection)
        .await?;
    }
    Ok(())
}

/// Reads questions with their sums over all days since one.
pub(crate) async fn all(
    connection: &mut impl SqlConnection,
    (since, family): (Day, Option<QuestionFamily>),
    order: QuestionOrder,
    limit: u32,
) -> Result<Vec<AskedQuestion>> {
    let best = connection.dialect(Dialects {
        // With a single max() SQLite takes the other columns from the row with the maximum.
        sqlite: "relevance",
        postgres: "(array_agg(relevance order by last_at desc))[1]",
    });
    let order = order.sql();
    let sql = format!(
        "select family, text, cast(sum(asked) as bigint) as times, \
         cast(sum(unanswered) as bigint) as misses, cast(sum(results) as bigint) as found, \
         {best} as best, max(last_at) as last \
         from questions where day >= $1 and ($2 is null or family = $2) \
         group by family, text {order} limit $3"
    );
    query(AssertSqlSafe(sql))
        .bind(since.0)
        .bind(family.map(QuestionFamily::as_str))
        .bind(limit)
        .fetch_all(connection)
        .await
}

impl<'r, R: Columns> FromRow<'r, R> for AskedQuestion {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self {
            family: QuestionFamily::of(row.read("family")?)?,
            text: row.text("text")?,
            asked: count_of(row.read("times")?),
            unanswered: count_of(row.read("misses")?),
            results: count_of(row.read("found")?),
            relevance: row.read("best")?,
            last_at: timestamp_of(row.read("last")?, "question")?,
        })
    }
}

/// Reads the counts of days.
pub(crate) async fn days(
    connection: &mut impl SqlConnection,
    since: Day,
) -> Result<Vec<QuestionDay>> {
    let days = query(
        "select day, family, asked, unanswered, others from question_days \
         where day >= $1 order by day, family",
    )
    .bind(since.0)
    .fetch_all(connection)
    .await?;
    let latencies: Vec<LatencyRow> =
        query("select day, family, bucket, asked from question_latencies where day >= $1")
            .bind(since.0)
            .fetch_all(connection)
            .await?;
    let latencies = latencies
        .into_iter()
        .map(|row| (row.day, row.family, row.bucket, row.asked));
    Ok(with_latencies(days, latencies))
}

impl<'r, R: Columns> FromRow<'r, R> for QuestionDay {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let family = QuestionFamily::of(row.read("family")?)?;
        Ok(Self {
            asked: count_of(row.read("asked")?),
            unanswered: count_of(row.read("unanswered")?),
            others: count_of(row.read("others")?),
            ..Self::new(Day(row.read("day")?), family)
        })
    }
}

struct LatencyRow {
    day: Day,
    family: QuestionFamily,
    bucket: u64,
    asked: u64,
}

impl<'r, R: Columns> FromRow<'r, R> for LatencyRow {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self {
            day: Day(row.read("day")?),
            family: QuestionFamily::of(row.read("family")?)?,
            bucket: count_of(row.read("bucket")?),
            asked: count_of(row.read("asked")?),
        })
    }
}

/// Removes old questions and counts.
pub(crate) async fn forget(
    connection: &mut impl SqlConnection,
    (texts, counts): (Day, Day),
    most: u64,
    limit: u32,
) -> Result<u64> {
    let old = query(
        "delete from questions where (day, family, text) in \
         (select day, family, text from questions where day < $1 limit $2)",
    )
    .bind(texts.0)
    .bind(limit)
    .execute(connection)
    .await?;
    let total = query("select count(*) from questions")
        .fetch_count(connection)
        .await?;
    let beyond = total.saturating_sub(most);
    let beyond = query(
        "delete from questions where (day, family, text) in \
         (select day, family, text from questions order by day, asked limit $1)",
    )
    .bind(integer_of(beyond.min(limit.into())))
    .execute(connection)
    .await?;
    for sql in [
        "delete from question_days where day < $1",
        "delete from question_latencies where day < $1",
    ] {
        query(sql).bind(counts.0).execute(connection).await?;
    }
    Ok(old + beyond)
}

/// Counts the records of each day.
pub(crate) async fn growth(
    connection: &mut impl SqlConnection,
    since: Day,
    projects: Option<&[String]>,
) -> Result<Vec<Growth>> {
    query(
        "select created_at / 86400000000 as day, 'experiences' as family, count(*) as records \
         from experiences where created_at >= $1 and hidden_at is null and deleted_at is null \
         group by 1 \
         union all select created_at / 86400000000, 'knowledge', count(*) from entries \
         where created_at >= $1 and ($2 is null or project = any($2)) group by 1 \
         union all select f.created_at / 86400000000, 'libraries', count(*) from docs_files f \
         join chunks c on c.file_id = f.id where f.created_at >= $1 group by 1 \
         order by 1, 2",
    )
    .bind(since.begin())
    .bind(projects)
    .fetch_all(connection)
    .await
}

impl<'r, R: Columns> FromRow<'r, R> for Growth {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        Ok(Self {
            day: Day(row.read("day")?),
            family: QuestionFamily::of(row.read("family")?)?,
            records: count_of(row.read("records")?),
        })
    }
}

/// Reads the experiences that were returned most often, of those returned since a point in time.
pub(crate) async fn returned_experiences(
    connection: &mut impl SqlConnection,
    since: Timestamp,
    limit: u32,
) -> Result<Vec<ReturnedRecord<Uuid>>> {
    query(
        "select id, title, query_count as times from experiences \
         where updated_at >= $1 and query_count > 0 and hidden_at is null and deleted_at is null \
         order by query_count desc, id limit $2",
    )
    .bind(since)
    .bind(limit)
    .fetch_all(connection)
    .await
}

/// Reads the entries that were shown most often, of those shown since a point in time.
pub(crate) async fn shown_entries(
    connection: &mut impl SqlConnection,
    (since, projects): (Timestamp, Option<&[String]>),
    limit: u32,
) -> Result<Vec<ReturnedRecord<Ulid>>> {
    query(
        "select id, title, access_count as times from entries where last_accessed >= $1 \
         and ($2 is null or project = any($2)) order by access_count desc, id limit $3",
    )
    .bind(since)
    .bind(projects)
    .bind(limit)
    .fetch_all(connection)
    .await
}

impl<'r, R: Columns, Id: FromStr> FromRow<'r, R> for ReturnedRecord<Id> {
    fn from_row(row: &'r R) -> sqlx::Result<Self> {
        let id: &str = row.read("id")?;
        Ok(Self {
            id: word_of(id, "id", id)?,
            title: row.text("title")?,
            count: count_of(row.read("times")?),
        })
    }
}
