//! Group commit: concurrent submissions of a family are written in one transaction.
//!
//! A commit waits for the disk, some milliseconds each time, and on every server the submissions of one
//! family are written one after the other. A transaction therefore takes everything that arrived while
//! the previous one ran, so that a thousand clients wait for a few commits instead of a thousand. An
//! acknowledged submission is on disk, as always, and a failing submission does not affect the others.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::{Result, StoreError};

/// The maximum number of submissions in one transaction; with the largest ones that is some hundred
/// megabytes.
const BATCH_MAX: usize = 128;
/// How often a submission is tried whose transactions fail with transient errors.
const ATTEMPTS_MAX: u32 = 5;

/// The outcome of a submitted experience.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubmittedExperience {
    /// The record with the submitted texts.
    pub id: Uuid,
    /// Whether that record existed before, so that nothing was stored.
    pub is_known: bool,
}

impl SubmittedExperience {
    /// Returns the outcome of a submission that was stored as a new record.
    pub(crate) const fn new(id: Uuid) -> Self {
        let is_known = false;
        Self { id, is_known }
    }
}

/// Writes the submissions of one family to a database.
#[async_trait]
pub(crate) trait BatchWriter: Send + Sync + 'static {
    /// A submission.
    type New: Send + Sync + 'static;
    /// Its outcome, once it is stored.
    type Stored: Send + 'static;
    /// A transaction that excludes all other writes of the family.
    type Write: Send;

    /// Waits for other writes of the family, then begins a transaction.
    async fn begin(&self) -> Result<Self::Write>;
    /// Writes a submission. With [`StoreError::KeyReused`] nothing of it was written;
    /// after any other error the transaction is lost.
    async fn insert(&self, write: &mut Self::Write, new: &Self::New) -> Result<Self::Stored>;
    /// Commits.
    async fn commit(&self, write: Self::Write) -> Result<()>;
    /// Stores the only pending submission in one step; `None` if that is not possible, in which case
    /// nothing was written.
    async fn insert_single(&self, _new: &Self::New) -> Option<SingleWrite<Self::Stored>> {
        None
    }
    /// Whether a failed transaction may succeed if it is repeated.
    fn is_transient(&self, _error: &StoreError) -> bool {
        false
    }
}

/// The queue in front of a [`BatchWriter`].
pub(crate) struct GroupCommit<W: BatchWriter> {
    writer: W,
    pending: Mutex<Vec<PendingOf<W>>>,
    /// Held by the task that writes.
    writing: tokio::sync::Mutex<()>,
}

/// A submission and the caller that waits for its outcome.
struct Pending<New, Stored> {
    new: New,
    answer: oneshot::Sender<Result<Stored>>,
}

/// A pending submission of a [`BatchWriter`].
type PendingOf<W> = Pending<<W as BatchWriter>::New, <W as BatchWriter>::Stored>;

impl<New, Stored> Pending<New, Stored> {
    fn answer(self, result: Result<Stored>) {
        // Fails if the caller has given up; the record is stored all the same.
        drop(self.answer.send(result));
    }
}

/// The outcome of a submission that is written by itself.
pub(crate) enum SingleWrite<Stored> {
    /// With [`StoreError::KeyReused`] nothing was written; after any other error it is unknown whether
    /// anything was.
    Written(Result<Stored>),
    /// The transaction could not begin; nothing was written.
    NotBegun(StoreError),
}

impl<W: BatchWriter> GroupCommit<W> {
    pub(crate) fn new(writer: W) -> Self {
        Self {
            writer,
            pending: Mutex::default(),
            writing: tokio::sync::Mutex::default(),
        }
    }

    /// Stores a record with its vector, idempotency key and suggestions.
    pub(crate) async fn insert(self: &Arc<Self>, new: W::New) -> Result<W::Stored> {
        let (answer, answered) = oneshot::channel();
        self.pending().push(Pending { new, answer });
        let submissions = Arc::clone(self);
        // A task of its own: a caller that gives up must not cancel the submissions of others.
        tokio::spawn(async move { submissions.write_pending().await });
        answered.await.unwrap_or(Err(StoreError::BrokenOff))
    }

