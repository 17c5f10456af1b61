//! Sharings that wait for an answer between two calls: in memory, limited in number and time.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::sync::oneshot;
use uuid::Uuid;

use super::dialogue::{Ask, Reply, Sharing};

/// The maximum number of waiting sharings; the oldest is dropped for a new one.
const MAX_WAITING: usize = 32;

/// The side that answers a waiting sharing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answerer {
    /// The agent, with `confirm_experience`.
    Agent,
    /// The host, which calls the tool again with the answer.
    Host,
}

/// A waiting sharing.
pub(super) struct Waiting {
    pub(super) sharing: Sharing,
    pub(super) ask: Ask,
    pub(super) reply: oneshot::Sender<Reply>,
    pub(super) answerer: Answerer,
}

/// All waiting sharings.
#[derive(Default)]
pub(super) struct Drafts {
    waiting: Mutex<VecDeque<(Uuid, Waiting)>>,
}

impl Drafts {
    /// Stores a sharing and returns an unguessable id, with which it can be answered once.
    pub(super) fn add(&self, waiting: Waiting) -> Uuid {
        let id = Uuid::new_v4();
        let mut all = self.all();
        // A sharing that has waited too long has closed its reply channel.
        all.retain(|(_, waiting)| !waiting.reply.is_closed());
        if all.len() >= MAX_WAITING {
            all.pop_front();
        }
        all.push_back((id, waiting));
        id
    }

    /// Removes and returns the sharing that waits for this answerer; `None` if it is unknown, answered or dropped.
    pub(super) fn take(&self, id: &str, answerer: Answerer) -> Option<Waiting> {
        let id: Uuid = id.parse().ok()?;
        let mut all = self.all();
        let place = all
            .iter()
            .position(|(waits, it)| *waits == id && it.answerer == answerer)?;
        all.remove(place).map(|(_, waiting)| waiting)
    }

    fn all(&self) -> MutexGuard<'_, VecDeque<(Uuid, Waiting)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
