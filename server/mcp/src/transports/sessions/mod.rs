//! Sessions of Streamable HTTP: how many there are, whose each is, and how long it lasts.

mod channels;
mod outgoing;
mod owners;
mod replay;

use std::{
    cell::Cell,
    collections::HashMap,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures::{Stream, stream};
use rmcp::{
    model::{
        ClientJsonRpcMessage, ClientNotification, ClientRequest, InitializeRequest,
        InitializedNotification, RequestId, ServerJsonRpcMessage,
    },
    transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager},
};
use tokio::sync::mpsc::Receiver;
use uuid::Uuid;

use self::{
    channels::{Channels, is_initialized},
    owners::Owners,
    replay::{Events, Replay},
};
pub(super) use self::{
    channels::{Ended, HandlerTransport, Serve},
    owners::Held,
};
use super::guard::{
    rate::Counted,
    room::{self, Place, Room},
};

/// Why a session could not be opened, or a call of one not be taken.
#[derive(Debug, Clone, Copy, thiserror::Error)]
pub(super) enum Refusal {
    /// As many as may be are open.
    #[error("too many sessions are open")]
    NoRoom,
    /// As many as one caller may have are open of this one.
    #[error("too many sessions of this API key or address are open")]
    NoShare(u32),
    /// As many calls of the session as may be are unanswered.
    #[error("too many calls of this session are unanswered; wait for some of the answers")]
    TooManyCalls,
    /// Another call of the session has this id.
    #[error("a call with this id is still unanswered; give each call an id of its own")]
    IdTaken,
}

/// Why a session could not be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionError {
    /// It was refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// It is over.
    #[error(transparent)]
    Ended(#[from] Ended),
    /// A client comes back to a stream that there is not, or not any more.
    #[error("there is no such event to go on after")]
    UnknownEvent,
}

/// Who sent a request, and how many sessions there may be; rmcp does not say so when it asks for one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opener {
    /// The key the request showed.
    pub(super) key: Option<Uuid>,
    /// Whose share of the sessions a new one is.
    pub(super) counted: Counted,
    /// The most sessions there may be.
    pub(super) limit: u32,
    /// The most that one key or one other machine's address may have.
    pub(super) share: u32,
}

impl Opener {
    /// Returns how many sessions its caller may have.
    fn share(&self) -> u32 {
        let share = room::share(self.limit, self.counted);
        if self.counted.is_this_machine() {
            share
        } else {
            share.min(self.share)
        }
    }
}

/// A request on its way through rmcp, what was made for it, and why it was refused there.
struct Passing {
    opener: Opener,
    serve: Cell<Option<Serve>>,
    refused: Cell<Option<Refusal>>,
}

tokio::task_local! {
    static PASSING: Passing;
}

/// Answers a request that may open or use a session.
///
/// *Errors*: why it could not; rmcp has but one word for every reason.
pub(super) async fn passing<T>(
    opener: Opener,
    answering: impl Future<Output = T>,
) -> Result<T, Refusal> {
    let passing = Passing {
        opener,
        serve: Cell::new(None),
        refused: Cell::new(None),
    };
    let mut answering = pin!(PASSING.scope(passing, answering));
    let answer = answering.as_mut().await;
    let refused = answering
        .take_value()
        .and_then(|passing| passing.refused.get());
    refused.map_or(Ok(answer), Err)
}

/// Notes how to serve the handler that was made for this request, should it open a session.
pub(super) fn note_handler(serve: Serve) {
    PASSING
        .try_with(|passing| passing.serve.set(Some(serve)))
        .ok();
}

/// Notes why a request is refused, for [`passing`].
fn refusing(refusal: Refusal) -> SessionError {
    PASSING
        .try_with(|passing| passing.refused.set(Some(refusal)))
        .ok();
    refusal.into()
}

/// Every session, each bound to the key that opened it from its first moment on.
///
/// A session that nobody uses is suspended: its handler's loop in rmcp ends, and what is left is what the
/// client said about itself, the handler's own state and the events that are kept.
#[derive(Clone, Default)]
pub(super) struct Sessions {
    open: Arc<Mutex<HashMap<SessionId, Arc<Channels>>>>,
    owners: Owners,
    room: Room,
    replay: Replay,
}

impl Sessions {
    /// Lets a request use a session; `None` where the session is another key's, or there is none.
    pub(super) fn enter(&self, id: &str, key: Option<Uuid>) -> Option<Held> {
        self.owners.enter(id, key)
    }

    /// Returns how many sessions are open.
    pub(super) fn open(&self) -> usize {
        self.room.open()
    }

    /// Starts a session's handler again if it was suspended.
    ///
    /// *Errors*: [`Ended`].
    pub(super) async fn wake(&self, id: &str) -> Result<(), Ended> {
        let Some((id, channels)) = self.suspended(id) else {
            return Ok(());
        };
        let sessions = self.clone();
        // The session must not stay half open when the caller hangs up.
        let starting = tokio::spawn(async move { sessions.start(&id, &channels).await });
        starting.await.unwrap_or(Err(Ended))
    }

