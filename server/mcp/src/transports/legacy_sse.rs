//! The HTTP+SSE transport of MCP 2024-11-05: an event stream to the client and POSTs from it, with one
//! handler for each session.
//!
//! `GET /sse` opens the stream, whose first event names the address for messages; `POST /messages`
//! accepts them. Each stream is a session of its own and ends with its connection.

use std::{
    collections::{HashMap, HashSet},
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
use recall_kit_core::access::Caller;
use recall_kit_shared_types::RpcError;
use rmcp::{
    RoleServer, ServerHandler, ServiceExt as _,
    model::{
        ClientJsonRpcMessage, ClientNotification, GetExtensions as _, RequestId,
        ServerJsonRpcMessage,
    },
    service::RxJsonRpcMessage,
};
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use super::guard::refusal::refuse;

/// The length of each queue of messages, to a handler and to a client.
const WAITING: usize = 64;

/// Starts a handler on the two channels of a session.
type Start = dyn Fn(
        mpsc::Sender<ServerJsonRpcMessage>,
        mpsc::Receiver<RxJsonRpcMessage<RoleServer>>,
        CancellationToken,
    ) + Send
    + Sync;

/// Calls of one session that may be unanswered at once: answers wait in memory until they are read.
const UNANSWERED: usize = 16;

/// An open session.
struct Session {
    messages: mpsc::Sender<ClientJsonRpcMessage>,
    caller: Caller,
    /// The ids of requests that are not answered yet.
    unanswered: HashSet<RequestId>,
}

impl Session {
    /// Records a request's id; `false` if too many requests are unanswered or one of them has this id.
    fn note(&mut self, message: &ClientJsonRpcMessage) -> bool {
        match message {
            ClientJsonRpcMessage::Request(call) => {
                self.unanswered.len() < UNANSWERED && self.unanswered.insert(call.id.clone())
            }
            ClientJsonRpcMessage::Notification(notification) => {
                // A cancelled request is not answered.
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.unanswered.remove(id);
                }
                true
            }
            _ => true,
        }
    }
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
    /// Creates the transport; `factory` creates the handler of each session. Sessions end when `stop` is
    /// cancelled.
    pub(super) fn new<H: ServerHandler>(
        factory: impl Fn() -> H + Send + Sync + 'static,
        stop: CancellationToken,
    ) -> Self {
        let start = move |sink, stream, stop| {
            let handler = factory();
            tokio::spawn(async move {
                match handler.serve_with_ct((sink, stream), stop).await {
                    Ok(running) => drop(running.waiting().await),
                    // The error is not logged, since its text repeats what the client sent.
                    Err(_) => tracing::debug!("a session could not be opened"),
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
        let session = Session {
            messages,
            caller,
            unanswered: HashSet::new(),
        };
        lock(&self.sessions).insert(id, session);
        let open_id = id;
        let open = Open {
            id,
            sessions: Arc::clone(&self.sessions),
            _stop: stop.drop_guard(),
        };
        let endpoint = Event::default()
            .event("endpoint")
            .data(format!("/messages?session_id={id}"));
        let sessions = Arc::clone(&self.sessions);
        let outgoing = outgoing.map(move |message| {
            if let Some(id) = answered(&message)
                && let Some(session) = lock(&sessions).get_mut(&open_id)
            {
                session.unanswered.remove(id);
            }
            message_event(message)
        });
        let events = stream::iter([endpoint]).chain(outgoing);
        Sse::new(until_closed(events, open))
            .keep_alive(KeepAlive::default())
            .into_response()
    }

    /// Passes a message to a session: 202, or 404 if the caller has no such session.
    pub(super) async fn message(
        &self,
        id: &str,
        caller: &Caller,
        head: request::Parts,
        body: &Bytes,
    ) -> Response {
        let message = serde_json::from_slice::<ClientJsonRpcMessage>(body);
        let known = id.parse::<Uuid>().ok().and_then(|id| {
            let mut sessions = lock(&self.sessions);
            let session = sessions.get_mut(&id)?;
            let is_owner = session.caller.key == caller.key;
            is_owner.then(|| {
                let is_accepted = message
                    .as_ref()
                    .map_or(true, |message| session.note(message));
                (session.messages.clone(), is_accepted)
            })
        });
        let Some((mut messages, is_accepted)) = known else {
            return refuse(
                StatusCode::NOT_FOUND,
                RpcError::InvalidRequest,
                "there is no such session; open one with GET /sse",
            );
        };
        let mut message = match message {
            Ok(message) => message,
            Err(error) => return malformed(body, &error),
        };
        if !is_accepted {
            return refuse(
                StatusCode::TOO_MANY_REQUESTS,
                RpcError::TooManyRequests,
                "too many calls of this session are unanswered, or one with this id is; read the \
                 stream first",
            );
        }
        // The handler reads the caller from the request's head.
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

/// Returns the id of the request that a message answers.
fn answered(message: &ServerJsonRpcMessage) -> Option<&RequestId> {
    match message {
        ServerJsonRpcMessage::Response(response) => Some(&response.id),
        ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    }
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
        // Moves `open` into the closure, so that it is dropped with the stream.
        let _open = &open;
        Ok(event)
    })
}

fn lock(sessions: &Sessions) -> std::sync::MutexGuard<'_, HashMap<Uuid, Session>> {
    sessions.lock().unwrap_or_else(PoisonError::into_inner)
}
