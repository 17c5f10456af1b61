//! Group commit: submits that wait for their turn go into the database together.
//!
//! A commit waits for the disk, some milliseconds each time, and submits of one family go in one
//! after the other, on every server. One transaction for everything that came meanwhile lets a
//! thousand clients wait for a few commits instead of a thousand. What is acknowledged is on disk, as
//! ever; a failure of one submit never costs another.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::{Result, StoreError};

/// The most submits in one transaction; of the largest kind they are some hundred megabytes.
const TOGETHER: usize = 128;
/// How often a submit is tried whose transactions fail for passing reasons.
const TRIES: u32 = 5;

/// What became of a submitted experience.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SubmittedExperience {
    /// The record that has its texts.
    pub id: Uuid,
    /// Whether that record was there before, so that nothing was stored.
    pub is_known: bool,
}

impl SubmittedExperience {
    /// One that is stored as a record of its own.
    pub(crate) const fn new(id: Uuid) -> Self {
        let is_known = false;
        Self { id, is_known }
    }
}

/// Where submits of one family go: a database, and how they are written there.
#[async_trait]
pub(crate) trait BatchWriter: Send + Sync + 'static {
    /// What is submitted.
    type New: Send + Sync + 'static;
    /// What became of it, once it is stored.
    type Stored: Send + 'static;
    /// A transaction that no other of the family runs beside.
    type Write: Send;

    /// Begins a transaction, when it is this server's turn.
    async fn begin(&self) -> Result<Self::Write>;
    /// Writes a submit. With [`StoreError::KeyReused`] nothing of it was written;
    /// after any other error the transaction is lost.
    async fn insert(&self, write: &mut Self::Write, new: &Self::New) -> Result<Self::Stored>;
    /// Commits.
    async fn commit(&self, write: Self::Write) -> Result<()>;
    /// Stores a submit beside which no other waits in one step; `None` where that cannot be, and
    /// nothing was written.
    async fn insert_alone(&self, _new: &Self::New) -> Option<Alone<Self::Stored>> {
        None
    }
    /// Whether a transaction failed for a reason that is gone the next time.
    fn may_pass(&self, _error: &StoreError) -> bool {
        false
    }
}

/// The queue in front of an intake.
pub(crate) struct GroupCommit<I: BatchWriter> {
    intake: I,
    waiting: Mutex<Vec<WaitingFor<I>>>,
    /// Held by whoever writes.
    turn: tokio::sync::Mutex<()>,
}

/// A submit and whoever waits for it.
struct Waiting<New, Stored> {
    new: New,
    answer: oneshot::Sender<Result<Stored>>,
}

/// The same, of an intake.
type WaitingFor<I> = Waiting<<I as BatchWriter>::New, <I as BatchWriter>::Stored>;

impl<New, Stored> Waiting<New, Stored> {
    fn answer(self, result: Result<Stored>) {
        // Nobody listens any more when the caller gave up; the record is stored all the same.
        drop(self.answer.send(result));
    }
}

/// What became of a submit that is written by itself.
pub(crate) enum Alone<Stored> {
    /// With [`StoreError::KeyReused`] nothing was written; after any other error nobody knows.
    Written(Result<Stored>),
    /// Nothing was tried.
    NotBegun(StoreError),
}

impl<I: BatchWriter> GroupCommit<I> {
    pub(crate) fn new(intake: I) -> Self {
        Self {
            intake,
            waiting: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        }
    }

    /// Stores a record with everything that comes with it.
    pub(crate) async fn insert(self: &Arc<Self>, new: I::New) -> Result<I::Stored> {
        let (answer, answered) = oneshot::channel();
        self.waiting().push(Waiting { new, answer });
        let submits = Arc::clone(self);
        // A task of its own: a caller that gives up must not take the others' submits with it.
        tokio::spawn(async move { submits.write_waiting().await });
        answered.await.unwrap_or(Err(StoreError::BrokenOff))
    }

