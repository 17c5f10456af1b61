//! Sessions of Streamable HTTP: their number, their owners and their lifetime.

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
    owners::Lease,
};
use super::guard::{
    rate::Counted,
    room::{self, Capacity, Reservation},
};

/// Why a session could not be opened, or why a call in a session was refused.
#[derive(Debug, Clone, Copy, thiserror::Error)]
pub(super) enum Refusal {
    /// The limit of all sessions is reached.
    #[error("too many sessions are open")]
    TooManySessions,
    /// The caller's share of the sessions, which is given here, is reached.
    #[error("too many sessions of this API key or address are open")]
    TooManyOfCaller(u32),
    /// The limit of unanswered calls in the session is reached.
    #[error("too many calls of this session are unanswered; wait for some of the answers")]
    TooManyCalls,
    /// An unanswered call of the session has this id.
    #[error("a call with this id is still unanswered; give each call an id of its own")]
    IdTaken,
}

/// Why a session could not be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionError {
    /// The request was refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The session has ended.
    #[error(transparent)]
    Ended(#[from] Ended),
    /// A client resumes a stream that never existed or is no longer stored.
    #[error("the event named by Last-Event-ID is not known; its stream cannot be resumed")]
    UnknownEvent,
}

/// The sender of a request and the limits of sessions; rmcp does not pass these on when it creates a
/// session.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opener {
    /// The API key of the request.
    pub(super) key: Option<Uuid>,
    /// The caller that a new session is counted for.
    pub(super) counted: Counted,
    /// The most sessions of all callers.
    pub(super) limit: u32,
    /// The most sessions of one key, or of one address other than this machine's.
    pub(super) share: u32,
}

impl Opener {
    /// Returns how many sessions the caller may have.
    fn share(&self) -> u32 {
        let share = room::share(self.limit, self.counted);
        if self.counted.is_this_machine() {
            share
        } else {
            share.min(self.share)
        }
    }
}

/// The context of a request while rmcp handles it: rmcp's interface has no place for these values.
struct RequestContext {
    opener: Opener,
    /// How to serve the handler that was created for the request.
    serve: Cell<Option<Serve>>,
    /// Why the request was refused.
    refused: Cell<Option<Refusal>>,
}

tokio::task_local! {
    static CONTEXT: RequestContext;
}

/// Answers a request that may open or use a session, with its context set.
///
/// *Errors*: why the request was refused; rmcp's response would be the same for every reason.
pub(super) async fn with_context<T>(
    opener: Opener,
    answering: impl Future<Output = T>,
) -> Result<T, Refusal> {
    let context = RequestContext {
        opener,
        serve: Cell::new(None),
        refused: Cell::new(None),
    };
    let mut answering = pin!(CONTEXT.scope(context, answering));
    let answer = answering.as_mut().await;
    let refused = answering
        .take_value()
        .and_then(|context| context.refused.get());
    refused.map_or(Ok(answer), Err)
}

/// Stores how to serve the handler that was created for this request, in case it opens a session.
pub(super) fn note_handler(serve: Serve) {
    CONTEXT
        .try_with(|context| context.serve.set(Some(serve)))
        .ok();
}

/// Stores why a request is refused, for [`with_context`].
fn note_refusal(refusal: Refusal) -> SessionError {
    CONTEXT
        .try_with(|context| context.refused.set(Some(refusal)))
        .ok();
    refusal.into()
}

/// All open sessions. Each is bound from the start to the API key that opened it.
///
/// An idle session is suspended: its handler's loop in rmcp ends. What remains are the client's
/// `initialize` parameters, the handler's state and the stored events.
#[derive(Clone, Default)]
pub(super) struct Sessions {
    open: Arc<Mutex<HashMap<SessionId, Arc<Channels>>>>,
    owners: Owners,
    capacity: Capacity,
    replay: Replay,
}

impl Sessions {
    /// Lets a request use a session; `None` if there is no such session or another key opened it.
    pub(super) fn enter(&self, id: &str, key: Option<Uuid>) -> Option<Lease> {
        self.owners.enter(id, key)
    }

    /// Returns how many sessions are open.
    pub(super) fn open(&self) -> usize {
        self.capacity.in_use()
    }

    /// Starts a session's handler again if it was suspended.
    ///
    /// *Errors*: [`Ended`].
    pub(super) async fn wake(&self, id: &str) -> Result<(), Ended> {
        let Some((id, channels)) = self.suspended(id) else {
            return Ok(());
        };
        let sessions = self.clone();
        // In a task of its own, so that the start is completed even if the client disconnects.
        let starting = tokio::spawn(async move { sessions.start(&id, &channels).await });
        starting.await.unwrap_or(Err(Ended))
    }

