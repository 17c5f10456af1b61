//! Statistics of queries; see [`QuestionStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::PgConnection;
use ulid::Ulid;
use uuid::Uuid;

use super::{PostgresStore, long_read, text::encoded, write};
use crate::{
    AskedQuestion, Day, Growth, NewQuestion, QuestionDay, QuestionFamily, QuestionOrder,
    QuestionStore, Result, ReturnedRecord, database::columns::integer_of, sql::questions,
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
        long_read!(self, connection => questions::all(connection, (since, family), order, limit))
    }

    async fn question_days(&self, since: Day) -> Result<Vec<QuestionDay>> {
        long_read!(self, connection => questions::days(connection, since))
    }

    async fn forget_questions(&self, days: (Day, Day), most: u64, limit: u32) -> Result<u64> {
        write!(self, transaction => questions::forget(transaction, days, most, limit))
    }

    async fn growth(&self, since: Day, projects: Option<&[String]>) -> Result<Vec<Growth>> {
        long_read!(self, connection => questions::growth(connection, since, projects))
    }

    async fn returned_experiences(
        &self,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<ReturnedRecord<Uuid>>> {
        long_read!(self, connection => questions::returned_experiences(connection, since, limit))
    }

    async fn shown_entries(
        &self,
        since: Timestamp,
        projects: Option<&[String]>,
        limit: u32,
    ) -> Result<Vec<ReturnedRecord<Ulid>>> {
        long_read!(self, connection => questions::shown_entries(connection, (since, projects), limit))
    }
}

/// Adds counts inside a transaction. Every server must pass `questions` and `days` in the same order.
async fn add(
    transaction: &mut PgConnection,
    new: &[NewQuestion],
    days: &[QuestionDay],
) -> Result<()> {
    add_all(transaction, new).await?;
    for one in days {
        questions::add_day(transaction, one).await?;
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
