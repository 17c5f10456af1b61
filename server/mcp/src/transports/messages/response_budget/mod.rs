//! The budget for large answers: the bytes that wait to be read by clients are limited over all
//! connections, and for each caller.

use axum::{extract::Request, http::StatusCode, response::Response};
use hyper::body::Body as _;
use recall_kit_shared_types::RpcError;

use super::streams;
use crate::transports::{
    HttpState,
    guard::{
        rate::Counted,
        refusal::refuse,
        room::{Capacity, Reservation},
    },
};

/// Answers up to this size in bytes do not count against the budget.
const SMALL: u64 = 256 * 1024;
/// The same for answers that are queued for a WebSocket, where several may wait on one connection.
const SMALL_QUEUED: u64 = 16 * 1024;
/// The bytes of large answers that may wait to be read.
pub(crate) const MAX_WAITING_BYTES: u32 = 512 * 1024 * 1024;
/// The unit in which the budget is counted, in bytes.
const UNIT: u64 = 1024;

/// The budget for large answers. A caller may use at most half of what the other callers leave, so that
/// a slow reader does not keep others from getting large answers.
#[derive(Clone, Default)]
pub(crate) struct ResponseBudget(Capacity);

/// The share of the budget that one answer uses until it is sent; none for a small answer.
#[derive(Default)]
pub(crate) struct Waiting {
    _reservation: Option<Reservation>,
}

impl ResponseBudget {
    /// Reserves so many bytes for an answer; `None` when not enough is left for this caller.
    pub(crate) fn reserve(&self, bytes: u64, caller: Counted) -> Option<Waiting> {
        self.reserve_above(SMALL, bytes, caller)
    }

    /// Reserves like [`Self::reserve`], for an answer that is queued for a WebSocket.
    pub(crate) fn reserve_queued(&self, bytes: u64, caller: Counted) -> Option<Waiting> {
        self.reserve_above(SMALL_QUEUED, bytes, caller)
    }

    fn reserve_above(&self, small: u64, bytes: u64, caller: Counted) -> Option<Waiting> {
        if bytes <= small {
            return Some(Waiting::default());
        }
        let budget = usize::try_from(u64::from(MAX_WAITING_BYTES) / UNIT).ok()?;
        let units = usize::try_from(bytes.div_ceil(UNIT)).ok()?;
        let reservation = self.0.reserve_if(caller, units, |used| {
            let left = budget.saturating_sub(used.total - used.own);
            used.own.saturating_add(units) <= left / 2
        });
        Some(Waiting {
            _reservation: Some(reservation?),
        })
    }
}

/// Returns the caller whose share of the budget the answer to a request uses.
pub(crate) fn caller(request: &Request) -> Counted {
    let counted = request.extensions().get::<Counted>();
    counted.copied().unwrap_or_else(Counted::unknown)
}

/// Returns the response if it is within the budget; a refusal with 503 otherwise.
pub(crate) fn bound(state: &HttpState, response: Response, caller: Counted) -> Response {
    let bytes = response.body().size_hint().exact().unwrap_or_default();
    match state.answers.reserve(bytes, caller) {
        None => busy(state),
        Some(Waiting { _reservation: None }) => response,
        Some(waiting) => streams::keep_until_sent(response, waiting),
    }
}

/// Refuses an answer with 503, since too many bytes are waiting to be read.
pub(crate) fn busy(state: &HttpState) -> Response {
    state.app.metrics.refused("answer_room");
    refuse(
        StatusCode::SERVICE_UNAVAILABLE,
        RpcError::TooManyRequests,
        "too many large answers are waiting to be read; ask for less at once, or try again later",
    )
}

#[cfg(test)]
mod tests;