    /// Writes what waits, unless others did so while this one waited for its turn.
    async fn write_waiting(&self) {
        let _turn = self.turn.lock().await;
        if self.waiting().is_empty() || self.write_lone().await {
            return;
        }
        let write = match self.intake.begin().await {
            Ok(write) => write,
            // The rest would wait as long, and in vain.
            Err(error) => return refuse_all(self.take(usize::MAX), error),
        };
        // Taken only now: more have come while another process was writing.
        let batch = self.take(TOGETHER);
        match self.write_together(write, &batch).await {
            Ok(results) => {
                let answered = batch.into_iter().zip(results);
                answered.for_each(|(waiting, result)| waiting.answer(result));
            }
            Err(_) => self.write_one_by_one(batch).await,
        }
    }

    /// Writes the only one that waits in one step; `false` where more wait, or there is no such step.
    async fn write_lone(&self) -> bool {
        let Some(lone) = self.take_lone() else {
            return false;
        };
        match self.intake.insert_alone(&lone.new).await {
            None => {
                self.waiting().insert(0, lone);
                return false;
            }
            Some(Alone::Written(Err(error))) if self.intake.may_pass(&error) => {
                self.write_one_by_one(vec![lone]).await;
            }
            Some(Alone::Written(result)) => lone.answer(result),
            // The rest would wait as long, and in vain.
            Some(Alone::NotBegun(error)) => {
                let rest = self.take(usize::MAX);
                refuse_all(std::iter::once(lone).chain(rest).collect(), error);
            }
        }
        true
    }

    /// Writes a batch in one transaction, all of it or nothing.
    async fn write_together(
        &self,
        mut write: I::Write,
        batch: &[WaitingFor<I>],
    ) -> Result<Vec<Result<I::Stored>>> {
        let mut results = Vec::with_capacity(batch.len());
        for waiting in batch {
            match self.intake.insert(&mut write, &waiting.new).await {
                refused @ Err(StoreError::KeyReused) => results.push(refused),
                inserted => results.push(Ok(inserted?)),
            }
        }
        self.intake.commit(write).await?;
        Ok(results)
    }

    /// Writes each in a transaction of its own, so that each fails for itself alone.
    async fn write_one_by_one(&self, batch: Vec<WaitingFor<I>>) {
        let mut batch = batch.into_iter();
        while let Some(waiting) = batch.next() {
            match self.write_alone(&waiting.new).await {
                Alone::Written(result) => waiting.answer(result),
                // The rest would wait as long, and in vain.
                Alone::NotBegun(error) => {
                    let rest = std::iter::once(waiting).chain(batch).collect();
                    return refuse_all(rest, error);
                }
            }
        }
    }

    async fn write_alone(&self, new: &I::New) -> Alone<I::Stored> {
        let mut tries = 0;
        loop {
            tries += 1;
            match self.write_once(new).await {
                Alone::Written(Err(error)) if tries < TRIES && self.intake.may_pass(&error) => {}
                done => return done,
            }
        }
    }

    /// Writes a submit in a transaction of its own.
    async fn write_once(&self, new: &I::New) -> Alone<I::Stored> {
        let mut write = match self.intake.begin().await {
            Ok(write) => write,
            Err(error) => return Alone::NotBegun(error),
        };
        Alone::Written(match self.intake.insert(&mut write, new).await {
            Ok(stored) => self.intake.commit(write).await.map(|()| stored),
            Err(error) => Err(error),
        })
    }

    /// Takes the only one that waits.
    fn take_lone(&self) -> Option<WaitingFor<I>> {
        let mut waiting = self.waiting();
        if waiting.len() > 1 {
            None
        } else {
            waiting.pop()
        }
    }

    /// Takes those who waited longest.
    fn take(&self, most: usize) -> Vec<WaitingFor<I>> {
        let mut waiting = self.waiting();
        let taken = waiting.len().min(most);
        waiting.drain(..taken).collect()
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, Vec<WaitingFor<I>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn refuse_all<New, Stored>(batch: Vec<Waiting<New, Stored>>, error: StoreError) {
    let error = Arc::new(error);
    for waiting in batch {
        waiting.answer(Err(StoreError::Shared(Arc::clone(&error))));
    }
}
