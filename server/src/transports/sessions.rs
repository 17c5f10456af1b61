//! Sessions of Streamable HTTP: how many there are, whose each is, and how long it lasts.

mod owners;
mod replay;

use std::{cell::Cell, pin::pin, sync::Arc};

use futures::{Stream, StreamExt as _, future::ready};
use rmcp::{
    model::{ClientJsonRpcMessage, ClientNotification, ServerJsonRpcMessage},
    transport::streamable_http_server::session::{
        ServerSseMessage, SessionId, SessionManager,
        local::{LocalSessionManager, LocalSessionManagerError},
    },
};
use uuid::Uuid;

use self::{
    owners::Owners,
    replay::{Events, Replay},
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
    /// What we say.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// What rmcp says.
    #[error(transparent)]
    Local(#[from] LocalSessionManagerError),
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

/// A request on its way through rmcp, and why it was refused there.
struct Passing {
    opener: Opener,
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
        refused: Cell::new(None),
    };
    let mut answering = pin!(PASSING.scope(passing, answering));
    let answer = answering.as_mut().await;
    let refused = answering
        .take_value()
        .and_then(|passing| passing.refused.get());
    refused.map_or(Ok(answer), Err)
}

/// Notes why a request is refused, for [`passing`].
fn refusing(refusal: Refusal) -> SessionError {
    PASSING
        .try_with(|passing| passing.refused.set(Some(refusal)))
        .ok();
    refusal.into()
}

/// rmcp's sessions, each bound to the key that opened it from its first moment on.
#[derive(Default)]
pub(super) struct Sessions {
    local: Arc<LocalSessionManager>,
    owners: Owners,
    room: Room,
    replay: Replay,
}

impl Sessions {
    pub(super) fn new() -> Self {
        let mut local = LocalSessionManager::default();
        // rmcp would end a session whose client only listens.
        local.session_config.keep_alive = None;
        Self {
            local: Arc::new(local),
            ..Self::default()
        }
    }

    /// Whether a session may be used with this key; if so, it counts as used. One that does not exist
    /// belongs to nobody.
    pub(super) fn is_used_by(&self, id: &str, key: Option<Uuid>) -> bool {
        self.owners.is_used_by(id, key)
    }

    /// Returns how many sessions are open.
    pub(super) fn open(&self) -> usize {
        self.room.open()
    }

    /// Takes a place for a new session.
    fn enter(&self, opener: Opener) -> Result<Place, Refusal> {
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
}

impl SessionManager for Sessions {
    type Error = SessionError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let passing = PASSING.try_with(|passing| passing.opener);
        let opener = passing.map_err(|_| Refusal::NoRoom)?;
        let place = self.enter(opener).map_err(refusing)?;
        let (id, transport) = self.local.create_session().await?;
        let ended = self.owners.insert(&id, opener.key, place);
        let (local, owners, session) = (
            Arc::clone(&self.local),
            self.owners.clone(),
            Arc::clone(&id),
        );
        tokio::spawn(async move {
            if ended
                .run_until_cancelled(owners.idle(&session))
                .await
                .is_some()
            {
                // The end of rmcp's session ends ours.
                local.close_session(&session).await.ok();
            }
        });
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        Ok(self.local.initialize_session(id, message).await?)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        Ok(self.local.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.owners.remove(id);
        self.replay.forget(id);
        Ok(self.local.close_session(id).await?)
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
        let events = self.local.create_stream(id, message).await?;
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
        Ok(self.local.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let events = self.local.create_standalone_stream(id).await?;
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
        let is_answer = last_event_id.contains('/');
        let events = self.local.resume(id, last_event_id.clone()).await?;
        // rmcp begins with the event that the client has already.
        let events = events
            .filter(move |event| ready(event.event_id.as_deref() != Some(last_event_id.as_str())));
        let events: Events = Box::pin(self.owners.hold(id, None).until_end(events));
        Ok(if is_answer {
            Box::pin(self.replay.remember(id, events))
        } else {
            events
        })
    }
}

/// Whether a client says that it is ready.
fn is_initialized(message: &ClientJsonRpcMessage) -> bool {
    matches!(
        message,
        ClientJsonRpcMessage::Notification(said)
            if matches!(said.notification, ClientNotification::InitializedNotification(_))
    )
}
