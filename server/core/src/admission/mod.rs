//! Admission: how many queries run and how many large answers are written at once, and how much clients may
//! send and keep open.
//!
//! Every caller gets the same share of the turns, which a [`FairQueue`] gives out. A query that was admitted has
//! a deadline.

pub mod answer_turns;

use std::{sync::Arc, time::Duration};

use arc_swap::ArcSwap;
use recall_kit_fair_queue::{FairQueue, Urgency};
use recall_kit_settings::{LimitSettings, Settings};

use crate::error::ServiceError;

/// Queries that run at once. The number is high enough to keep a remote model busy, and low enough that all of
/// them meet their deadline where one or two cores embed and rank them one after the other.
const QUERIES_AT_ONCE: usize = 128;
/// How long a query may wait for its turn.
const TURN_TIMEOUT: Duration = Duration::from_secs(30);

/// The queues in which calls wait, and the limits of clients.
pub struct Admission {
    /// Limits how many queries are answered at once, with the same share for every caller.
    query_turns: FairQueue,
    /// Limits how many large responses are built and written at once.
    answer_turns: FairQueue,
    /// How long a query may take.
    query_timeout: Duration,
    /// The current limits on what clients may send and keep open.
    limits: ArcSwap<LimitSettings>,
}

impl Admission {
    /// Creates the queues, and the limits of the settings.
    pub fn new(settings: &Settings) -> Self {
        Self {
            query_turns: FairQueue::new(QUERIES_AT_ONCE),
            answer_turns: FairQueue::of_half_the_cores(),
            query_timeout: settings.query_timeout(),
            limits: ArcSwap::from_pointee(settings.limits.clone()),
        }
    }

    /// Returns the current limits on what clients may send and keep open.
    pub fn limits(&self) -> Arc<LimitSettings> {
        self.limits.load_full()
    }

    /// Replaces the limits.
    pub fn set_limits(&self, limits: LimitSettings) {
        self.limits.store(Arc::new(limits));
    }

    /// Waits for its turn, then runs a query within its deadline.
    ///
    /// The time spent waiting does not count towards the deadline: a crowd makes a query late, not fail.
    ///
    /// *Errors*: [`ServiceError::Timeout`] when it did not get its turn in time or the deadline passed; else those of
    /// the query.
    // The query is a closure, not a future: the future would be stored twice, while it waits and while it runs.
    pub async fn run_query<T, Q>(&self, query: impl FnOnce() -> Q) -> Result<T, ServiceError>
    where
        Q: Future<Output = Result<T, ServiceError>>,
    {
        let turn = self.query_turns.turn(Urgency::Urgent, 1);
        let _turn = tokio::time::timeout(TURN_TIMEOUT, turn)
            .await
            .map_err(|_| ServiceError::Timeout(TURN_TIMEOUT))?;
        tokio::time::timeout(self.query_timeout, query())
            .await
            .map_err(|_| ServiceError::Timeout(self.query_timeout))?
    }
}
