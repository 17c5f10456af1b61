//! Statistics of queries; see [`QuestionStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::{AssertSqlSafe, Row, SqliteConnection, sqlite::SqliteRow};
use ulid::Ulid;
use uuid::Uuid;

use super::{SqliteStore, json_of};
use crate::{
    AskedQuestion, Day, Growth, NewQuestion, QuestionDay, QuestionFamily, QuestionOrder,
    QuestionStore, Result, ReturnedRecord,
    database::columns::{count_of, id_of, integer_of, timestamp_of, ulid_of},
    questions::with_latencies,
    sqlite::connection::{long_read::long_read, writer::write},
};

#[async_trait]
impl QuestionStore for SqliteStore {
    async fn add_questions(&self, questions: &[NewQuestion], days: &[QuestionDay]) -> Result<()> {
        if questions.is_empty() && days.is_empty() {
            return Ok(());
        }
        write!(self, write, [questions, days] => add(write, &questions, &days))
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
        write!(self, write, [] => forget(write, days, most, limit))
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
    write: &mut SqliteConnection,
    questions: &[NewQuestion],
    days: &[QuestionDay],
) -> Result<()> {
    for one in questions {
        add_question(&mut *write, one).await?;
    }
    for one in days {
        add_day(&mut *write, one).await?;
    }
    Ok(())
}

async fn add_question(write: &mut SqliteConnection, new: &NewQuestion) -> Result<()> {
    sqlx::query(
        "insert into questions (day, family, text, asked, unanswered, results, relevance, last_at) \
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) on conflict (day, family, text) do update set \
         asked = questions.asked + excluded.asked, \
         unanswered = questions.unanswered + excluded.unanswered, \
         results = questions.results + excluded.results, \
         relevance = case when excluded.last_at >= questions.last_at \
         then excluded.relevance else questions.relevance end, \
         last_at = max(questions.last_at, excluded.last_at)",
    )
    .bind(new.day.0)
    .bind(new.family.as_str())
    .bind(&new.text)
    .bind(integer_of(new.asked))
    .bind(integer_of(new.unanswered))
    .bind(integer_of(new.results))
    .bind(new.relevance)
    .bind(new.last_at.as_microsecond())
    .execute(write)
    .await?;
    Ok(())
}

async fn add_day(write: &mut SqliteConnection, new: &QuestionDay) -> Result<()> {
    sqlx::query(
        "insert into question_days (day, family, asked, unanswered, others) \
         values (?1, ?2, ?3, ?4, ?5) on conflict (day, family) do update set \
         asked = question_days.asked + excluded.asked, \
         unanswered = question_days.unanswered + excluded.unanswered, \
         others = question_days.others + excluded.others",
    )
    .bind(new.day.0)
    .bind(new.family.as_str())
    .bind(integer_of(new.asked))
    .bind(integer_of(new.unanswered))
    .bind(integer_of(new.others))
    .execute(&mut *write)
    .await?;
    for (bucket, asked) in (0_i64..).zip(new.latencies).filter(|(_, asked)| *asked > 0) {
        sqlx::query(
            "insert into question_latencies (day, family, bucket, asked) \
             values (?1, ?2, ?3, ?4) on conflict (day, family, bucket) do update set \
             asked = question_latencies.asked + excluded.asked",
        )
        .bind(new.day.0)
        .bind(new.family.as_str())
        .bind(bucket)
        .bind(integer_of(asked))
        .execute(&mut *write)
        .await?;
    }
    Ok(())
}

async fn read_questions(
    connection: &mut SqliteConnection,
    (since, family): (Day, Option<QuestionFamily>),
    order: QuestionOrder,
    limit: u32,
) -> Result<Vec<AskedQuestion>> {
    // With a single max() SQLite takes the other columns from the row with the maximum.
    let sql = format!(
        "select family, text, sum(asked) as times, sum(unanswered) as misses, \
         sum(results) as found, relevance as best, max(last_at) as last \
         from questions where day >= ?1 and (?2 is null or family = ?2) \
         group by family, text {} limit ?3",
        order.sql()
    );
    let rows = sqlx::query(AssertSqlSafe(sql))
        .bind(since.0)
        .bind(family.map(QuestionFamily::as_str))
        .bind(limit)
        .fetch_all(connection)
        .await?;
    let question = |row: &SqliteRow| {
        Ok(AskedQuestion {
            family: QuestionFamily::of(row.try_get("family")?)?,
            text: row.try_get("text")?,
            asked: count_of(row.try_get("times")?),
            unanswered: count_of(row.try_get("misses")?),
            results: count_of(row.try_get("found")?),
            relevance: row.try_get("best")?,
            last_at: timestamp_of(row.try_get("last")?, "question")?,
        })
    };
    rows.iter().map(question).collect()
}

async fn days(connection: &mut SqliteConnection, since: Day) -> Result<Vec<QuestionDay>> {
    let rows = sqlx::query(
        "select day, family, asked, unanswered, others from question_days \
         where day >= ?1 order by day, family",
    )
    .bind(since.0)
    .fetch_all(&mut *connection)
    .await?;
    let day = |row: &SqliteRow| {
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
        sqlx::query("select day, family, bucket, asked from question_latencies where day >= ?1")
            .bind(since.0)
            .fetch_all(connection)
            .await?;
    let latency = |row: &SqliteRow| {
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
    write: &mut SqliteConnection,
    (texts, counts): (Day, Day),
    most: u64,
    limit: u32,
) -> Result<u64> {
    let old = sqlx::query(
        "delete from questions where (day, family, text) in \
         (select day, family, text from questions where day < ?1 limit ?2)",
    )
    .bind(texts.0)
    .bind(limit)
    .execute(&mut *write)
    .await?;
    let total = sqlx::query("select count(*) from questions")
        .fetch_one(&mut *write)
        .await?;
    let beyond = count_of(total.try_get(0)?).saturating_sub(most);
    let beyond = sqlx::query(
        "delete from questions where (day, family, text) in \
         (select day, family, text from questions order by day, asked limit ?1)",
    )
    .bind(integer_of(beyond.min(limit.into())))
    .execute(&mut *write)
    .await?;
    for sql in [
        "delete from question_days where day < ?1",
        "delete from question_latencies where day < ?1",
    ] {
        sqlx::query(sql).bind(counts.0).execute(&mut *write).await?;
    }
    Ok(old.rows_affected() + beyond.rows_affected())
}

async fn growth(
    connection: &mut SqliteConnection,
    since: Day,
    projects: Option<&[String]>,
) -> Result<Vec<Growth>> {
    let rows = sqlx::query(
        "select created_at / 86400000000 as day, 'experiences' as family, count(*) as records \
         from experiences where created_at >= ?1 and hidden_at is null and deleted_at is null \
         group by 1 \
         union all select created_at / 86400000000, 'knowledge', count(*) from entries \
         where created_at >= ?1 and (?2 is null or project in (select value from json_each(?2))) \
         group by 1 \
         union all select f.created_at / 86400000000, 'libraries', count(*) from docs_files f \
         join chunks c on c.file_id = f.id where f.created_at >= ?1 group by 1 \
         order by 1, 2",
    )
    .bind(since.begin().as_microsecond())
    .bind(projects.map(json_of))
    .fetch_all(connection)
    .await?;
    let growth = |row: &SqliteRow| {
        Ok(Growth {
            day: Day(row.try_get("day")?),
            family: QuestionFamily::of(row.try_get("family")?)?,
            records: count_of(row.try_get("records")?),
        })
    };
    rows.iter().map(growth).collect()
}

async fn returned_experiences(
    connection: &mut SqliteConnection,
    since: Timestamp,
    limit: u32,
) -> Result<Vec<ReturnedRecord<Uuid>>> {
    let rows = sqlx::query(
        "select id, title, query_count from experiences \
         where updated_at >= ?1 and query_count > 0 and hidden_at is null and deleted_at is null \
         order by query_count desc, id limit ?2",
    )
    .bind(since.as_microsecond())
    .bind(limit)
    .fetch_all(connection)
    .await?;
    rows.iter().map(|row| returned(row, id_of)).collect()
}

async fn shown_entries(
    connection: &mut SqliteConnection,
    (since, projects): (Timestamp, Option<&[String]>),
    limit: u32,
) -> Result<Vec<ReturnedRecord<Ulid>>> {
    let rows = sqlx::query(
        "select id, title, access_count from entries where last_accessed >= ?1 \
         and (?2 is null or project in (select value from json_each(?2))) \
         order by access_count desc, id limit ?3",
    )
    .bind(since.as_microsecond())
    .bind(projects.map(json_of))
    .bind(limit)
    .fetch_all(connection)
    .await?;
    rows.iter().map(|row| returned(row, ulid_of)).collect()
}

fn returned<Id>(row: &SqliteRow, id_of: fn(&str) -> Result<Id>) -> Result<ReturnedRecord<Id>> {
    Ok(ReturnedRecord {
        id: id_of(row.try_get(0)?)?,
        title: row.try_get(1)?,
        count: count_of(row.try_get(2)?),
    })
}
