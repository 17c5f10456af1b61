//! Admission: how many queries run and how many large answers are written at once.
//!
//! Every caller gets the same share of the turns, which a [`FairQueue`](recall_kit_fair_queue::FairQueue) gives out. A query that was admitted has a deadline.

pub mod answer_turns;

use std::time::Duration;

use recall_kit_fair_queue::Urgency;
use recall_kit_search::IndexError;

use crate::{app::App, error::ServiceError};

/// Queries that run at once. The number is high enough to keep a remote model busy, and low enough that all of
/// them meet their deadline where one or two cores embed and rank them one after the other.
pub const QUERIES_AT_ONCE: usize = 128;
/// How long a query may wait for its turn.
const TURN_TIMEOUT: Duration = Duration::from_secs(30);

/// Waits for its turn, then runs a query within its deadline.
///
/// The time spent waiting does not count towards the deadline: a crowd makes a query late, not fail.
///
/// *Errors*: [`ServiceError::Timeout`] when it did not get its turn in time or the deadline passed; else those of the
/// query.
pub async fn run_query<T>(
    app: &App,
    query: impl Future<Output = Result<T, ServiceError>>,
) -> Result<T, ServiceError> {
    let turn = app.query_turns.turn(Urgency::Urgent, 1);
    let _turn = tokio::time::timeout(TURN_TIMEOUT, turn)
        .await
        .map_err(|_| ServiceError::Timeout(TURN_TIMEOUT))?;
    let deadline = app.settings.query_timeout();
    tokio::time::timeout(deadline, query)
        .await
        .map_err(|_| ServiceError::Timeout(deadline))?
}

/// Searches an index on a thread for blocking work, since ranking keeps a processor busy.
///
/// *Errors*: those of the search; [`ServiceError::Broken`] when it panicked.
pub async fn spawn_search<T: Send + 'static>(
    search: impl FnOnce() -> Result<T, IndexError> + Send + 'static,
) -> Result<T, ServiceError> {
    let searched = tokio::task::spawn_blocking(search).await;
    Ok(searched.map_err(|_| ServiceError::Broken("the search"))??)
}
