//! What was asked and how it was answered, by day: kept in sums, so that several servers add up.
//!
//! Texts come cleaned of secrets and personal data; nothing here looks at them.

use async_trait::async_trait;
use jiff::{Timestamp, ToSpan as _, civil::Date};
use ulid::Ulid;
use uuid::Uuid;

use super::{Result, StoreError};
use crate::database::columns::damaged;

/// Upper bounds of the buckets in which latencies are counted, in milliseconds; what takes longer is
/// counted in one more.
pub const LATENCY_BOUNDS_MS: [u32; 11] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000];
/// How many buckets there are.
pub const LATENCY_BUCKETS: usize = LATENCY_BOUNDS_MS.len() + 1;
const EPOCH: Date = Date::constant(1970, 1, 1);

/// A day, UTC; as a number those since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub i64);

/// What was asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum QuestionFamily {
    /// Solved problems.
    Experiences,
    /// The knowledge base.
    Knowledge,
    /// Documentation.
    Libraries,
}

/// How often a question was asked on a day, to be added to what is known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct NewQuestion {
    /// When it was asked.
    pub day: Day,
    /// What it was about.
    pub family: QuestionFamily,
    /// What was asked, cleaned and in one spelling.
    pub text: String,
    /// How often.
    pub asked: u64,
    /// How often nothing relevant was found.
    pub unanswered: u64,
    /// Sum of how much was found.
    pub results: u64,
    /// Relevance of the best result of the last time, 0–1; none where nothing was found or it is unknown.
    pub relevance: Option<f64>,
    /// When it was asked last.
    pub last_at: Timestamp,
}

/// How often and how quickly was answered on a day; to be added to what is known of it where it is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuestionDay {
    /// The day.
    pub day: Day,
    /// What was asked about.
    pub family: QuestionFamily,
    /// How often was asked.
    pub asked: u64,
    /// How often nothing relevant was found.
    pub unanswered: u64,
    /// How often something was asked that is not kept.
    pub others: u64,
    /// How many answers took how long; see [`LATENCY_BOUNDS_MS`].
    pub latencies: [u64; LATENCY_BUCKETS],
}

/// A question, over the days of a period.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedQuestion {
    /// What was asked about.
    pub family: QuestionFamily,
    /// What was asked.
    pub text: String,
    /// How often.
    pub asked: u64,
    /// How often nothing relevant was found.
    pub unanswered: u64,
    /// Sum of how much was found.
    pub results: u64,
    /// See [`NewQuestion::relevance`].
    pub relevance: Option<f64>,
    /// When it was asked last.
    pub last_at: Timestamp,
}

/// Which questions come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionOrder {
    /// Those asked most often.
    MostAsked,
    /// Those for which most often nothing relevant was found; others are left out.
    LeastAnswered,
}

/// How many records came on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Growth {
    /// The day.
    pub day: Day,
    /// What they are.
    pub family: QuestionFamily,
    /// How many that are still there.
    pub records: u64,
}

/// A record that was returned or shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReturnedRecord<Id> {
    /// The record.
    pub id: Id,
    /// Its title.
    pub title: String,
    /// How often, ever since it came.
    pub count: u64,
}

impl Day {
    /// Returns the day of a moment.
    pub fn of(moment: Timestamp) -> Self {
        Self(moment.as_second().div_euclid(24 * 60 * 60))
    }

    /// Returns the day so many days before.
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
    /// Begins a day.
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
    /// Returns which questions are left out and which come first, as SQL of sums.
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

/// Puts the days and their latencies, read one after the other, together.
pub(super) fn with_latencies(
    mut days: Vec<QuestionDay>,
    latencies: impl IntoIterator<Item = (Day, QuestionFamily, u64, u64)>,
) -> Vec<QuestionDay> {
    for (day, family, bucket, asked) in latencies {
        let of_day = days
            .iter_mut()
            .find(|one| (one.day, one.family) == (day, family));
        let bucket = usize::try_from(bucket).unwrap_or(usize::MAX);
        if let Some(count) = of_day.and_then(|one| one.latencies.get_mut(bucket)) {
            *count = asked;
        }
    }
    days
}

/// What is known of what was asked; see [`super::Store`] for what every method keeps.
#[async_trait]
pub trait QuestionStore: Send + Sync {
    /// Adds to what is known of questions and days.
    async fn add_questions(&self, questions: &[NewQuestion], days: &[QuestionDay]) -> Result<()>;
    /// Returns up to `limit` of the questions asked since a day, of one family or of all.
    async fn questions(
        &self,
        since: Day,
        family: Option<QuestionFamily>,
        order: QuestionOrder,
        limit: u32,
    ) -> Result<Vec<AskedQuestion>>;
    /// Returns what is known of the days since one, oldest first.
    async fn question_days(&self, since: Day) -> Result<Vec<QuestionDay>>;
    /// Forgets the questions of days before one, then the oldest of more than `most`, and the counts of
    /// days before another; no more than `limit` rows of each at once. Returns how many questions.
    async fn forget_questions(
        &self,
        (texts, counts): (Day, Day),
        most: u64,
        limit: u32,
    ) -> Result<u64>;
    /// Returns how many records that are still there came on each day since one, oldest first; of the
    /// entries those of some projects, named as they name them, or all. Days without are left out.
    async fn growth(&self, since: Day, projects: Option<&[String]>) -> Result<Vec<Growth>>;
    /// Returns the experiences that were returned since a moment, those returned most often first.
    async fn returned_experiences(
        &self,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<ReturnedRecord<Uuid>>>;
    /// Returns the entries that were shown since a moment, those shown most often first; of some
    /// projects, named as the entries name them, or all.
    async fn shown_entries(
        &self,
        since: Timestamp,
        projects: Option<&[String]>,
        limit: u32,
    ) -> Result<Vec<ReturnedRecord<Ulid>>>;
}
