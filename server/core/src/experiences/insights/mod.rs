//! Insights: frequent queries, unanswered queries, helpful records, growth and latencies.
//!
//! Each covers a period of so many days, including today. Reading them works like a query: it waits for
//! its turn and has a deadline, soon after which the database stops as well. `query_log` defines what is
//! recorded about a query.

mod query_log;
pub mod recalls;

use std::sync::Arc;

use jiff::civil::Date;
use recall_kit_store::{
    ActorKind, AskedQuestion, Day, Growth, LATENCY_BOUNDS_MS, QuestionDay, QuestionFamily,
    QuestionOrder, ReturnedRecord, Store,
};
use ulid::Ulid;
use uuid::Uuid;

pub use self::query_log::{Answered, QueryLog};
pub(crate) use self::query_log::{flush, forget};
use self::recalls::RecallLog;
use crate::{
    access::Caller,
    admission::Admission,
    clock::Clock,
    error::ServiceError,
    indexing::{Records, Source, project_scope},
};

/// The percentiles of latency that are reported.
const PERCENTILES: [u64; 3] = [50, 95, 99];

/// The queries of agents, and what reading them needs.
pub struct Insights {
    /// Queries that are not stored yet.
    pub query_log: Arc<QueryLog>,
    /// Recalls that are not stored yet.
    pub(crate) recall_log: Arc<RecallLog>,
    /// The entries, whose labels limit what a caller sees.
    entries: Arc<Records>,
    /// How many days the texts of queries are stored; 0 for none.
    keep_days: u32,
    store: Arc<dyn Store>,
    admission: Arc<Admission>,
    clock: Clock,
}

impl Insights {
    /// Creates the state over the searchable entries.
    pub(crate) fn new(
        (query_log, recall_log): (Arc<QueryLog>, Arc<RecallLog>),
        entries: Arc<Records>,
        admission: &Arc<Admission>,
        keep_days: u32,
    ) -> Arc<Self> {
        let Source { store, clock, .. } = entries.source.clone();
        Arc::new(Self {
            query_log,
            recall_log,
            entries,
            keep_days,
            store,
            admission: Arc::clone(admission),
            clock,
        })
    }

    /// Returns how many days the texts of queries are stored; 0 for none.
    pub fn keep_days(&self) -> u32 {
        self.keep_days
    }

    /// Returns the first day of a period.
    fn first_of(&self, days: u32) -> Day {
        Day::of(self.clock.now()).before(days.saturating_sub(1))
    }
}

/// The most helpful records: of those that were returned or shown in the period, the ones that were
/// returned or shown most often since they were created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Helpful {
    /// Experiences, by how often queries returned them.
    pub experiences: Vec<ReturnedRecord<Uuid>>,
    /// Entries, by how often they were shown.
    pub entries: Vec<ReturnedRecord<Ulid>>,
}

/// Number and latency of the queries of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayOfQuestions {
    /// The day, UTC.
    pub date: Date,
    /// What was searched.
    pub family: QuestionFamily,
    /// Number of queries.
    pub asked: u64,
    /// Number of queries that found nothing relevant.
    pub unanswered: u64,
    /// Number of queries whose text is not stored.
    pub others: u64,
    /// Within how many milliseconds 50, 95 and 99 percent were answered, rounded up to the next of
    /// [`LATENCY_BOUNDS_MS`]; none if that is beyond the last.
    pub within_ms: [Option<u32>; 3],
}

/// How many records were created on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayOfGrowth {
    /// The day, UTC.
    pub date: Date,
    /// The kind of records.
    pub family: QuestionFamily,
    /// How many of them still exist.
    pub records: u64,
}

/// Which queries to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listed {
    /// The period in days, including today.
    pub days: u32,
    /// Only this family; all when `None`.
    pub family: Option<QuestionFamily>,
    /// The most queries to return.
    pub limit: u32,
}

