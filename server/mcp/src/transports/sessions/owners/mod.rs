//! For each open session: the API key that owns it, its unanswered calls and open streams, and when it
//! is suspended or ends.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures::{Stream, StreamExt as _};
use rmcp::{
    model::{RequestId, ServerJsonRpcMessage},
    transport::streamable_http_server::session::ServerSseMessage,
};
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use super::Refusal;
use crate::transports::guard::room::Reservation;

/// A session that was not used for so long is closed.
const KEEP_ALIVE: Duration = Duration::from_secs(60 * 60);
/// The same, for a session whose client never sent `notifications/initialized`.
const KEEP_UNINITIALIZED: Duration = Duration::from_secs(60);
/// A session that was not used for so long is suspended.
const SUSPEND_AFTER: Duration = Duration::from_secs(5);
/// Calls of one session that may be unanswered at once.
const MAX_UNANSWERED: usize = 128;

/// The owners and the use of all open sessions.
#[derive(Clone, Default)]
pub(super) struct Owners(Arc<Mutex<HashMap<Arc<str>, Owner>>>);

struct Owner {
    key: Option<Uuid>,
    is_initialized: bool,
    last_used: Instant,
    /// The number of open streams, including those of calls.
    streams: usize,
    unanswered: HashSet<RequestId>,
    _reservation: Reservation,
    _ended: DropGuard,
}

impl Owners {
    /// Adds a new session; the returned token is cancelled when the session ends.
    pub(super) fn insert(
        &self,
        id: &Arc<str>,
        key: Option<Uuid>,
        reservation: Reservation,
    ) -> CancellationToken {
        let ended = CancellationToken::new();
        let owner = Owner {
            key,
            is_initialized: false,
            last_used: Instant::now(),
            streams: 0,
            unanswered: HashSet::new(),
            _reservation: reservation,
            _ended: ended.clone().drop_guard(),
        };
        self.all().insert(Arc::clone(id), owner);
        ended
    }

    pub(super) fn remove(&self, id: &str) {
        self.all().remove(id);
    }

    /// Lets a request use a session, which counts as used until the lease is dropped; `None` if there is
    /// no such session or another key opened it.
    pub(super) fn enter(&self, id: &str, key: Option<Uuid>) -> Option<Lease> {
        let session = {
            let all = self.all();
            let (session, owner) = all.get_key_value(id)?;
            (owner.key == key).then(|| Arc::clone(session))?
        };
        Some(self.lease(&session, None))
    }

    /// Marks a session's client as initialized.
    pub(super) fn set_initialized(&self, id: &str) {
        if let Some(owner) = self.all().get_mut(id) {
            owner.is_initialized = true;
        }
    }

    /// Waits until a session was not used for too long, or has ended.
    pub(super) async fn expired(&self, id: &str) {
        while let Some(due) = self.expires_at(id).filter(|due| *due > Instant::now()) {
            tokio::time::sleep_until(due).await;
        }
    }

    /// Waits until a session is idle and suspends it; continues to wait while `suspend` returns false.
    pub(super) async fn suspend_when_idle(&self, id: &str, suspend: impl Fn() -> bool) {
        while let Some(due) = self.suspend_if_idle(id, &suspend) {
            tokio::time::sleep_until(due).await;
        }
    }

    /// Suspends an idle session; returns when to try again, `None` if it is suspended or has ended.
    fn suspend_if_idle(&self, id: &str, suspend: impl Fn() -> bool) -> Option<Instant> {
        // The lock is held during `suspend`, so that no request enters the session meanwhile.
        let all = self.all();
        let owner = all.get(id)?;
        let (now, due) = (Instant::now(), owner.last_used + SUSPEND_AFTER);
        let is_unused = owner.is_initialized && owner.streams == 0;
        if is_unused && due > now {
            return Some(due);
        }
        let is_suspended = is_unused && suspend();
        (!is_suspended).then(|| now + SUSPEND_AFTER)
    }

    fn expires_at(&self, id: &str) -> Option<Instant> {
        let all = self.all();
        let owner = all.get(id)?;
        let keep = if owner.is_initialized {
            KEEP_ALIVE
        } else {
            KEEP_UNINITIALIZED
        };
        let last_used = if owner.streams > 0 {
            Instant::now()
        } else {
            owner.last_used
        };
        Some(last_used + keep)
    }

    /// Records that a call waits for its answer.
    ///
    /// *Errors*: [`Refusal::IdTaken`], since answers to two calls with one id could not be distinguished;
    /// [`Refusal::TooManyCalls`].
    pub(super) fn start_call(
        &self,
        id: &Arc<str>,
        call: Option<RequestId>,
    ) -> Result<Lease, Refusal> {
        let mut all = self.all();
        if let (Some(owner), Some(call)) = (all.get_mut(id), &call) {
            if owner.unanswered.len() >= MAX_UNANSWERED {
                return Err(Refusal::TooManyCalls);
            }
            if !owner.unanswered.insert(call.clone()) {
                return Err(Refusal::IdTaken);
            }
        }
        drop(all);
        Ok(self.lease(id, call))
    }

    /// Keeps a session from being suspended or ended until the lease is dropped.
    pub(super) fn lease(&self, id: &Arc<str>, call: Option<RequestId>) -> Lease {
        if let Some(owner) = self.all().get_mut(id) {
            owner.streams += 1;
        }
        Lease {
            owners: self.clone(),
            session: Arc::clone(id),
            call,
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<Arc<str>, Owner>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The use of a session by a request or an open stream, and the id of the call that it answers.
pub(in crate::transports) struct Lease {
    owners: Owners,
    session: Arc<str>,
    call: Option<RequestId>,
}

impl Lease {
    /// Attaches the lease to a stream: it is dropped with the stream, and the call's id is free again
    /// after its answer.
    pub(super) fn attach(
        mut self,
        events: impl Stream<Item = ServerSseMessage> + Send + Sync + 'static,
    ) -> impl Stream<Item = ServerSseMessage> + Send + Sync + 'static {
        events.inspect(move |event| {
            if event.message.as_deref().is_some_and(is_answer) {
                self.answered();
            }
        })
    }

    fn answered(&mut self) {
        if let Some(call) = self.call.take()
            && let Some(owner) = self.owners.all().get_mut(&self.session)
        {
            owner.unanswered.remove(&call);
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.answered();
        if let Some(owner) = self.owners.all().get_mut(&self.session) {
            owner.streams = owner.streams.saturating_sub(1);
            owner.last_used = Instant::now();
        }
    }
}

fn is_answer(message: &ServerJsonRpcMessage) -> bool {
    matches!(
        message,
        ServerJsonRpcMessage::Response(_) | ServerJsonRpcMessage::Error(_)
    )
}

#[cfg(test)]
mod tests;
