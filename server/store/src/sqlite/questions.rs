//! Statistics of queries; see [`QuestionStore`].

use async_trait::async_trait;
use jiff::Timestamp;
use sqlx::SqliteConnection;
use ulid::Ulid;
use uuid::Uuid;

use super::SqliteStore;
use crate::{
    AskedQuestion, Day, Growth, NewQuestion, QuestionDay, QuestionFamily, QuestionOrder,
    QuestionStore, Result, ReturnedRecord,
    database::columns::integer_of,
    sql::{query, questions},
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
        long_read!(self, connection => questions::all(connection, (since, family), order, limit))
    }

    async fn question_days(&self, since: Day) -> Result<Vec<QuestionDay>> {
        long_read!(self, connection => questions::days(connection, since))
    }

    async fn forget_questions(&self, days: (Day, Day), most: u64, limit: u32) -> Result<u64> {
        write!(self, write, [] => questions::forget(write, days, most, limit))
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
    write: &mut SqliteConnection,
    new: &[NewQuestion],
    days: &[QuestionDay],
) -> Result<()> {
    for one in new {
        add_question(write, one).await?;
    }
    for one in days {
        questions::add_day(write, one).await?;
    }
    Ok(())
}

async fn add_question(write: &mut SqliteConnection, new: &NewQuestion) -> Result<()> {
    query(
        "insert into questions (day, family, text, asked, unanswered, results, relevance, last_at) \
         values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (day, family, text) do update set \
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
    .bind(new.last_at)
    .execute(write)
    .await?;
    Ok(())
}
