//! Admission: how many queries run and how many large answers are written at once.
//!
//! Every caller gets the same share of the slots. A query that was admitted has a deadline.

pub mod answer_turns;

use std::time::Duration;

use recall_kit_fair_queue::Urgency;
use recall_kit_search::IndexError;

use crate::{app::App, error::ServiceError};

/// Queries that run at once. The number is high enough to keep a remote model busy, and low enough that all of
/// them meet their deadline where one or two cores embed and rank them one after the other.
pub const QUERIES_AT_ONCE: usize = 128;
/// How long a query may wait for a slot.
const SLOT_TIMEOUT: Duration = Duration::from_secs(30);

/// Waits for a slot, then runs a query within its deadline.
///
/// The time spent waiting does not count towards the deadline: a crowd makes a query late, not fail.
///
/// *Errors*: [`ServiceError::Timeout`] when no slot was free in time or the deadline passed; else those of the
/// query.
pub async fn run_query<T>(
    app: &App,
    query: impl Future<Output = Result<T, ServiceError>>,
) -> Result<T, ServiceError> {
    let slot = app.query_turns.turn(Urgency::Urgent, 1);
    let _slot = tokio::time::timeout(SLOT_TIMEOUT, slot)
        .await
        .map_err(|_| ServiceError::Timeout(SLOT_TIMEOUT))?;
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