    async fn start(&self, id: &SessionId, channels: &Arc<Channels>) -> Result<(), Ended> {
        let _alone = channels.starting.lock().await;
        if !channels.is_suspended() {
            return Ok(());
        }
        let hello = channels.hello().ok_or(Ended)?;
        let transport = channels.connect();
        let link = transport.link();
        let serving = (channels.serve)(transport);
        let (sessions, session, served) = (self.clone(), Arc::clone(id), Arc::clone(channels));
        tokio::spawn(async move {
            serving.await;
            if served.ends_with(link) {
                sessions.close(&session);
            }
        });
        let hello = ClientRequest::InitializeRequest(InitializeRequest::new(hello));
        let hello = ClientJsonRpcMessage::request(hello, RequestId::Number(0));
        channels.open(hello).await?;
        let ready = ClientNotification::InitializedNotification(InitializedNotification::default());
        channels
            .pass(ClientJsonRpcMessage::notification(ready))
            .await?;
        self.suspend_at_rest(id, channels);
        Ok(())
    }

    /// Suspends a session once it is at rest.
    fn suspend_at_rest(&self, id: &SessionId, channels: &Arc<Channels>) {
        let (owners, id, channels) = (self.owners.clone(), Arc::clone(id), Arc::clone(channels));
        tokio::spawn(async move {
            let suspend = || {
                let is_suspended = channels.suspend();
                if is_suspended {
                    tracing::debug!("a session is suspended until it is used");
                }
                is_suspended
            };
            owners.suspend_at_rest(&id, suspend).await;
        });
    }

    /// Ends a session and all that belongs to it.
    fn close(&self, id: &str) {
        self.owners.remove(id);
        self.replay.forget(id);
        let channels = self.all().remove(id);
        if let Some(channels) = channels {
            channels.close();
        }
    }

    /// Takes a place for a new session.
    fn place(&self, opener: Opener) -> Result<Place, Refusal> {
        let (limit, share) = (opener.limit as usize, opener.share());
        let mut refusal = Refusal::NoRoom;
        let place = self.room.take(opener.counted, 1, |taken| {
            if taken.own >= share as usize {
                refusal = Refusal::NoShare(share);
            }
            taken.all < limit && taken.own < share as usize
        });
        place.ok_or(refusal)
    }

    fn find(&self, id: &str) -> Result<Arc<Channels>, Ended> {
        self.all().get(id).cloned().ok_or(Ended)
    }

    /// Whether a session's handler ended because nothing went on.
    #[cfg(test)]
    pub(super) fn is_suspended(&self, id: &str) -> bool {
        self.suspended(id).is_some()
    }

    fn suspended(&self, id: &str) -> Option<(SessionId, Arc<Channels>)> {
        let all = self.all();
        let (id, channels) = all.get_key_value(id)?;
        channels
            .is_suspended()
            .then(|| (Arc::clone(id), Arc::clone(channels)))
    }

    fn all(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<Channels>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionManager for Sessions {
    type Error = SessionError;
    type Transport = HandlerTransport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let passing = PASSING.try_with(|passing| (passing.opener, passing.serve.take()));
        let Ok((opener, Some(serve))) = passing else {
            return Err(Refusal::NoRoom.into());
        };
        let place = self.place(opener).map_err(refusing)?;
        let id = SessionId::from(Uuid::new_v4().to_string());
        let (channels, transport) = Channels::new(serve);
        self.all().insert(Arc::clone(&id), Arc::clone(&channels));
        let ended = self.owners.insert(&id, opener.key, place);
        self.suspend_at_rest(&id, &channels);
        let (sessions, session) = (self.clone(), Arc::clone(&id));
        tokio::spawn(async move {
            let idle = sessions.owners.idle(&session);
            if ended.run_until_cancelled(idle).await.is_some() {
                sessions.close(&session);
            }
        });
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        Ok(self.find(id)?.open(message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        Ok(self.find(id).is_ok())
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        // A client ends its session within a request; otherwise rmcp says that the session's first handler
        // has ended.
        let is_asked = PASSING.try_with(|_| ()).is_ok();
        if is_asked || self.find(id).is_ok_and(|channels| channels.ends_with(1)) {
            self.close(id);
        }
        Ok(())
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let call = match &message {
            ClientJsonRpcMessage::Request(call) => Some(call.id.clone()),
            _ => None,
        };
        let held = self.owners.ask(id, call).map_err(refusing)?;
        let events = received(self.find(id)?.call(message).await?);
        let events = held.until_end(events);
        Ok(self.replay.remember(id, Box::pin(events)))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        if is_initialized(&message) {
            self.owners.ready(id);
        }
        Ok(self.find(id)?.pass(message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let events = received(self.find(id)?.listen(None));
        Ok(self.owners.hold(id, None).until_end(events))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        if let Some(events) = self.replay.resume(id, &last_event_id) {
            return Ok(events);
        }
        let channels = self.find(id)?;
        let hold = |events| self.owners.hold(id, None).until_end(received(events));
        let events: Events = match replay::place(&last_event_id) {
            Some((index, call)) => {
                let events = channels.resume(call, index);
                let events = hold(events.ok_or(SessionError::UnknownEvent)?);
                Box::pin(self.replay.remember(id, Box::pin(events)))
            }
            None => {
                let index = last_event_id.parse();
                let index = index.map_err(|_| SessionError::UnknownEvent)?;
                Box::pin(hold(channels.listen(Some(index))))
            }
        };
        Ok(events)
    }
}

fn received(mut events: Receiver<ServerSseMessage>) -> impl Stream<Item = ServerSseMessage> {
    stream::poll_fn(move |context| events.poll_recv(context))
}
