//! The HTTP+SSE transport of 2024-11-05: a stream down, messages up, one handler between them.
//!
//! `GET /sse` opens the stream, whose first event names the address for messages; `POST /messages`
//! takes them. Each stream is a session of its own and ends with its connection.

use std::{
    collections::HashMap,
    convert::Infallible,
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    body::Bytes,
    http::{StatusCode, request},
    response::{
        IntoResponse as _, Response, Sse,
        sse::{Event, KeepAlive},
    },
};
use futures::{SinkExt as _, Stream, StreamExt as _, channel::mpsc, stream};
use recall_kit_shared_types::RpcError;
use rmcp::{
    RoleServer, ServerHandler, ServiceExt as _,
    model::{ClientJsonRpcMessage, GetExtensions as _, ServerJsonRpcMessage},
    service::RxJsonRpcMessage,
};
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use super::guard::refusal::refuse;
use crate::service::access::Caller;

/// Messages that wait on their way to a handler or a client.
const WAITING: usize = 64;

/// Starts a handler on the two ends of a session.
type Start = dyn Fn(
        mpsc::Sender<ServerJsonRpcMessage>,
        mpsc::Receiver<RxJsonRpcMessage<RoleServer>>,
        CancellationToken,
    ) + Send
    + Sync;

/// An open session.
struct Session {
    messages: mpsc::Sender<ClientJsonRpcMessage>,
    caller: Caller,
}

type Sessions = Arc<Mutex<HashMap<Uuid, Session>>>;

/// Every open session of the legacy transport.
#[derive(Clone)]
pub(super) struct LegacySse {
    sessions: Sessions,
    start: Arc<Start>,
    stop: CancellationToken,
}

impl LegacySse {
    /// Serves with handlers of a factory, until `stop` is cancelled.
    pub(super) fn new<H: ServerHandler>(
        factory: impl Fn() -> H + Send + Sync + 'static,
        stop: CancellationToken,
    ) -> Self {
        let start = move |sink, stream, stop| {
            let handler = factory();
            tokio::spawn(async move {
                match handler.serve_with_ct((sink, stream), stop).await {
                    Ok(running) => drop(running.waiting().await),
                    Err(error) => tracing::debug!(error = %error, "a session did not open"),
                }
            });
        };
        Self {
            sessions: Sessions::default(),
            start: Arc::new(start),
            stop,
        }
    }

    /// Returns how many sessions are open.
    pub(super) fn open(&self) -> usize {
        lock(&self.sessions).len()
    }

    /// Opens a session and its stream.
    pub(super) fn stream(&self, caller: Caller) -> Response {
        let id = Uuid::new_v4();
        let (messages, incoming) = mpsc::channel(WAITING);
        let (answers, outgoing) = mpsc::channel(WAITING);
        let stop = self.stop.child_token();
        (self.start)(answers, incoming, stop.clone());
        lock(&self.sessions).insert(id, Session { messages, caller });
        let open = Open {
            id,
            sessions: Arc::clone(&self.sessions),
            _stop: stop.drop_guard(),
        };
        let endpoint = Event::default()
            .event("endpoint")
            .data(format!("/messages?session_id={id}"));
        let events = stream::iter([endpoint]).chain(outgoing.map(message_event));
        Sse::new(until_closed(events, open))
            .keep_alive(KeepAlive::default())
            .into_response()
    }

    /// Takes a message for a session: 202, or 404 where the caller has no such session.
    pub(super) async fn message(
        &self,
        id: &str,
        caller: &Caller,
        head: request::Parts,
        body: &Bytes,
    ) -> Response {
        let known = id.parse::<Uuid>().ok().and_then(|id| {
            let sessions = lock(&self.sessions);
            let session = sessions.get(&id)?;
            (session.caller.key == caller.key).then(|| session.messages.clone())
        });
        let Some(mut messages) = known else {
            return refuse(
                StatusCode::NOT_FOUND,
                RpcError::InvalidRequest,
                "there is no such session; open one with GET /sse",
            );
        };
        let mut message: ClientJsonRpcMessage = match serde_json::from_slice(body) {
            Ok(message) => message,
            Err(error) => return malformed(body, &error),
        };
        // The handler asks the request who calls.
        if let ClientJsonRpcMessage::Request(call) = &mut message {
            call.request.extensions_mut().insert(head);
        }
        match messages.send(message).await {
            Ok(()) => StatusCode::ACCEPTED.into_response(),
            Err(_) => refuse(
                StatusCode::NOT_FOUND,
                RpcError::InvalidRequest,
                "the session has ended; open one with GET /sse",
            ),
        }
    }
}

fn malformed(body: &[u8], error: &serde_json::Error) -> Response {
    let is_json = serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok();
    let cause = if is_json {
        RpcError::InvalidRequest
    } else {
        RpcError::ParseError
    };
    refuse(
        StatusCode::BAD_REQUEST,
        cause,
        &format!("the body is no JSON-RPC message: {error}"),
    )
}

fn message_event(message: ServerJsonRpcMessage) -> Event {
    let json = serde_json::to_string(&message).expect("messages are plain data");
    Event::default().event("message").data(json)
}

/// Ends the session when its stream is dropped.
struct Open {
    id: Uuid,
    sessions: Sessions,
    _stop: DropGuard,
}

impl Drop for Open {
    fn drop(&mut self) {
        lock(&self.sessions).remove(&self.id);
    }
}

fn until_closed(
    events: impl Stream<Item = Event>,
    open: Open,
) -> impl Stream<Item = Result<Event, Infallible>> {
    events.map(move |event| {
        let _held = &open;
        Ok(event)
    })
}

fn lock(sessions: &Sessions) -> std::sync::MutexGuard<'_, HashMap<Uuid, Session>> {
    sessions.lock().unwrap_or_else(PoisonError::into_inner)
}
