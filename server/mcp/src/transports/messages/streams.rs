//! Responses that are sent over time: they keep values until they are sent, and no event stream outlives
//! the API key that opened it.

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

use crate::transports::guard::{Admission, room::Reservation};

/// Whether a response is an event stream.
pub(crate) fn is_stream(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}

/// Ends a response that is an event stream when its API key becomes invalid, and keeps the reservation
/// until the stream ends. Other responses are returned unchanged.
pub(crate) fn bounded(
    response: Response,
    reservation: Option<Reservation>,
    admission: Admission,
) -> Response {
    if !is_stream(response.headers()) {
        return response;
    }
    response.map(|body| {
        Body::new(Bounded {
            body,
            ended: Box::pin(async move { admission.ended().await }),
            _reservation: reservation,
        })
    })
}

/// Keeps a value until a response that is an event stream ends; drops it at once for other responses.
pub(crate) fn keep_while_streaming<T: Send + Unpin + 'static>(
    response: Response,
    value: T,
) -> Response {
    if is_stream(response.headers()) {
        keep_until_sent(response, value)
    } else {
        response
    }
}

/// Keeps a value until a response is sent or abandoned.
pub(crate) fn keep_until_sent<T: Send + Unpin + 'static>(response: Response, value: T) -> Response {
    response.map(|body| {
        Body::new(Keeping {
            body,
            _value: value,
        })
    })
}

/// A body that owns a value, which is dropped with it.
struct Keeping<T> {
    body: Body,
    _value: T,
}

impl<T: Unpin> HttpBody for Keeping<T> {
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

/// A body that ends early when `ended` is ready.
struct Bounded {
    body: Body,
    ended: BoxFuture<'static, ()>,
    _reservation: Option<Reservation>,
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