/// Returns the most frequent queries; `None` for a caller who may not read them.
///
/// *Errors*: [`ServiceError::Timeout`] past the deadline, else those of the database, like every
/// function here.
pub async fn most_asked(
    insights: &Insights,
    caller: &Caller,
    listed: Listed,
) -> Result<Option<Vec<AskedQuestion>>, ServiceError> {
    questions(insights, caller, listed, QuestionOrder::MostAsked).await
}

/// Returns the queries for which nothing relevant was found, most frequent first; `None` for a caller
/// who may not read them.
pub async fn gaps(
    insights: &Insights,
    caller: &Caller,
    listed: Listed,
) -> Result<Option<Vec<AskedQuestion>>, ServiceError> {
    questions(insights, caller, listed, QuestionOrder::LeastAnswered).await
}

/// Queries may contain users' own words, and it is not known which project a query was about.
/// Therefore only authenticated callers without a limit to projects may read the texts.
async fn questions(
    insights: &Insights,
    caller: &Caller,
    Listed {
        days,
        family,
        limit,
    }: Listed,
    order: QuestionOrder,
) -> Result<Option<Vec<AskedQuestion>>, ServiceError> {
    let is_known = caller.actor().kind != ActorKind::Anonymous;
    if !is_known || !caller.projects.is_all() {
        return Ok(None);
    }
    let since = insights.first_of(days);
    let read = async || {
        Ok(insights
            .store
            .questions(since, family, order, limit)
            .await?)
    };
    insights.admission.run_query(read).await.map(Some)
}

/// Returns the most helpful experiences and the most helpful entries that the caller may see, up to
/// `limit` of each.
pub async fn helpful(
    insights: &Insights,
    caller: &Caller,
    days: u32,
    limit: u32,
) -> Result<Helpful, ServiceError> {
    let since = insights.first_of(days).begin();
    insights
        .admission
        .run_query(async || {
            let projects = project_scope::names(&insights.entries, &caller.projects).await?;
            let entries = insights
                .store
                .shown_entries(since, projects.as_deref(), limit);
            Ok(Helpful {
                entries: entries.await?,
                experiences: insights.store.returned_experiences(since, limit).await?,
            })
        })
        .await
}

/// Returns how many records were created on each day, oldest first; of entries only those that the
/// caller may see. Days without records are left out.
pub async fn growth(
    insights: &Insights,
    caller: &Caller,
    days: u32,
) -> Result<Vec<DayOfGrowth>, ServiceError> {
    let since = insights.first_of(days);
    let growth = insights.admission.run_query(async || {
        let projects = project_scope::names(&insights.entries, &caller.projects).await?;
        Ok(insights.store.growth(since, projects.as_deref()).await?)
    });
    let growth = growth.await?;
    let shown = growth.into_iter().map(
        |Growth {
             day,
             family,
             records,
         }| DayOfGrowth {
            date: day.date(),
            family,
            records,
        },
    );
    Ok(shown.collect())
}

/// Returns number and latency of the queries of each day, oldest first; days without queries are left
/// out.
pub async fn latency(insights: &Insights, days: u32) -> Result<Vec<DayOfQuestions>, ServiceError> {
    let since = insights.first_of(days);
    let read = async || Ok(insights.store.question_days(since).await?);
    let days = insights.admission.run_query(read).await?;
    Ok(days.iter().map(DayOfQuestions::of).collect())
}

impl DayOfQuestions {
    fn of(day: &QuestionDay) -> Self {
        Self {
            date: day.day.date(),
            family: day.family,
            asked: day.asked,
            unanswered: day.unanswered,
            others: day.others,
            within_ms: PERCENTILES.map(|percent| within_ms(&day.latencies, percent)),
        }
    }
}

/// Returns the latency bound within which so many percent of the queries were answered.
fn within_ms(counts: &[u64], percent: u64) -> Option<u32> {
    let all: u64 = counts.iter().sum();
    let wanted = (all * percent).div_ceil(100);
    let mut seen = 0;
    let reached = counts.iter().position(|count| {
        seen += count;
        seen >= wanted
    });
    LATENCY_BOUNDS_MS.get(reached?).copied()
}

#[cfg(test)]
mod tests;
