//! Sessions of Streamable HTTP: how many there are, and whose each is.

mod replay;

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
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

/// A session that nobody used for so long is closed.
const KEEP_ALIVE: Duration = Duration::from_secs(60 * 60);

/// rmcp's sessions, each bound to the key that opened it.
#[derive(Default)]
pub(super) struct Sessions {
    local: LocalSessionManager,
    owners: Mutex<HashMap<String, Option<Uuid>>>,
    replay: Replay,
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

    /// Binds a session to the key that opened it, or to having had none.
    pub(super) fn bind(&self, id: &str, key: Option<Uuid>) {
        self.owners().insert(id.to_owned(), key);
    }

    /// Whether a session may be used with this key; one that does not exist belongs to nobody.
    pub(super) fn belongs_to(&self, id: &str, key: Option<Uuid>) -> bool {
        self.owners().get(id).is_some_and(|owner| *owner == key)
    }

    /// Returns how many sessions are open.
    pub(super) fn open(&self) -> usize {
        self.owners().len()
    }

    fn owners(&self) -> std::sync::MutexGuard<'_, HashMap<String, Option<Uuid>>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        self.local.create_session().await
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.local.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.local.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.owners().remove(id.as_ref());
        self.replay.forget(id);
        self.local.close_session(id).await
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
        self.local.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.local.create_standalone_stream(id).await
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
