//! Recalls and episodes: what agents were shown for a query, and how failing commands came to work again. They hold no
//! texts. Recalls are collected in memory and stored in batches, so that no response waits for it; a crash may lose
//! the last seconds.

use std::sync::{Arc, Mutex, PoisonError};

use recall_kit_shared_types::episodes::ReportEpisodeData;
use recall_kit_store::{Day, Episode, Recall, Recovery, StoreError};

use super::Insights;
use crate::{
    access::{Caller, Scope},
    detached,
    error::ServiceError,
    validation::EpisodeReport,
};

/// The most recalls in memory; further ones are not kept.
const MOST_WAITING: usize = 10_000;
/// The most recalls, and the most episodes, in the database, whatever their age.
const MOST_STORED: u64 = 200_000;
/// Recalls that are stored at once.
const STORE_BATCH: usize = 500;
/// Rows that are deleted at once.
const FORGET_BATCH: u32 = 10_000;
/// How often so many are deleted in one round of the maintenance.
const FORGET_ROUNDS: usize = 20;
/// The most episodes of one principal in 24 hours.
const MOST_A_DAY: u64 = 1_000;
/// The rule that withholds nothing.
pub(crate) const ALL: &str = "all";

/// The recalls since the last flush.
#[derive(Debug)]
pub struct RecallLog {
    waiting: Mutex<Vec<Recall>>,
    is_kept: bool,
}

impl RecallLog {
    /// Creates an empty log; recalls are kept if they are stored for some days.
    pub(crate) fn new(keep_days: u32) -> Self {
        Self {
            waiting: Mutex::default(),
            is_kept: keep_days > 0,
        }
    }

    /// Records what a query showed, if the settings keep it and there is room.
    pub(crate) fn note(&self, recall: Recall) {
        if self.is_kept {
            self.put([recall]);
        }
    }

    fn put(&self, recalls: impl IntoIterator<Item = Recall>) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let room = MOST_WAITING.saturating_sub(waiting.len());
        waiting.extend(recalls.into_iter().take(room));
    }

    fn take(&self) -> Vec<Recall> {
        std::mem::take(&mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Stores the pending recalls. On failure they stay pending for the next flush.
///
/// *Errors*: those of the database.
pub(crate) async fn flush(insights: &Insights) -> Result<(), StoreError> {
    let mut recalls = insights.recall_log.take();
    while !recalls.is_empty() {
        let batch = recalls.len().saturating_sub(STORE_BATCH);
        let batch = recalls.split_off(batch);
        if let Err(error) = insights.store.add_recalls(&batch).await {
            insights.recall_log.put(batch.into_iter().chain(recalls));
            return Err(error);
        }
    }
    Ok(())
}

/// Deletes recalls and episodes that are too old, a bounded number of rows at a time.
///
/// *Errors*: those of the database.
pub(crate) async fn forget(insights: &Insights) -> Result<u64, StoreError> {
    let before = match insights.keep_days {
        0 => insights.clock.now(),
        days => Day::of(insights.clock.now()).before(days).begin(),
    };
    let mut forgotten = 0;
    for _ in 0..FORGET_ROUNDS {
        let store = &insights.store;
        let removed = store.forget_recalls(before, MOST_STORED, FORGET_BATCH);
        let removed = removed.await?;
        forgotten += removed;
        if removed < FORGET_BATCH.into() {
            break;
        }
    }
    Ok(forgotten)
}

/// Stores an episode, if the settings keep statistics and the principal has not reported too many today.
///
/// *Errors*: [`ServiceError::Forbidden`], else those of the database.
pub async fn report_episode(
    insights: &Arc<Insights>,
    caller: &Caller,
    (principal, report): (String, EpisodeReport),
) -> Result<ReportEpisodeData, ServiceError> {
    caller.require(Scope::Write)?;
    let id = report.id.to_string();
    if insights.keep_days == 0 {
        return Ok(ReportEpisodeData { id, kept: false });
    }
    let episode = Episode {
        id: report.id,
        at: insights.clock.now(),
        principal,
        recall_id: report.recall_id,
        host: report.host,
        family: report.family,
        failures: report.failures,
        has_recovered: report.has_recovered,
        ms: report.ms,
        commands: report.commands,
    };
    let insights = Arc::clone(insights);
    detached::run("the report", async move {
        let kept = insights.store.add_episode(&episode, MOST_A_DAY).await?;
        Ok(ReportEpisodeData { id, kept })
    })
    .await
}

/// Returns the sums over the episodes of a period of so many days.
///
/// *Errors*: [`ServiceError::Timeout`] past the deadline, else those of the database.
pub async fn recovery(insights: &Insights, days: u32) -> Result<Recovery, ServiceError> {
    let since = insights.first_of(days).begin();
    let read = async || {
        // An episode counts as one after a recall only if the recall is stored.
        flush(insights).await?;
        Ok(insights.store.recovery(since).await?)
    };
    insights.admission.run_query(read).await
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use jiff::Timestamp;
    use uuid::Uuid;

    use super::*;

    fn recall() -> Recall {
        Recall {
            id: Uuid::now_v7(),
            at: Timestamp::UNIX_EPOCH,
            principal: "local".to_owned(),
            fingerprint_hash: "00".to_owned(),
            shown: Vec::new(),
            withheld: Vec::new(),
            policy: ALL.to_owned(),
            propensity: 1.0,
        }
    }

    #[test]
    fn recalls_beyond_the_capacity_and_those_that_are_not_kept_are_left_out() {
        let log = RecallLog::new(90);
        for _ in 0..MOST_WAITING + 3 {
            log.note(recall());
        }
        assert_eq!(log.take().len(), MOST_WAITING);
        assert_eq!(log.take(), []);
        let log = RecallLog::new(0);
        log.note(recall());
        assert_eq!(log.take(), []);
    }
}