    async fn start(&self, id: &SessionId, channels: &Arc<Channels>) -> Result<(), Ended> {
        let _guard = channels.starting.lock().await;
        if !channels.is_suspended() {
            return Ok(());
        }
        let parameters = channels.initialize_params().ok_or(Ended)?;
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
        let request = ClientRequest::InitializeRequest(InitializeRequest::new(parameters));
        let request = ClientJsonRpcMessage::request(request, RequestId::Number(0));
        channels.open(request).await?;
        let initialized =
            ClientNotification::InitializedNotification(InitializedNotification::default());
        channels
            .pass(ClientJsonRpcMessage::notification(initialized))
            .await?;
        self.suspend_when_idle(id, channels);
        Ok(())
    }

    /// Starts a task that suspends a session once it is idle.
    fn suspend_when_idle(&self, id: &SessionId, channels: &Arc<Channels>) {
        let (owners, id, channels) = (self.owners.clone(), Arc::clone(id), Arc::clone(channels));
        tokio::spawn(async move {
            let suspend = || {
                let is_suspended = channels.suspend();
                if is_suspended {
                    tracing::debug!("a session is suspended until it is used");
                }
                is_suspended
            };
            owners.suspend_when_idle(&id, suspend).await;
        });
    }

    /// Ends a session with its channels, streams and stored events.
    fn close(&self, id: &str) {
        self.owners.remove(id);
        self.replay.remove_session(id);
        let channels = self.all().remove(id);
        if let Some(channels) = channels {
            channels.close();
        }
    }

    /// Reserves a new session within the limits.
    ///
    /// *Errors*: [`Refusal::TooManySessions`], [`Refusal::TooManyOfCaller`].
    fn reserve(&self, opener: Opener) -> Result<Reservation, Refusal> {
        let (limit, share) = (opener.limit as usize, opener.share());
        let mut refusal = Refusal::TooManySessions;
        let reservation = self.capacity.reserve_if(opener.counted, 1, |used| {
            if used.own >= share as usize {
                refusal = Refusal::TooManyOfCaller(share);
            }
            used.total < limit && used.own < share as usize
        });
        reservation.ok_or(refusal)
    }

    fn find(&self, id: &str) -> Result<Arc<Channels>, Ended> {
        self.all().get(id).cloned().ok_or(Ended)
    }

    /// Whether a session's handler ended because the session was idle.
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
        let context = CONTEXT.try_with(|context| (context.opener, context.serve.take()));
        let Ok((opener, Some(serve))) = context else {
            return Err(Refusal::TooManySessions.into());
        };
        let reservation = self.reserve(opener).map_err(note_refusal)?;
        let id = SessionId::from(Uuid::new_v4().to_string());
        let (channels, transport) = Channels::new(serve);
        self.all().insert(Arc::clone(&id), Arc::clone(&channels));
        let ended = self.owners.insert(&id, opener.key, reservation);
        self.suspend_when_idle(&id, &channels);
        let (sessions, session) = (self.clone(), Arc::clone(&id));
        tokio::spawn(async move {
            let expired = sessions.owners.expired(&session);
            if ended.run_until_cancelled(expired).await.is_some() {
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
        // Within a request, the client ends its session. Otherwise rmcp reports that the session's first
        // handler has ended.
        let is_request = CONTEXT.try_with(|_| ()).is_ok();
        if is_request || self.find(id).is_ok_and(|channels| channels.ends_with(1)) {
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
        let lease = self.owners.start_call(id, call).map_err(note_refusal)?;
        let events = received(self.find(id)?.call(message).await?);
        let events = lease.attach(events);
        Ok(self.replay.record(id, Box::pin(events)))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        if is_initialized(&message) {
            self.owners.set_initialized(id);
        }
        Ok(self.find(id)?.pass(message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let events = received(self.find(id)?.listen(None));
        Ok(self.owners.lease(id, None).attach(events))
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
        let attach = |events| self.owners.lease(id, None).attach(received(events));
        let events: Events = match replay::parse_event_id(&last_event_id) {
            Some((index, call)) => {
                let events = channels.resume(call, index);
                let events = attach(events.ok_or(SessionError::UnknownEvent)?);
                Box::pin(self.replay.record(id, Box::pin(events)))
            }
            None => {
                let index = last_event_id.parse();
                let index = index.map_err(|_| SessionError::UnknownEvent)?;
                Box::pin(attach(channels.listen(Some(index))))
            }
        };
        Ok(events)
    }
}

fn received(mut events: Receiver<ServerSseMessage>) -> impl Stream<Item = ServerSseMessage> {
    stream::poll_fn(move |context| events.poll_recv(context))
}
