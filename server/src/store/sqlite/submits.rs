//! Submits on their way into the database: those that wait for the writer go in together.
//!
//! A commit waits for the disk, some milliseconds each time. One transaction for everything that
//! came meanwhile lets a thousand clients wait for a few commits instead of a thousand. What is
//! acknowledged is on disk, as ever; a failure of one submit never costs another.

use std::sync::{Arc, Mutex, PoisonError};

use sqlx::{SqliteConnection, SqlitePool};
use tokio::sync::oneshot;
use uuid::Uuid;

use super::{experiences, knowledge};
use crate::store::{NewEntry, NewExperience, Result, StoreError};

/// The most submits in one transaction; of the largest kind they are some hundred megabytes.
const TOGETHER: usize = 128;

/// The queue in front of the writer.
pub(super) struct Submits {
    writer: SqlitePool,
    waiting: Mutex<Vec<Waiting>>,
    /// Held by whoever writes.
    turn: tokio::sync::Mutex<()>,
}

/// What is submitted.
pub(super) enum New {
    Experience(Box<NewExperience>),
    Entry(Box<NewEntry>),
}

impl New {
    /// Writes it inside a write transaction and returns its id.
    async fn insert(&self, write: &mut SqliteConnection) -> Result<Uuid> {
        match self {
            Self::Experience(new) => experiences::insert(write, new).await,
            Self::Entry(new) => knowledge::insert_entry(write, new).await,
        }
    }
}

/// A submit and whoever waits for it.
struct Waiting {
    new: New,
    answer: oneshot::Sender<Result<Uuid>>,
}

impl Waiting {
    fn answer(self, result: Result<Uuid>) {
        // Nobody listens any more when the caller gave up; the record is stored all the same.
        drop(self.answer.send(result));
    }
}

impl Submits {
    pub(super) fn new(writer: SqlitePool) -> Self {
        Self {
            writer,
            waiting: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        }
    }

    /// Stores a record with everything that comes with it.
    pub(super) async fn insert(self: &Arc<Self>, new: New) -> Result<Uuid> {
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
        if self.waiting().is_empty() {
            return;
        }
        let begun = self.writer.begin_with("begin immediate").await;
        // Taken only now: more have come while another process was writing.
        let batch = self.take();
        let mut write = match begun {
            Ok(write) => write,
            Err(error) => return refuse_all(batch, error.into()),
        };
        let mut results = Vec::with_capacity(batch.len());
        for waiting in &batch {
            match waiting.new.insert(&mut write).await {
                Err(StoreError::Database(_)) => break,
                result => results.push(result),
            }
        }
        // Given back before anything else is tried: there is one writer.
        let committed = if results.len() == batch.len() {
            write.commit().await.is_ok()
        } else {
            drop(write);
            false
        };
        if committed {
            let answered = batch.into_iter().zip(results);
            answered.for_each(|(waiting, result)| waiting.answer(result));
        } else {
            self.write_one_by_one(batch).await;
        }
    }

    /// Writes each in a transaction of its own, so that each fails for itself alone.
    async fn write_one_by_one(&self, batch: Vec<Waiting>) {
        let mut batch = batch.into_iter();
        while let Some(waiting) = batch.next() {
            let mut write = match self.writer.begin_with("begin immediate").await {
                Ok(write) => write,
                // The rest would wait as long, and in vain.
                Err(error) => {
                    let rest = std::iter::once(waiting).chain(batch).collect();
                    return refuse_all(rest, error.into());
                }
            };
            let inserted = waiting.new.insert(&mut write).await;
            let committed = match inserted {
                Ok(id) => write.commit().await.map(|()| id).map_err(StoreError::from),
                Err(error) => Err(error),
            };
            waiting.answer(committed);
        }
    }

    fn take(&self) -> Vec<Waiting> {
        let mut waiting = self.waiting();
        let together = waiting.len().min(TOGETHER);
        waiting.drain(..together).collect()
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, Vec<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn refuse_all(batch: Vec<Waiting>, error: StoreError) {
    let error = Arc::new(error);
    for waiting in batch {
        waiting.answer(Err(StoreError::Shared(Arc::clone(&error))));
    }
}
