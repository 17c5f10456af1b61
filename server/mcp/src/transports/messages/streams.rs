//! Answers that go on for a while: what they hold lasts as long, and no event stream outlives the key
//! that opened it.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, header},
    response::Response,
};
use futures::future::BoxFuture;
use hyper::body::{Body as HttpBody, Frame, SizeHint};

use crate::transports::guard::{Admission, room::Place};

/// Whether an answer is an event stream.
pub(crate) fn is_stream(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

/// Bounds an answer that is a stream, and keeps its place, if it needs one, for as long. Other
/// answers pass as they are.
pub(crate) fn bounded(response: Response, place: Option<Place>, admission: Admission) -> Response {
    if !is_stream(response.headers()) {
        return response;
    }
    response.map(|body| {
        Body::new(Bounded {
            body,
            ended: Box::pin(async move { admission.ended().await }),
            _place: place,
        })
    })
}

/// Keeps something for as long as an answer that is a stream goes on.
pub(crate) fn holding<T: Send + Unpin + 'static>(response: Response, held: T) -> Response {
    if is_stream(response.headers()) {
        until_sent(response, held)
    } else {
        response
    }
}

/// Keeps something until an answer is sent, or given up.
pub(crate) fn until_sent<T: Send + Unpin + 'static>(response: Response, held: T) -> Response {
    response.map(|body| Body::new(Holding { body, _held: held }))
}

/// A body that keeps something for as long as it is there.
struct Holding<T> {
    body: Body,
    _held: T,
}

impl<T: Unpin> HttpBody for Holding<T> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A body that ends when the right to it does.
struct Bounded {
    body: Body,
    ended: BoxFuture<'static, ()>,
    _place: Option<Place>,
}

impl HttpBody for Bounded {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.ended.as_mut().poll(context).is_ready() {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.body).poll_frame(context)
    }
}
