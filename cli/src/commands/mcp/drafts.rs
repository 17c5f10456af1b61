//! Sharings that wait for an answer between two calls: few, in memory, and not for long.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::sync::oneshot;
use uuid::Uuid;

use super::dialogue::{Ask, Flow, Reply};

/// The most that wait at a time; the oldest is given up for a new one.
const MAX_WAITING: usize = 32;

/// Who answers a sharing that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answerer {
    /// The agent, with `confirm_experience`.
    Agent,
    /// The host itself, which calls the tool again with the answer.
    Host,
}

/// A sharing that waits.
pub(super) struct Waiting {
    pub(super) flow: Flow,
    pub(super) ask: Ask,
    pub(super) reply: oneshot::Sender<Reply>,
    pub(super) answerer: Answerer,
}

/// Everything that waits.
#[derive(Default)]
pub(super) struct Drafts {
    waiting: Mutex<VecDeque<(Uuid, Waiting)>>,
}

impl Drafts {
    /// Keeps a sharing and returns an id that cannot be guessed, under which it is answered once.
    pub(super) fn put(&self, waiting: Waiting) -> Uuid {
        let id = Uuid::new_v4();
        let mut all = self.all();
        // Whoever has waited too long has ended by itself.
        all.retain(|(_, waiting)| !waiting.reply.is_closed());
        if all.len() >= MAX_WAITING {
            all.pop_front();
        }
        all.push_back((id, waiting));
        id
    }

    /// Takes out what waits for this answerer; none when it is unknown, answered or given up.
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
