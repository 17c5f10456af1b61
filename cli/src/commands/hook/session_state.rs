//! The state of the session that an event belongs to, and the time.

use std::{
    env,
    time::{SystemTime, UNIX_EPOCH},
};

use super::{
    hash::{Hash, Hasher},
    session::{EndedEpisode, Session, Store},
};
use crate::hosts::Event;

/// The seconds of a day.
const DAY: i64 = 24 * 3600;

/// The state of the event's session.
pub(super) struct SessionState {
    store: Store,
    /// The host's id of the session; without one, it is that of the folder and the day.
    session: String,
    /// The time. *Unit*: seconds since 1970.
    pub(super) now: i64,
    /// The same in milliseconds.
    pub(super) now_ms: i64,
}

impl SessionState {
    pub(super) fn of(event: &Event) -> Option<Self> {
        let now_ms = now_ms();
        let now = now_ms.div_euclid(1000);
        let session = event.session.clone().unwrap_or_else(|| {
            let folder = event.folder.clone().or_else(|| env::current_dir().ok());
            let folder = folder.unwrap_or_default();
            format!("day {} in {}", now.div_euclid(DAY), folder.display())
        });
        Some(Self::new(Store::of_user().ok()?, session, now_ms))
    }

    /// Returns the state of a session in a store, at this time in milliseconds since 1970.
    pub(super) fn new(store: Store, session: String, now_ms: i64) -> Self {
        Self {
            store,
            session,
            now: now_ms.div_euclid(1000),
            now_ms,
        }
    }

    pub(super) fn hasher(&self) -> &Hasher {
        self.store.hasher()
    }

    /// Changes the state; `None` if it cannot be used, and then nothing is said.
    pub(super) fn update<T>(&self, change: impl FnOnce(&mut Session) -> T) -> Option<T> {
        self.store.update(&self.session, self.now, change).ok()
    }

    /// Returns what was counted for a server in other sessions that just stopped, with their hosts.
    pub(super) fn stopped(&self, server: Hash) -> Vec<(String, EndedEpisode)> {
        let stopped = self.store.stopped(&self.session, server, self.now_ms);
        stopped.unwrap_or_default()
    }
}

/// Returns the time in milliseconds since 1970.
pub(super) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    })
}
