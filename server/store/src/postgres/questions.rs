//! Statistics of queries; see [`QuestionStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::{AssertSqlSafe, PgConnection, Row, postgres::PgRow};
use ulid::Ulid;
use uuid::Uuid;

use super::{
    PostgresStore, long_read,
    text::{decoded, encoded},
    write,
};
use crate::{
    AskedQuestion, Day, Growth, NewQuestion, QuestionDay, QuestionFamily, QuestionOrder,
    QuestionStore, Result, ReturnedRecord,
    database::columns::{count_of, id_of, integer_of, timestamp_of, ulid_of},
    questions::with_latencies,
};

#[async_trait]
impl QuestionStore for PostgresStore {
    async fn add_questions(&self, questions: &[NewQuestion], days: &[QuestionDay]) -> Result<()> {
        if questions.is_empty() && days.is_empty() {
            return Ok(());
        }
        write!(self, transaction => add(transaction, questions, days))
    }

    async fn questions(
        &self,
        since: Day,
        family: Option<QuestionFamily>,
        order: QuestionOrder,
        limit: u32,
    ) -> Result<Vec<AskedQuestion>> {
        long_read!(self, connection => read_questions(connection, (since, family), order, limit))
    }

    async fn question_days(&self, since: Day) -> Result<Vec<QuestionDay>> {
        long_read!(self, connection => days(connection, since))
    }

    async fn forget_questions(&self, days: (Day, Day), most: u64, limit: u32) -> Result<u64> {
        write!(self, transaction => forget(transaction, days, most, limit))
    }

    async fn growth(&self, since: Day, projects: Option<&[String]>) -> Result<Vec<Growth>> {
        long_read!(self, connection => growth(connection, since, projects))
    }