    /// Writes pending submissions, unless another task did so while this one waited for the lock.
    async fn write_pending(&self) {
        let _writing = self.writing.lock().await;
        if self.pending().is_empty() || self.try_write_single().await {
            return;
        }
        let write = match self.writer.begin().await {
            Ok(write) => write,
            // The rest would wait as long and fail, too.
            Err(error) => return fail_all(self.take_oldest(usize::MAX), error),
        };
        // Taken only now: more may have arrived while another process was writing.
        let batch = self.take_oldest(BATCH_MAX);
        match self.write_batch(write, &batch).await {
            Ok(results) => {
                let answered = batch.into_iter().zip(results);
                answered.for_each(|(pending, result)| pending.answer(result));
            }
            Err(_) => self.write_one_by_one(batch).await,
        }
    }

    /// Writes the only pending submission in one step; `false` if there are several, or if the writer
    /// cannot write it in one step.
    async fn try_write_single(&self) -> bool {
        let Some(single) = self.take_single() else {
            return false;
        };
        match self.writer.insert_single(&single.new).await {
            None => {
                self.pending().insert(0, single);
                return false;
            }
            Some(SingleWrite::Written(Err(error))) if self.writer.is_transient(&error) => {
                self.write_one_by_one(vec![single]).await;
            }
            Some(SingleWrite::Written(result)) => single.answer(result),
            // The rest would wait as long and fail, too.
            Some(SingleWrite::NotBegun(error)) => {
                let rest = self.take_oldest(usize::MAX);
                fail_all(std::iter::once(single).chain(rest).collect(), error);
            }
        }
        true
    }

    /// Writes a batch in one transaction, all of it or nothing.
    async fn write_batch(
        &self,
        mut write: W::Write,
        batch: &[PendingOf<W>],
    ) -> Result<Vec<Result<W::Stored>>> {
        let mut results = Vec::with_capacity(batch.len());
        for pending in batch {
            match self.writer.insert(&mut write, &pending.new).await {
                refused @ Err(StoreError::KeyReused) => results.push(refused),
                inserted => results.push(Ok(inserted?)),
            }
        }
        self.writer.commit(write).await?;
        Ok(results)
    }

    /// Writes each submission in a transaction of its own, so that a failure affects only one.
    async fn write_one_by_one(&self, batch: Vec<PendingOf<W>>) {
        let mut batch = batch.into_iter();
        while let Some(pending) = batch.next() {
            match self.write_with_retries(&pending.new).await {
                SingleWrite::Written(result) => pending.answer(result),
                // The rest would wait as long and fail, too.
                SingleWrite::NotBegun(error) => {
                    let rest = std::iter::once(pending).chain(batch).collect();
                    return fail_all(rest, error);
                }
            }
        }
    }

    async fn write_with_retries(&self, new: &W::New) -> SingleWrite<W::Stored> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            match self.write_once(new).await {
                SingleWrite::Written(Err(error))
                    if attempts < ATTEMPTS_MAX && self.writer.is_transient(&error) => {}
                done => return done,
            }
        }
    }

    /// Writes a submission in a transaction of its own.
    async fn write_once(&self, new: &W::New) -> SingleWrite<W::Stored> {
        let mut write = match self.writer.begin().await {
            Ok(write) => write,
            Err(error) => return SingleWrite::NotBegun(error),
        };
        SingleWrite::Written(match self.writer.insert(&mut write, new).await {
            Ok(stored) => self.writer.commit(write).await.map(|()| stored),
            Err(error) => Err(error),
        })
    }

    /// Takes the pending submission if there is only one.
    fn take_single(&self) -> Option<PendingOf<W>> {
        let mut pending = self.pending();
        if pending.len() > 1 {
            None
        } else {
            pending.pop()
        }
    }

    /// Takes the oldest pending submissions, at most `most`.
    fn take_oldest(&self, most: usize) -> Vec<PendingOf<W>> {
        let mut pending = self.pending();
        let count = pending.len().min(most);
        pending.drain(..count).collect()
    }

    fn pending(&self) -> std::sync::MutexGuard<'_, Vec<PendingOf<W>>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn fail_all<New, Stored>(batch: Vec<Pending<New, Stored>>, error: StoreError) {
    let error = Arc::new(error);
    for pending in batch {
        pending.answer(Err(StoreError::Shared(Arc::clone(&error))));
    }
}
