//! Request bodies that were not read to the end, such as that of a refused request.
//!
//! If a connection is closed while its client still sends, the connection is reset and the client may
//! see the reset instead of the answer. So the rest of a body is read and discarded, up to a limit of
//! bytes and time.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::body::Bytes;
use http_body_util::{BodyExt as _, Limited};
use hyper::body::{Body, Frame, Incoming, SizeHint};

/// How much of a body is read after its request was answered, in bytes.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// For how long it is read.
const MAX_TIME: Duration = Duration::from_secs(2);

/// A request's body. When it is dropped, the rest of it is read in the background.
pub(super) struct Lingering {
    rest: Option<Incoming>,
}

impl Lingering {
    pub(super) fn new(body: Incoming) -> Self {
        Self { rest: Some(body) }
    }
}

impl Body for Lingering {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let Some(body) = &mut self.rest else {
            return Poll::Ready(None);
        };
        let polled = Pin::new(body).poll_frame(context);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.rest = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.rest.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let rest = self.rest.as_ref().map(Body::size_hint);
        rest.unwrap_or_else(|| SizeHint::with_exact(0))
    }
}

impl Drop for Lingering {
    fn drop(&mut self) {
        let Some(rest) = self.rest.take().filter(|body| !body.is_end_stream()) else {
            return;
        };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(tokio::time::timeout(MAX_TIME, discard(rest)));
        }
    }
}

async fn discard(body: Incoming) {
    let mut body = Limited::new(body, MAX_BYTES);
    while let Some(Ok(_)) = body.frame().await {}
}
