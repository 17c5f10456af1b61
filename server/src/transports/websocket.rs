//! JSON-RPC over WebSocket: each message is answered like a body of the plain face.

use std::{error::Error as _, sync::Arc, time::Duration};

use axum::{
    body::Bytes,
    extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code},
    http::Extensions,
    response::Response,
};
use futures::{SinkExt as _, StreamExt as _, stream::FuturesUnordered};
use tokio::time::Instant;

use super::{
    Faces,
    answers::{self, Waiting},
    guard::{Admission, rate::Counted, room::Place},
    json_rpc::body_of,
    listener::OpenConnection,
};

/// How often a quiet peer is pinged: one that is gone without a word is noticed when nothing gets
/// through to it any more.
const PING: Duration = Duration::from_secs(30);
/// Messages of one socket that are answered at once.
const CONCURRENT: usize = 16;

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

/// Answers messages until the peer, the server or the key says that it is enough.
async fn serve(stream: WebSocket, socket: &Socket) {
    let (mut sink, mut messages) = stream.split();
    let mut answering = FuturesUnordered::new();
    let ended = socket.admission.ended();
    tokio::pin!(ended);
    let mut ping = tokio::time::interval_at(Instant::now() + PING, PING);
    let farewell = loop {
        tokio::select! {
            message = messages.next(), if answering.len() < CONCURRENT => {
                let body = match message {
                    Some(Ok(Message::Text(text))) => Bytes::from(text),
                    Some(Ok(Message::Binary(bytes))) => bytes,
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                    Some(Ok(Message::Close(_))) | None => break None,
                    Some(Err(error)) => break Some(unreadable(&error)),
                };
                if !socket.admission.still_stands().await {
                    return close(&mut sink, revoked()).await;
                }
                answering.push(answer(&socket.faces, body, socket.counted, &socket.extensions));
            }
            Some(answer) = answering.next(), if !answering.is_empty() => {
                if let Some((text, _waiting)) = answer && sink.send(Message::text(text)).await.is_err() {
                    return;
                }
            }
            _ = ping.tick() => {
                if sink.send(Message::Ping(Bytes::new())).await.is_err() {
                    return;
                }
            }
            () = &mut ended => return close(&mut sink, revoked()).await,
            () = socket.faces.stop.cancelled() => {
                break Some(farewell(close_code::AWAY, "the server stops"));
            }
        }
    };
    // What was asked is answered, also to a peer that has said its last.
    while let Some(answer) = answering.next().await {
        if let Some((text, _waiting)) = answer
            && sink.send(Message::text(text)).await.is_err()
        {
            return;
        }
    }
    match farewell {
        Some(farewell) => close(&mut sink, farewell).await,
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

/// Tells a peer why nothing more of it is read.
fn unreadable(error: &axum::Error) -> CloseFrame {
    let cause = error
        .source()
        .and_then(|cause| cause.downcast_ref::<tungstenite::Error>());
    match cause {
        Some(tungstenite::Error::Capacity(_)) => farewell(
            close_code::SIZE,
            "the message is larger than the limit of a request body",
        ),
        _ => farewell(close_code::PROTOCOL, "the message could not be read"),
    }
}

/// Answers one message, and takes room for the answer until it is sent; `None` for a notification.
async fn answer(
    faces: &Faces,
    body: Bytes,
    counted: Counted,
    extensions: &Extensions,
) -> Option<(String, Option<Waiting>)> {
    let answer = match faces.count_items(&body, counted, 0) {
        Ok(()) => faces.plain.call_line(body, extensions.clone()).await?,
        Err(refusal) => body_of(*refusal).await?,
    };
    let waiting = faces.answers.take(answer.len() as u64);
    let answer = match &waiting {
        Some(_) => answer,
        None => body_of(answers::busy(faces)).await?,
    };
    Some((String::from_utf8(answer.into()).ok()?, waiting))
}

async fn close(sink: &mut (impl futures::Sink<Message> + Unpin), farewell: CloseFrame) {
    sink.send(Message::Close(Some(farewell))).await.ok();
}
