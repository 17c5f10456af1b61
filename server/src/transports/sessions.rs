//! Sessions of Streamable HTTP: how many there are, and whose each is.

mod replay;

use std::{
    cell::Cell,
    collections::HashMap,
    pin::pin,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures::{Stream, StreamExt as _, future::ready};
use rmcp::{
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::streamable_http_server::session::{
        ServerSseMessage, SessionId, SessionManager,
        local::{LocalSessionManager, LocalSessionManagerError},
    },
};
use uuid::Uuid;

use self::replay::{Events, Replay};
use super::guard::room::{Place, Room};

/// A session that nobody used for so long is closed.
const KEEP_ALIVE: Duration = Duration::from_secs(60 * 60);

/// Why a session could not be opened or used.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionError {
    /// As many as may be are open.
    #[error("too many sessions are open")]
    NoRoom,
    /// What rmcp says.
    #[error(transparent)]
    Local(#[from] LocalSessionManagerError),
}

/// Whose request may open a session; rmcp does not say when it asks for one.
struct Opener {
    key: Option<Uuid>,
    limit: u32,
    refused: Cell<bool>,
}

tokio::task_local! {
    static OPENER: Opener;
}

/// Answers a request that may open a session, for a key or for having had none; `None` when it would
/// have been one more than `limit`.
pub(super) async fn opening<T>(
    key: Option<Uuid>,
    limit: u32,
    answering: impl Future<Output = T>,
) -> Option<T> {
    let opener = Opener {
        key,
        limit,
        refused: Cell::new(false),
    };
    let mut answering = pin!(OPENER.scope(opener, answering));
    let answer = answering.as_mut().await;
    let was_refused = answering
        .take_value()
        .is_some_and(|opener| opener.refused.get());
    (!was_refused).then_some(answer)
}

/// rmcp's sessions, each bound to the key that opened it from its first moment on.
#[derive(Default)]
pub(super) struct Sessions {
    local: LocalSessionManager,
    owners: Mutex<HashMap<String, Owner>>,
    room: Room,
    replay: Replay,
}

struct Owner {
    key: Option<Uuid>,
    _place: Place,
}

impl Sessions {
    pub(super) fn new() -> Self {
        let mut local = LocalSessionManager::default();
        local.session_config.keep_alive = Some(KEEP_ALIVE);
        Self {
            local,
            ..Self::default()
        }
    }

    /// Whether a session may be used with this key; one that does not exist belongs to nobody.
    pub(super) fn belongs_to(&self, id: &str, key: Option<Uuid>) -> bool {
        self.owners().get(id).is_some_and(|owner| owner.key == key)
    }

    /// Returns how many sessions are open.
    pub(super) fn open(&self) -> usize {
        self.room.open()
    }

    fn owners(&self) -> MutexGuard<'_, HashMap<String, Owner>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionManager for Sessions {
    type Error = SessionError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let entered = OPENER.try_with(|opener| {
            let place = self.room.enter(opener.limit);
            opener.refused.set(place.is_none());
            Some((opener.key, place?))
        });
        let (key, place) = entered.ok().flatten().ok_or(SessionError::NoRoom)?;
        let (id, transport) = self.local.create_session().await?;
        let owner = Owner { key, _place: place };
        self.owners().insert(id.to_string(), owner);
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
        self.owners().remove(id.as_ref());
        self.replay.forget(id);
        Ok(self.local.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let events = self.local.create_stream(id, message).await?;
        Ok(self.replay.remember(id, Box::pin(events)))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        Ok(self.local.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        Ok(self.local.create_standalone_stream(id).await?)
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
        let events: Events = Box::pin(events);
        Ok(if is_answer {
            Box::pin(self.replay.remember(id, events))
        } else {
            events
        })
    }
}
