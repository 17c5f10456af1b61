//! What is known of each open session: whose it is, what it asked for, when it rests and when it ends.

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
use crate::transports::guard::room::Place;

/// A session that nobody used for so long is closed.
const KEEP_ALIVE: Duration = Duration::from_secs(60 * 60);
/// The same, for one whose client never said that it is ready.
const KEEP_UNOPENED: Duration = Duration::from_secs(60);
/// A session that nobody used for so long needs no handler.
const REST_AFTER: Duration = Duration::from_secs(5);
/// Calls of one session that may be unanswered at once.
const MAX_UNANSWERED: usize = 128;

/// Every open session.
#[derive(Clone, Default)]
pub(super) struct Owners(Arc<Mutex<HashMap<Arc<str>, Owner>>>);

struct Owner {
    key: Option<Uuid>,
    is_ready: bool,
    used: Instant,
    /// Streams that are open, those of calls too.
    streams: usize,
    unanswered: HashSet<RequestId>,
    _place: Place,
    _ended: DropGuard,
}

impl Owners {
    /// Notes a new session; the token that is returned is cancelled when it ends.
    pub(super) fn insert(
        &self,
        id: &Arc<str>,
        key: Option<Uuid>,
        place: Place,
    ) -> CancellationToken {
        let ended = CancellationToken::new();
        let owner = Owner {
            key,
            is_ready: false,
            used: Instant::now(),
            streams: 0,
            unanswered: HashSet::new(),
            _place: place,
            _ended: ended.clone().drop_guard(),
        };
        self.all().insert(Arc::clone(id), owner);
        ended
    }

    pub(super) fn remove(&self, id: &str) {
        self.all().remove(id);
    }

    /// Lets a request use a session, and keeps it in use until the request was passed on; `None` where
    /// the session is another key's. One that does not exist belongs to nobody.
    pub(super) fn enter(&self, id: &str, key: Option<Uuid>) -> Option<Held> {
        let session = {
            let all = self.all();
            let (session, owner) = all.get_key_value(id)?;
            (owner.key == key).then(|| Arc::clone(session))?
        };
        Some(self.hold(&session, None))
    }

    /// Notes that a session's client is ready.
    pub(super) fn ready(&self, id: &str) {
        if let Some(owner) = self.all().get_mut(id) {
            owner.is_ready = true;
        }
    }

    /// Waits until nobody has used a session for too long.
    pub(super) async fn idle(&self, id: &str) {
        while let Some(due) = self.due(id).filter(|due| *due > Instant::now()) {
            tokio::time::sleep_until(due).await;
        }
    }

    /// Waits until a session is at rest, and suspends it; where `suspend` says that it cannot be, waits
    /// on.
    pub(super) async fn suspend_at_rest(&self, id: &str, suspend: impl Fn() -> bool) {
        while let Some(due) = self.suspend_if_at_rest(id, &suspend) {
            tokio::time::sleep_until(due).await;
        }
    }

    /// Returns when to ask again.
    fn suspend_if_at_rest(&self, id: &str, suspend: impl Fn() -> bool) -> Option<Instant> {
        let all = self.all();
        let owner = all.get(id)?;
        let (now, due) = (Instant::now(), owner.used + REST_AFTER);
        let may_rest = owner.is_ready && owner.streams == 0;
        if may_rest && due > now {
            return Some(due);
        }
        // No request enters meanwhile.
        let is_suspended = may_rest && suspend();
        (!is_suspended).then(|| now + REST_AFTER)
    }

    fn due(&self, id: &str) -> Option<Instant> {
        let all = self.all();
        let owner = all.get(id)?;
        let keep = if owner.is_ready {
            KEEP_ALIVE
        } else {
            KEEP_UNOPENED
        };
        let used = if owner.streams > 0 {
            Instant::now()
        } else {
            owner.used
        };
        Some(used + keep)
    }

    /// Notes that a call waits for its answer.
    ///
    /// *Errors*: [`Refusal::IdTaken`], for answers to two calls with one id could not be told apart;
    /// [`Refusal::TooManyCalls`].
    pub(super) fn ask(&self, id: &Arc<str>, call: Option<RequestId>) -> Result<Held, Refusal> {
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
        Ok(self.hold(id, call))
    }

    /// Keeps a session from ending for as long as a stream is open.
    pub(super) fn hold(&self, id: &Arc<str>, call: Option<RequestId>) -> Held {
        if let Some(owner) = self.all().get_mut(id) {
            owner.streams += 1;
        }
        Held {
            owners: self.clone(),
            session: Arc::clone(id),
            call,
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<Arc<str>, Owner>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An open stream of a session, and the call it will answer.
pub(in crate::transports) struct Held {
    owners: Owners,
    session: Arc<str>,
    call: Option<RequestId>,
}

impl Held {
    /// Passes a stream on; what is held is held for as long, the call's id until its answer.
    pub(super) fn until_end(
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

impl Drop for Held {
    fn drop(&mut self) {
        self.answered();
        if let Some(owner) = self.owners.all().get_mut(&self.session) {
            owner.streams = owner.streams.saturating_sub(1);
            owner.used = Instant::now();
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
