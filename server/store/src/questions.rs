//! Statistics of queries and their results, by day. They are stored as sums, so that several servers can
//! add to the same rows.
//!
//! The caller has already removed secrets and personal data from the texts.

use async_trait::async_trait;
use jiff::{Timestamp, ToSpan as _, civil::Date};
use ulid::Ulid;
use uuid::Uuid;

use super::{Result, StoreError};
use crate::database::columns::damaged;

/// Upper bounds of the buckets in which latencies are counted, in milliseconds; one more bucket counts
/// longer latencies.
pub const LATENCY_BOUNDS_MS: [u32; 11] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000];
/// The number of buckets.
pub const LATENCY_BUCKETS: usize = LATENCY_BOUNDS_MS.len() + 1;
const EPOCH: Date = Date::constant(1970, 1, 1);

/// A day (UTC), as the number of days since 1970-01-01.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub i64);

/// The family of records that a query searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QuestionFamily {
    /// Experiences.
    Experiences,
    /// The knowledge base.
    Knowledge,
    /// Documentation.
    Libraries,
}

/// Counts of a question on one day, to be added to the stored ones.
#[derive(Debug, Clone, PartialEq)]
pub struct NewQuestion {
    /// The day.
    pub day: Day,
    /// The family that was searched.
    pub family: QuestionFamily,
    /// The text of the question, cleaned and normalised.
    pub text: String,
    /// How often it was asked.
    pub asked: u64,
    /// How often nothing relevant was found.
    pub unanswered: u64,
    /// Total number of results.
    pub results: u64,
    /// Relevance of the best result of the latest query, 0–1; `None` if nothing was found or it is unknown.
    pub relevance: Option<f64>,
    /// When it was last asked.
    pub last_at: Timestamp,
}

/// Counts and latencies of all queries of a family on one day. To store them means to add them to the
/// stored ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuestionDay {
    /// The day.
    pub day: Day,
    /// The family that was searched.
    pub family: QuestionFamily,
    /// Number of queries.
    pub asked: u64,
    /// Number of queries without a relevant result.
    pub unanswered: u64,
    /// Number of queries whose text is not stored.
    pub others: u64,
    /// Number of queries by latency; see [`LATENCY_BOUNDS_MS`].
    pub latencies: [u64; LATENCY_BUCKETS],
}

/// A question, summed over the days of a period.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedQuestion {
    /// The family that was searched.
    pub family: QuestionFamily,
    /// The text of the question.
    pub text: String,
    /// How often it was asked.
    pub asked: u64,
    /// How often nothing relevant was found.
    pub unanswered: u64,
    /// Total number of results.
    pub results: u64,
    /// See [`NewQuestion::relevance`].
    pub relevance: Option<f64>,
    /// When it was last asked.
    pub last_at: Timestamp,
}

/// The order of questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionOrder {
    /// By how often they were asked, the most often first.
    MostAsked,
    /// By how often nothing relevant was found, the most often first; questions that always had a
    /// relevant result are left out.
    LeastAnswered,
}

/// How many records were added on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Growth {
    /// The day.
    pub day: Day,
    /// Their family.
    pub family: QuestionFamily,
    /// Number of records that still exist.
    pub records: u64,
}

/// A record that was returned or shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReturnedRecord<Id> {
    /// The record.
    pub id: Id,
    /// Its title.
    pub title: String,
    /// How often, since it was added.
    pub count: u64,
}

impl Day {
    /// Returns the day of a point in time.
    pub fn of(moment: Timestamp) -> Self {
        Self(moment.as_second().div_euclid(24 * 60 * 60))
    }

    /// Returns the day that is this number of days earlier.
    pub fn before(self, days: u32) -> Self {
        Self(self.0.saturating_sub(days.into()))
    }

    /// Returns its beginning.
    pub fn begin(self) -> Timestamp {
        Timestamp::from_second(self.0.saturating_mul(24 * 60 * 60)).unwrap_or(Timestamp::MIN)
    }

