//! Room for large answers: what is written but not read yet is bounded over all connections.

use std::sync::Arc;

use axum::{http::StatusCode, response::Response};
use hyper::body::Body as _;
use recall_kit_shared_types::RpcError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{Faces, guard::refusal::refuse, streams};

/// Answers up to this size need no room.
const SMALL: u64 = 256 * 1024;
/// The bytes of large answers that may wait to be read; the largest single one fits.
pub(super) const ROOM: u32 = 512 * 1024 * 1024;
/// What room is counted in, in bytes.
const UNIT: u64 = 1024;

/// The room that is left.
#[derive(Clone)]
pub(super) struct Answers(Arc<Semaphore>);

/// The room that one answer takes, until it is sent.
pub(super) struct Waiting {
    _permit: Option<OwnedSemaphorePermit>,
}

impl Default for Answers {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(units(u64::from(ROOM)) as usize)))
    }
}

fn units(bytes: u64) -> u32 {
    let units = bytes.min(u64::from(ROOM)).div_ceil(UNIT);
    u32::try_from(units).expect("the room is counted in fewer units")
}

impl Answers {
    /// Takes room for an answer of so many bytes; `None` when there is not enough.
    pub(super) fn take(&self, bytes: u64) -> Option<Waiting> {
        let permit = match bytes {
            ..=SMALL => None,
            _ => Some(
                Arc::clone(&self.0)
                    .try_acquire_many_owned(units(bytes))
                    .ok()?,
            ),
        };
        Some(Waiting { _permit: permit })
    }
}

/// Sends a large answer only if there is room for it; refuses with 503 otherwise.
pub(super) fn bound(faces: &Faces, response: Response) -> Response {
    let bytes = response.body().size_hint().exact().unwrap_or_default();
    match faces.answers.take(bytes) {
        None => busy(faces),
        Some(Waiting { _permit: None }) => response,
        Some(waiting) => streams::until_sent(response, waiting),
    }
}

/// 503: too much is waiting to be read.
pub(super) fn busy(faces: &Faces) -> Response {
    faces.app.metrics.refused("answer_room");
    refuse(
        StatusCode::SERVICE_UNAVAILABLE,
        RpcError::TooManyRequests,
        "too many large answers are waiting to be read; ask for less at once, or try again later",
    )
}