    async fn returned_experiences(
        &self,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<ReturnedRecord<Uuid>>> {
        long_read!(self, connection => returned_experiences(connection, since, limit))
    }

    async fn shown_entries(
        &self,
        since: Timestamp,
        projects: Option<&[String]>,
        limit: u32,
    ) -> Result<Vec<ReturnedRecord<Ulid>>> {
        long_read!(self, connection => shown_entries(connection, (since, projects), limit))
    }
}

/// Adds counts inside a transaction. Every server must pass `questions` and `days` in the same order.
async fn add(
    transaction: &mut PgConnection,
    questions: &[NewQuestion],
    days: &[QuestionDay],
) -> Result<()> {
    add_all(&mut *transaction, questions).await?;
    for one in days {
        add_day(&mut *transaction, one).await?;
    }
    Ok(())
}

async fn add_all(transaction: &mut PgConnection, new: &[NewQuestion]) -> Result<()> {
    let integers = |of: fn(&NewQuestion) -> i64| -> Vec<i64> { new.iter().map(of).collect() };
    let families = new.iter().map(|one| one.family.as_str());
    let texts = new.iter().map(|one| encoded(&one.text));
    sqlx::query(
        "insert into questions (day, family, text, asked, unanswered, results, relevance, last_at) \
         select * from unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], \
         $6::bigint[], $7::double precision[], $8::bigint[]) \
         on conflict (day, family, text) do update set \
         asked = questions.asked + excluded.asked, \
         unanswered = questions.unanswered + excluded.unanswered, \
         results = questions.results + excluded.results, \
         relevance = case when excluded.last_at >= questions.last_at \
         then excluded.relevance else questions.relevance end, \
         last_at = greatest(questions.last_at, excluded.last_at)",
    )
    .bind(integers(|one| one.day.0))
    .bind(families.collect::<Vec<_>>())
    .bind(texts.collect::<Vec<_>>())
    .bind(integers(|one| integer_of(one.asked)))
    .bind(integers(|one| integer_of(one.unanswered)))
    .bind(integers(|one| integer_of(one.results)))
    .bind(new.iter().map(|one| one.relevance).collect::<Vec<_>>())
    .bind(integers(|one| one.last_at.as_microsecond()))
    .execute(transaction)
    .await?;
    Ok(())
}

async fn add_day(transaction: &mut PgConnection, new: &QuestionDay) -> Result<()> {
    sqlx::query(
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
    .execute(&mut *transaction)
    .await?;
    for (bucket, asked) in (0_i64..).zip(new.latencies).filter(|(_, asked)| *asked > 0) {
        sqlx::query(
            "insert into question_latencies (day, family, bucket, asked) \
             values ($1, $2, $3, $4) on conflict (day, family, bucket) do update set \
             asked = question_latencies.asked + excluded.asked",
        )
        .bind(new.day.0)
        .bind(new.family.as_str())
        .bind(bucket)
        .bind(integer_of(asked))
        .execute(&mut *transaction)
        .await?;
    }
    Ok(())
}

async fn read_questions(
    connection: &mut PgConnection,
    (since, family): (Day, Option<QuestionFamily>),
    order: QuestionOrder,
    limit: u32,
) -> Result<Vec<AskedQuestion>> {
    let sql = format!(
        "select family, text, sum(asked)::bigint as times, sum(unanswered)::bigint as misses, \
         sum(results)::bigint as found, (array_agg(relevance order by last_at desc))[1] as best, max(last_at) as last \
         from questions where day >= $1 and ($2::text is null or family = $2) \
         group by family, text {} limit $3",
        order.sql()
    );
    let rows = sqlx::query(AssertSqlSafe(sql))
        .bind(since.0)
        .bind(family.map(QuestionFamily::as_str))
        .bind(i64::from(limit))
        .fetch_all(connection)
        .await?;
    let question = |row: &PgRow| {
        Ok(AskedQuestion {
            family: QuestionFamily::of(row.try_get("family")?)?,
            text: decoded(row.try_get("text")?),
            asked: count_of(row.try_get("times")?),
            unanswered: count_of(row.try_get("misses")?),
            results: count_of(row.try_get("found")?),
            relevance: row.try_get("best")?,
            last_at: timestamp_of(row.try_get("last")?, "question")?,
        })
    };
    rows.iter().map(question).collect()
}

async fn days(connection: &mut PgConnection, since: Day) -> Result<Vec<QuestionDay>> {
    let rows = sqlx::query(
        "select day, family, asked, unanswered, others from question_days \
         where day >= $1 order by day, family",
    )
    .bind(since.0)
    .fetch_all(&mut *connection)
    .await?;
    let day = |row: &PgRow| {
        let family = QuestionFamily::of(row.try_get("family")?)?;
        Ok(QuestionDay {
            asked: count_of(row.try_get("asked")?),
            unanswered: count_of(row.try_get("unanswered")?),
            others: count_of(row.try_get("others")?),
            ..QuestionDay::new(Day(row.try_get("day")?), family)
        })
    };
    let days = rows.iter().map(day).collect::<Result<_>>()?;
    let rows =
        sqlx::query("select day, family, bucket, asked from question_latencies where day >= $1")
            .bind(since.0)
            .fetch_all(connection)
            .await?;
    let latency = |row: &PgRow| {
        let family = QuestionFamily::of(row.try_get("family")?)?;
        let (bucket, asked) = (row.try_get("bucket")?, row.try_get("asked")?);
        Ok((
            Day(row.try_get("day")?),
            family,
            count_of(bucket),
            count_of(asked),
        ))
    };
    let latencies: Vec<_> = rows.iter().map(latency).collect::<Result<_>>()?;
    Ok(with_latencies(days, latencies))
}

/// Removes old questions and counts inside a transaction.
async fn forget(
    transaction: &mut PgConnection,
    (texts, counts): (Day, Day),
    most: u64,
    limit: u32,
) -> Result<u64> {
    let old = sqlx::query(
        "delete from questions where (day, family, text) in \
         (select day, family, text from questions where day < $1 limit $2)",
    )
    .bind(texts.0)
    .bind(i64::from(limit))
    .execute(&mut *transaction)
    .await?;
    let total = sqlx::query("select count(*) from questions")
        .fetch_one(&mut *transaction)
        .await?;
    let beyond = count_of(total.try_get(0)?).saturating_sub(most);
    let beyond = sqlx::query(
        "delete from questions where (day, family, text) in \
         (select day, family, text from questions order by day, asked limit $1)",
    )
    .bind(integer_of(beyond.min(limit.into())))
    .execute(&mut *transaction)
    .await?;
    for sql in [
        "delete from question_days where day < $1",
        "delete from question_latencies where day < $1",
    ] {
        sqlx::query(sql)
            .bind(counts.0)
            .execute(&mut *transaction)
            .await?;
    }
    Ok(old.rows_affected() + beyond.rows_affected())
}

async fn growth(
    connection: &mut PgConnection,
    since: Day,
    projects: Option<&[String]>,
) -> Result<Vec<Growth>> {
    let rows = sqlx::query(
        "select created_at / 86400000000 as day, 'experiences' as family, count(*) as records \
         from experiences where created_at >= $1 and hidden_at is null and deleted_at is null \
         group by 1 \
         union all select created_at / 86400000000, 'knowledge', count(*) from entries \
         where created_at >= $1 and ($2::text[] is null or project = any($2)) group by 1 \
         union all select f.created_at / 86400000000, 'libraries', count(*) from docs_files f \
         join chunks c on c.file_id = f.id where f.created_at >= $1 group by 1 \
         order by 1, 2",
    )
    .bind(since.begin().as_microsecond())
    .bind(projects.map(all_encoded))
    .fetch_all(connection)
    .await?;
    let growth = |row: &PgRow| {
        Ok(Growth {
            day: Day(row.try_get("day")?),
            family: QuestionFamily::of(row.try_get("family")?)?,
            records: count_of(row.try_get("records")?),
        })
    };
    rows.iter().map(growth).collect()
}

async fn returned_experiences(
    connection: &mut PgConnection,
    since: Timestamp,
    limit: u32,
) -> Result<Vec<ReturnedRecord<Uuid>>> {
    let rows = sqlx::query(
        "select id, title, query_count from experiences \
         where updated_at >= $1 and query_count > 0 and hidden_at is null and deleted_at is null \
         order by query_count desc, id limit $2",
    )
    .bind(since.as_microsecond())
    .bind(i64::from(limit))
    .fetch_all(connection)
    .await?;
    rows.iter().map(|row| returned(row, id_of)).collect()
}

async fn shown_entries(
    connection: &mut PgConnection,
    (since, projects): (Timestamp, Option<&[String]>),
    limit: u32,
) -> Result<Vec<ReturnedRecord<Ulid>>> {
    let rows = sqlx::query(
        "select id, title, access_count from entries where last_accessed >= $1 \
         and ($2::text[] is null or project = any($2)) \
         order by access_count desc, id limit $3",
    )
    .bind(since.as_microsecond())
    .bind(projects.map(all_encoded))
    .bind(i64::from(limit))
    .fetch_all(connection)
    .await?;
    rows.iter().map(|row| returned(row, ulid_of)).collect()
}

/// Converts names to their stored form.
fn all_encoded(names: &[String]) -> Vec<String> {
    names
        .iter()
        .map(|name| encoded(name).into_owned())
        .collect()
}

fn returned<Id>(row: &PgRow, id_of: fn(&str) -> Result<Id>) -> Result<ReturnedRecord<Id>> {
    Ok(ReturnedRecord {
        id: id_of(row.try_get(0)?)?,
        title: decoded(row.try_get(1)?),
        count: count_of(row.try_get(2)?),
    })
}
