//! What is asked, what is not found, what helps, how much there is and how quickly it is answered.
//!
//! Each for a period that ends now: so many days, the present one included. These are questions like
//! others: each waits for its turn and has a deadline, soon after which the database stops, too. What is
//! noted and stored of a question says `asked.rs`.

mod asked;
mod csv;

use std::sync::Arc;

use jiff::civil::Date;
use recall_kit_store::{
    ActorKind, AskedQuestion, Day, Growth, LATENCY_BOUNDS_MS, QuestionDay, QuestionFamily,
    QuestionOrder, ReturnedRecord,
};
use ulid::Ulid;
use uuid::Uuid;

pub use self::{
    asked::{Answered, Asked, flush, forget},
    csv::{CsvRow, csv},
};
use crate::{
    access::{Caller, reach},
    app::App,
    error::ServiceError,
    experiences::in_turn,
};

/// Share of the answers, in percent, that came within a latency.
const PERCENTILES: [u64; 3] = [50, 95, 99];

/// What helps most: the records that were returned or shown most often ever since they came, of those
/// that were so in the period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Helpful {
    /// Experiences, by how often queries returned them.
    pub experiences: Vec<ReturnedRecord<Uuid>>,
    /// Entries, by how often they were shown.
    pub entries: Vec<ReturnedRecord<Ulid>>,
}

/// How often was asked on a day, and how quickly answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayOfQuestions {
    /// The day, UTC.
    pub date: Date,
    /// What was asked about.
    pub family: QuestionFamily,
    /// How often.
    pub asked: u64,
    /// How often nothing relevant was found.
    pub unanswered: u64,
    /// How often something was asked that is not kept.
    pub others: u64,
    /// Within how many milliseconds 50, 95 and 99 percent were answered, rounded up to the next of
    /// [`LATENCY_BOUNDS_MS`]; none where that is beyond the last.
    pub within_ms: [Option<u32>; 3],
}

/// How many records came on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DayOfGrowth {
    /// The day, UTC.
    pub date: Date,
    /// What they are.
    pub family: QuestionFamily,
    /// How many that are still there.
    pub records: u64,
}

/// Which questions are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Listed {
    /// Of how many days, today included.
    pub days: u32,
    /// Of one family, else of all.
    pub family: Option<QuestionFamily>,
    /// How many at most.
    pub limit: u32,
}

/// Returns what was asked most often; none to a caller who may not read it.
///
/// *Errors*: [`ServiceError::Timeout`] past the deadline, else what the database said, like every
/// function here.
pub async fn most_asked(
    app: &Arc<App>,
    caller: &Caller,
    listed: Listed,
) -> Result<Option<Vec<AskedQuestion>>, ServiceError> {
    questions(app, caller, listed, QuestionOrder::MostAsked).await
}

/// Returns what was asked and nothing relevant was found for, most often first; none to a caller who
/// may not read it.
pub async fn gaps(
    app: &Arc<App>,
    caller: &Caller,
    listed: Listed,
) -> Result<Option<Vec<AskedQuestion>>, ServiceError> {
    questions(app, caller, listed, QuestionOrder::LeastAnswered).await
}

/// Agents ask in the words of their people, and of no question it is known which project it was about:
/// the texts are for callers who are known and may see every project.
async fn questions(
    app: &Arc<App>,
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
    let since = first_of(app, days);
    let read = async { Ok(app.store.questions(since, family, order, limit).await?) };
    in_turn(app, read).await.map(Some)
}

/// Returns up to `limit` of the experiences, and of the entries within the caller's reach, that help
/// most.
pub async fn helpful(
    app: &Arc<App>,
    caller: &Caller,
    days: u32,
    limit: u32,
) -> Result<Helpful, ServiceError> {
    let since = first_of(app, days).begin();
    in_turn(app, async {
        let projects = reach::names(app, &caller.projects).await?;
        let entries = app.store.shown_entries(since, projects.as_deref(), limit);
        Ok(Helpful {
            entries: entries.await?,
            experiences: app.store.returned_experiences(since, limit).await?,
        })
    })
    .await
}

/// Returns how many records came on each day, oldest first, of the entries those within the caller's
/// reach; days without are left out.
pub async fn growth(
    app: &Arc<App>,
    caller: &Caller,
    days: u32,
) -> Result<Vec<DayOfGrowth>, ServiceError> {
    let since = first_of(app, days);
    let growth = in_turn(app, async {
        let projects = reach::names(app, &caller.projects).await?;
        Ok(app.store.growth(since, projects.as_deref()).await?)
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

/// Returns how often was asked and how quickly answered on each day, oldest first; days without
/// questions are left out.
pub async fn latency(app: &Arc<App>, days: u32) -> Result<Vec<DayOfQuestions>, ServiceError> {
    let since = first_of(app, days);
    let read = async { Ok(app.store.question_days(since).await?) };
    let days = in_turn(app, read).await?;
    Ok(days.iter().map(DayOfQuestions::of).collect())
}

/// The first day of a period.
fn first_of(app: &App, days: u32) -> Day {
    Day::of(app.now()).before(days.saturating_sub(1))
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

/// Returns the bound below which so many percent of the counted lie.
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
