//! The state of a session, and the state that all sessions share.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rmcp::{model::RequestStateCodec, task_manager::TaskManager};
use tokio::sync::broadcast;
use uuid::Uuid;

use crate::{changes::Change, log::Log};

/// The number of changes that a slow client may be behind.
const BACKLOG: usize = 16;

/// The state that all sessions share.
pub(crate) struct Shared {
    pub(crate) changes: broadcast::Sender<Change>,
    pub(crate) codec: RequestStateCodec,
    pub(crate) tasks: TaskManager,
}

impl Shared {
    pub(crate) fn new() -> Arc<Self> {
        let key = [Uuid::new_v4(), Uuid::new_v4()].map(Uuid::into_bytes);
        Arc::new(Self {
            changes: broadcast::channel(BACKLOG).0,
            codec: RequestStateCodec::try_new(key.concat()).expect("the key is long enough"),
            tasks: TaskManager::new(),
        })
    }
}

/// The handler of one session.
pub(crate) struct Fixtures {
    pub(crate) shared: Arc<Shared>,
    pub(crate) log: Log,
    subscribed: Mutex<HashSet<String>>,
}

impl Fixtures {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        Self {
            shared: Arc::clone(shared),
            log: Log::default(),
            subscribed: Mutex::default(),
        }
    }

    /// Returns the resources that the client subscribed to.
    pub(crate) fn subscribed(&self) -> MutexGuard<'_, HashSet<String>> {
        self.subscribed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
