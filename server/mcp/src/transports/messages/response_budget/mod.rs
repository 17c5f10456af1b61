//! Room for large answers: what is written but not read yet is bounded over all connections, and shared
//! out by caller.

use axum::{extract::Request, http::StatusCode, response::Response};
use hyper::body::Body as _;
use recall_kit_shared_types::RpcError;

use super::streams;
use crate::transports::{
    Faces,
    guard::{
        rate::Counted,
        refusal::refuse,
        room::{Place, Room},
    },
};

/// Answers up to this size need no room.
const SMALL: u64 = 256 * 1024;
/// The same for answers that are queued for a WebSocket, where several may wait on one connection.
const SMALL_QUEUED: u64 = 16 * 1024;
/// The bytes of large answers that may wait to be read.
pub(crate) const ROOM: u32 = 512 * 1024 * 1024;
/// What room is counted in, in bytes.
const UNIT: u64 = 1024;

/// The room for large answers. A caller gets at most half of what the others leave, so that a slow
/// reader does not keep others from getting large answers.
#[derive(Clone, Default)]
pub(crate) struct ResponseBudget(Room);

/// The room that one answer takes, until it is sent.
#[derive(Default)]
pub(crate) struct Waiting {
    _place: Option<Place>,
}

impl ResponseBudget {
    /// Takes room for an answer of so many bytes; `None` when there is not enough for this caller.
    pub(crate) fn take(&self, bytes: u64, caller: Counted) -> Option<Waiting> {
        self.take_beyond(SMALL, bytes, caller)
    }

    /// Takes room as [`Self::take`] does, for an answer that is queued for a WebSocket.
    pub(crate) fn take_queued(&self, bytes: u64, caller: Counted) -> Option<Waiting> {
        self.take_beyond(SMALL_QUEUED, bytes, caller)
    }

    fn take_beyond(&self, small: u64, bytes: u64, caller: Counted) -> Option<Waiting> {
        if bytes <= small {
            return Some(Waiting::default());
        }
        let room = usize::try_from(u64::from(ROOM) / UNIT).ok()?;
        let units = usize::try_from(bytes.div_ceil(UNIT)).ok()?;
        let place = self.0.take(caller, units, |taken| {
            let left = room.saturating_sub(taken.all - taken.own);
            taken.own.saturating_add(units) <= left / 2
        });
        Some(Waiting {
            _place: Some(place?),
        })
    }
}

/// Returns whose share of the room the answer to a request takes.
pub(crate) fn caller(request: &Request) -> Counted {
    let counted = request.extensions().get::<Counted>();
    counted.copied().unwrap_or_else(Counted::nobody)
}

/// Sends a large answer only if there is room for it; refuses with 503 otherwise.
pub(crate) fn bound(faces: &Faces, response: Response, caller: Counted) -> Response {
    let bytes = response.body().size_hint().exact().unwrap_or_default();
    match faces.answers.take(bytes, caller) {
        None => busy(faces),
        Some(Waiting { _place: None }) => response,
        Some(waiting) => streams::until_sent(response, waiting),
    }
}

/// 503: too much is waiting to be read.
pub(crate) fn busy(faces: &Faces) -> Response {
    faces.app.metrics.refused("answer_room");
    refuse(
        StatusCode::SERVICE_UNAVAILABLE,
        RpcError::TooManyRequests,
        "too many large answers are waiting to be read; ask for less at once, or try again later",
    )
}

#[cfg(test)]
mod tests;