    /// Returns it as a date.
    pub fn date(self) -> Date {
        EPOCH.checked_add(self.0.days()).unwrap_or(EPOCH)
    }
}

impl QuestionFamily {
    /// Every family.
    pub const ALL: [Self; 3] = [Self::Experiences, Self::Knowledge, Self::Libraries];

    /// Returns the word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Experiences => "experiences",
            Self::Knowledge => "knowledge",
            Self::Libraries => "libraries",
        }
    }

    /// Reads a column that holds the word.
    pub(super) fn of(word: &str) -> Result<Self, StoreError> {
        let known = Self::ALL.into_iter().find(|family| family.as_str() == word);
        known.ok_or_else(|| damaged("family", word))
    }
}

impl QuestionDay {
    /// Returns a day with all counts 0.
    pub fn new(day: Day, family: QuestionFamily) -> Self {
        Self {
            day,
            family,
            asked: 0,
            unanswered: 0,
            others: 0,
            latencies: [0; LATENCY_BUCKETS],
        }
    }
}

impl QuestionOrder {
    /// Returns the `having` and `order by` clauses, as SQL over sums.
    pub(super) const fn sql(self) -> &'static str {
        match self {
            Self::MostAsked => "order by sum(asked) desc, text, family",
            Self::LeastAnswered => {
                "having sum(unanswered) > 0 \
                 order by sum(unanswered) desc, sum(asked) desc, text, family"
            }
        }
    }
}

/// Adds latencies (day, family, bucket, count) to their days.
pub(super) fn with_latencies(
    mut days: Vec<QuestionDay>,
    latencies: impl IntoIterator<Item = (Day, QuestionFamily, u64, u64)>,
) -> Vec<QuestionDay> {
    for (day, family, bucket, asked) in latencies {
        let stored = days
            .iter_mut()
            .find(|stored| (stored.day, stored.family) == (day, family));
        let bucket = usize::try_from(bucket).unwrap_or(usize::MAX);
        if let Some(count) = stored.and_then(|stored| stored.latencies.get_mut(bucket)) {
            *count = asked;
        }
    }
    days
}

/// Statistics of queries; see [`super::Store`] for what every method guarantees.
#[async_trait]
pub trait QuestionStore: Send + Sync {
    /// Adds counts to the stored questions and days.
    async fn add_questions(&self, questions: &[NewQuestion], days: &[QuestionDay]) -> Result<()>;
    /// Returns up to `limit` of the questions asked since a day, of one family or of all.
    async fn questions(
        &self,
        since: Day,
        family: Option<QuestionFamily>,
        order: QuestionOrder,
        limit: u32,
    ) -> Result<Vec<AskedQuestion>>;
    /// Returns the counts of each day since `since`, oldest first.
    async fn question_days(&self, since: Day) -> Result<Vec<QuestionDay>>;
    /// Removes the questions of days before `texts`, then the oldest questions beyond `most`, each at
    /// most `limit` rows; and the counts of days before `counts`. Returns how many questions were removed.
    async fn forget_questions(
        &self,
        (texts, counts): (Day, Day),
        most: u64,
        limit: u32,
    ) -> Result<u64>;
    /// Returns how many records that still exist were added on each day since `since`, oldest first. Of
    /// entries only those of these projects are counted (in the entries' spelling), or all if `None`.
    /// Days without records are left out.
    async fn growth(&self, since: Day, projects: Option<&[String]>) -> Result<Vec<Growth>>;
    /// Returns the experiences that were returned since a point in time, the most often returned first.
    async fn returned_experiences(
        &self,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<ReturnedRecord<Uuid>>>;
    /// Returns the entries that were shown since a point in time, the most often shown first; only those
    /// of these projects (in the entries' spelling), or all if `None`.
    async fn shown_entries(
        &self,
        since: Timestamp,
        projects: Option<&[String]>,
        limit: u32,
    ) -> Result<Vec<ReturnedRecord<Ulid>>>;
}
