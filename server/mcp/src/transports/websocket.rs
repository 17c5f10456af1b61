//! JSON-RPC over WebSocket: each message is answered like a body of the plain face.
//!
//! Each call runs as a task of its own and puts its answer into a queue; the socket only reads
//! messages and sends what is queued. So a peer that does not read delays nobody but itself: its calls
//! end and free what they hold.

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
    Faces,
    guard::{Admission, rate::Counted, room::Place},
    json_rpc::body_of,
};
use crate::transports::{
    http::{listener::OpenConnection, pipeline},
    messages::response_budget::{self, Waiting},
};

/// How often a quiet peer is pinged: one that is gone without a word is noticed when nothing gets
/// through to it any more.
const PING: Duration = Duration::from_secs(30);
/// Calls of one socket that run or whose answers wait to be sent.
const CONCURRENT: usize = 16;
/// What fits into a socket's queue: every answer, a ping and the farewell.
const QUEUED: usize = CONCURRENT + 2;
/// How long a peer may take to read the farewell when its socket is cut.
const FAREWELL: Duration = Duration::from_secs(1);

/// What one socket is served with.
pub(super) struct Socket {
    pub(super) faces: Arc<Faces>,
    pub(super) admission: Admission,
    pub(super) counted: Counted,
    /// Who opened it, for every message.
    pub(super) extensions: Extensions,
    /// What lasts as long as the socket: its place among the sockets, and the server's wait for it.
    pub(super) held: (Place, Option<OpenConnection>),
}

/// Takes the connection over.
pub(super) fn open(upgrade: WebSocketUpgrade, socket: Socket) -> Response {
    let limit = socket.faces.app.limits().body_bytes as usize;
    upgrade
        .max_message_size(limit)
        .max_frame_size(limit)
        .on_upgrade(move |stream| async move {
            serve(stream, &socket).await;
            drop(socket.held);
        })
}

/// Something to send.
enum Outgoing {
    /// An answer, with its room and its slot until it is sent.
    Answer(String, (Waiting, OwnedSemaphorePermit)),
    Ping,
    /// The last message.
    Farewell(CloseFrame),
}

/// Why a socket is read no further.
enum End {
    /// Every call was answered, and the farewell is queued behind the answers.
    Answered,
    /// The peer is gone, or its key was revoked: what is queued is not sent any more.
    Cut(Option<CloseFrame>),
}

/// Serves a socket until the peer, the server or the key ends it. Calls that still run then are
/// aborted.
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
        End::Cut(farewell) => {
            cut.send(farewell).ok();
            tokio::time::timeout(FAREWELL, sending).await.ok();
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
    let farewell = loop {
        tokio::select! {
            (message, slot) = next_message(&mut messages, &slots) => {
                let body = match message {
                    Some(Ok(Message::Text(text))) => Bytes::from(text),
                    Some(Ok(Message::Binary(bytes))) => bytes,
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                    Some(Ok(Message::Close(_))) | None => return End::Cut(None),
                    Some(Err(error)) => match unreadable(&error) {
                        Some(farewell) => break farewell,
                        None => return End::Cut(None),
                    },
                };
                if !socket.admission.still_stands().await {
                    return End::Cut(Some(revoked()));
                }
                calls.spawn(answer(Call::new(socket, body), slot, queue.clone()));
            }
            Some(_) = calls.join_next() => {}
            // Any queued message is as good as a ping, and pings must not take the answers' room.
            _ = ping.tick() => if queue.capacity() == QUEUED {
                queue.try_send(Outgoing::Ping).ok();
            },
            () = &mut ended => return End::Cut(Some(revoked())),
            () = socket.faces.stop.cancelled() => {
                break farewell(close_code::AWAY, "the server stops");
            }
        }
    };
    loop {
        tokio::select! {
            call = calls.join_next() => if call.is_none() {
                queue.try_send(Outgoing::Farewell(farewell)).ok();
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

/// Sends what is queued until the farewell; `cut` ends it earlier, with a farewell or without.
async fn send_queued(
    mut sink: SplitSink<WebSocket, Message>,
    mut queue: mpsc::Receiver<Outgoing>,
    mut cut: oneshot::Receiver<Option<CloseFrame>>,
) {
    let farewell = loop {
        let outgoing = tokio::select! {
            biased;
            farewell = &mut cut => break farewell.ok().flatten(),
            outgoing = queue.recv() => outgoing,
        };
        let (message, _held) = match outgoing {
            Some(Outgoing::Answer(text, held)) => (Message::text(text), Some(held)),
            Some(Outgoing::Ping) => (Message::Ping(Bytes::new()), None),
            Some(Outgoing::Farewell(farewell)) => break Some(farewell),
            None => break None,
        };
        if sink.send(message).await.is_err() {
            return;
        }
    };
    match farewell {
        Some(farewell) => drop(sink.send(Message::Close(Some(farewell))).await),
        // A peer's farewell is answered.
        None => drop(sink.close().await),
    }
}

fn farewell(code: u16, reason: &'static str) -> CloseFrame {
    CloseFrame {
        code,
        reason: reason.into(),
    }
}

fn revoked() -> CloseFrame {
    farewell(close_code::POLICY, "the API key does not count any more")
}

/// Tells a peer why nothing more of it is read; `None` for a peer that is gone.
fn unreadable(error: &axum::Error) -> Option<CloseFrame> {
    use tungstenite::{Error, error::ProtocolError};
    let cause = error.source().and_then(|cause| cause.downcast_ref());
    match cause {
        Some(Error::Capacity(_)) => Some(farewell(
            close_code::SIZE,
            "the message is larger than the limit of a request body",
        )),
        Some(
            Error::Io(_)
            | Error::ConnectionClosed
            | Error::AlreadyClosed
            | Error::Protocol(ProtocolError::ResetWithoutClosingHandshake),
        ) => None,
        _ => Some(farewell(
            close_code::PROTOCOL,
            "the message could not be read",
        )),
    }
}

/// One message, with what answering it takes.
struct Call {
    faces: Arc<Faces>,
    body: Bytes,
    counted: Counted,
    extensions: Extensions,
}

impl Call {
    fn new(socket: &Socket, body: Bytes) -> Self {
        Self {
            faces: Arc::clone(&socket.faces),
            body,
            counted: socket.counted,
            extensions: socket.extensions.clone(),
        }
    }

    /// Returns the answer; `None` for a notification.
    async fn answer(&self) -> Option<Bytes> {
        let counted = self.faces.count_items(&self.body, self.counted, 0);
        let answering = async {
            match counted {
                Ok(()) => {
                    let (body, extensions) = (self.body.clone(), self.extensions.clone());
                    self.faces.plain.call_line(body, extensions).await
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

/// Answers a message and queues the answer, for which the queue has room: there are no more of them
/// than slots.
async fn answer(call: Call, slot: OwnedSemaphorePermit, queue: mpsc::Sender<Outgoing>) {
    let Some(answer) = call.answer().await else {
        return;
    };
    let bytes = answer.len() as u64;
    let (answer, room) = match call.faces.answers.take_queued(bytes, call.counted) {
        Some(room) => (Some(answer), room),
        None => (
            body_of(response_budget::busy(&call.faces)).await,
            Waiting::default(),
        ),
    };
    let text = answer.and_then(|answer| String::from_utf8(answer.into()).ok());
    if let Some(text) = text {
        queue.try_send(Outgoing::Answer(text, (room, slot))).ok();
    }
}
