//! JSON-RPC over WebSocket: each message is answered like the body of a plain JSON-RPC request.
//!
//! Each call runs in its own task and puts its answer into a queue; the socket only reads messages and
//! sends queued answers. So a peer that does not read delays only itself: its calls still end and free
//! their resources.

use std::{error::Error as _, panic::AssertUnwindSafe, pin::pin, sync::Arc, time::Duration};

use axum::{
    body::Bytes,
    extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code},
    http::Extensions,
    response::Response,
};
use futures::{
    FutureExt as _, SinkExt as _, StreamExt as _,
    stream::{SplitSink, SplitStream},
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot},
    task::JoinSet,
    time::Instant,
};

use super::{
    HttpState,
    guard::{Admission, rate::Counted, room::Reservation},
    json_rpc::body_of,
};
use crate::transports::{
    http::{listener::OpenConnection, pipeline},
    messages::response_budget::{self, Waiting},
};

/// How often a silent peer is pinged. A peer that disappeared without closing is noticed when sending
/// to it fails.
const PING: Duration = Duration::from_secs(30);
/// The most calls of one socket that may run or whose answers may wait to be sent.
const CONCURRENT: usize = 16;
/// The length of a socket's queue: every answer, a ping and the close frame.
const QUEUED: usize = CONCURRENT + 2;
/// How long sending the close frame may take when a socket is cut.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// A socket's limits, its caller, and the state that answers its messages.
pub(super) struct Socket {
    pub(super) state: Arc<HttpState>,
    pub(super) admission: Admission,
    pub(super) counted: Counted,
    /// The caller and its flow, which every message's request gets.
    pub(super) extensions: Extensions,
    /// Dropped when the socket ends: its share of the socket limit, and what keeps the server waiting
    /// for it at shutdown.
    pub(super) guards: (Reservation, Option<OpenConnection>),
}

/// Upgrades the connection and serves the socket.
pub(super) fn open(upgrade: WebSocketUpgrade, socket: Socket) -> Response {
    let limit = socket.state.app.admission.limits().body_bytes as usize;
    upgrade
        .max_message_size(limit)
        .max_frame_size(limit)
        .on_upgrade(move |stream| async move {
            serve(stream, &socket).await;
            drop(socket.guards);
        })
}

/// A message to send.
enum Outgoing {
    /// An answer, with its share of the response budget and its slot, both freed when it is sent.
    Answer(String, (Waiting, OwnedSemaphorePermit)),
    Ping,
    /// The last message.
    Close(CloseFrame),
}

/// Why reading a socket ended.
enum End {
    /// Every call was answered, and the close frame is queued behind the answers.
    Answered,
    /// The peer is gone, or its key was revoked: queued messages are discarded.
    Cut(Option<CloseFrame>),
}

/// Serves a socket until the peer, the server or the key ends it. Calls that still run when it is cut
/// are aborted.
async fn serve(stream: WebSocket, socket: &Socket) {
    let (sink, messages) = stream.split();
    let (queue, queued) = mpsc::channel(QUEUED);
    let (cut, is_cut) = oneshot::channel();
    let mut sending = pin!(send_queued(sink, queued, is_cut));
    let end = tokio::select! {
        end = read(messages, socket, queue) => end,
        () = &mut sending => return,
    };
    match end {
        End::Answered => sending.await,
        End::Cut(close) => {
            cut.send(close).ok();
            tokio::time::timeout(CLOSE_TIMEOUT, sending).await.ok();
        }
    }
}

/// Reads messages and starts a task for each.
async fn read(
    mut messages: SplitStream<WebSocket>,
    socket: &Socket,
    queue: mpsc::Sender<Outgoing>,
) -> End {
    let slots = Arc::new(Semaphore::new(CONCURRENT));
    let mut calls = JoinSet::new();
    let mut ended = pin!(socket.admission.ended());
    let mut ping = tokio::time::interval_at(Instant::now() + PING, PING);
    let close = loop {
        tokio::select! {
            (message, slot) = next_message(&mut messages, &slots) => {
                let body = match message {
                    Some(Ok(Message::Text(text))) => Bytes::from(text),
                    Some(Ok(Message::Binary(bytes))) => bytes,
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                    Some(Ok(Message::Close(_))) | None => return End::Cut(None),
                    Some(Err(error)) => match unreadable(&error) {
                        Some(close) => break close,
                        None => return End::Cut(None),
                    },
                };
                if !socket.admission.is_valid().await {
                    return End::Cut(Some(revoked()));
                }
                calls.spawn(answer(Call::new(socket, body), slot, queue.clone()));
            }
            Some(_) = calls.join_next() => {}
            // A queued answer does the work of a ping, and pings must not use up the answers' places.
            _ = ping.tick() => if queue.capacity() == QUEUED {
                queue.try_send(Outgoing::Ping).ok();
            },
            () = &mut ended => return End::Cut(Some(revoked())),
            () = socket.state.stop.cancelled() => {
                break close_frame(close_code::AWAY, "the server is shutting down");
            }
        }
    };
    loop {
        tokio::select! {
            call = calls.join_next() => if call.is_none() {
                queue.try_send(Outgoing::Close(close)).ok();
                return End::Answered;
            },
            () = &mut ended => return End::Cut(Some(revoked())),
        }
    }
}

/// Waits for a slot, then for a message.
async fn next_message(
    messages: &mut SplitStream<WebSocket>,
    slots: &Arc<Semaphore>,
) -> (Option<Result<Message, axum::Error>>, OwnedSemaphorePermit) {
    let slot = Arc::clone(slots).acquire_owned().await;
    let slot = slot.expect("the slots are never closed");
    (messages.next().await, slot)
}

/// Sends queued messages until a close frame; `cut` ends it earlier, with or without a close frame.
async fn send_queued(
    mut sink: SplitSink<WebSocket, Message>,
    mut queue: mpsc::Receiver<Outgoing>,
    mut cut: oneshot::Receiver<Option<CloseFrame>>,
) {
    let close = loop {
        let outgoing = tokio::select! {
            biased;
            close = &mut cut => break close.ok().flatten(),
            outgoing = queue.recv() => outgoing,
        };
        let (message, _guards) = match outgoing {
            Some(Outgoing::Answer(text, guards)) => (Message::text(text), Some(guards)),
            Some(Outgoing::Ping) => (Message::Ping(Bytes::new()), None),
            Some(Outgoing::Close(close)) => break Some(close),
            None => break None,
        };
        if sink.send(message).await.is_err() {
            return;
        }
    };
    match close {
        Some(close) => drop(sink.send(Message::Close(Some(close))).await),
        // Answers the peer's close frame.
        None => drop(sink.close().await),
    }
}

fn close_frame(code: u16, reason: &'static str) -> CloseFrame {
    CloseFrame {
        code,
        reason: reason.into(),
    }
}

fn revoked() -> CloseFrame {
    close_frame(close_code::POLICY, "the API key is no longer valid")
}

/// Returns the close frame that tells a peer why reading from it failed; `None` if the peer is gone.
fn unreadable(error: &axum::Error) -> Option<CloseFrame> {
    use tungstenite::{Error, error::ProtocolError};
    let cause = error.source().and_then(|cause| cause.downcast_ref());
    match cause {
        Some(Error::Capacity(_)) => Some(close_frame(
            close_code::SIZE,
            "the message is larger than the limit of a request body",
        )),
        Some(
            Error::Io(_)
            | Error::ConnectionClosed
            | Error::AlreadyClosed
            | Error::Protocol(ProtocolError::ResetWithoutClosingHandshake),
        ) => None,
        _ => Some(close_frame(
            close_code::PROTOCOL,
            "the message could not be read",
        )),
    }
}

/// One message, with what is needed to answer it.
struct Call {
    state: Arc<HttpState>,
    body: Bytes,
    counted: Counted,
    extensions: Extensions,
}

impl Call {
    fn new(socket: &Socket, body: Bytes) -> Self {
        Self {
            state: Arc::clone(&socket.state),
            body,
            counted: socket.counted,
            extensions: socket.extensions.clone(),
        }
    }

    /// Returns the answer; `None` for a notification.
    async fn answer(&self) -> Option<Bytes> {
        let counted = self.state.count_items(&self.body, self.counted, 0);
        let answering = async {
            match counted {
                Ok(()) => {
                    let (body, extensions) = (self.body.clone(), self.extensions.clone());
                    self.state.plain.call_line(body, extensions).await
                }
                Err(refusal) => body_of(*refusal).await,
            }
        };
        match AssertUnwindSafe(answering).catch_unwind().await {
            Ok(answer) => answer,
            Err(_) => body_of(pipeline::broken()).await,
        }
    }
}

/// Answers a message and queues the answer. The queue cannot be full, since it is longer than the
/// number of slots.
async fn answer(call: Call, slot: OwnedSemaphorePermit, queue: mpsc::Sender<Outgoing>) {
    let Some(answer) = call.answer().await else {
        return;
    };
    let bytes = answer.len() as u64;
    let (answer, waiting) = match call.state.answers.reserve_queued(bytes, call.counted) {
        Some(waiting) => (Some(answer), waiting),
        None => (
            body_of(response_budget::busy(&call.state)).await,
            Waiting::default(),
        ),
    };
    let text = answer.and_then(|answer| String::from_utf8(answer.into()).ok());
    if let Some(text) = text {
        queue.try_send(Outgoing::Answer(text, (waiting, slot))).ok();
    }
}
