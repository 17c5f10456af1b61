//! The id of a request. It appears in the request's log lines, errors and response, so that these can
//! be matched.
//!
//! It is stored in the task that serves the request. A library that runs handlers on its own tasks
//! loses it, so the handler enters [`scope`] again.

use std::{
    fmt,
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::task::futures::TaskLocalFuture;
use uuid::Uuid;

/// The header that carries it, in requests and in responses.
pub const HEADER: &str = "x-request-id";

const MAX_CHARS: usize = 64;
/// Crockford's base32, without letters that are easily confused.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const FRESH_CHARS: usize = 12;

tokio::task_local! {
    static CURRENT: RequestId;
}

/// The id of a request: 1–64 of `A-Z a-z 0-9 . _ -`; if traces are sent, also its trace context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId {
    id: Arc<str>,
    trace_parent: Option<Arc<str>>,
}

impl RequestId {
    /// Creates an id that no other request of this process has, such as `req_0k3v9mzq1x7c`.
    pub fn fresh() -> Self {
        static NEXT: LazyLock<AtomicU64> =
            LazyLock::new(|| AtomicU64::new(Uuid::new_v4().as_u64_pair().0));
        let mut bits = scatter(NEXT.fetch_add(1, Ordering::Relaxed));
        let mut text = String::with_capacity(4 + FRESH_CHARS);
        text.push_str("req_");
        for _ in 0..FRESH_CHARS {
            let digit = ALPHABET.get((bits >> 59) as usize).copied();
            text.push(char::from(digit.expect("five bits are less than 32")));
            bits <<= 5;
        }
        Self::of(&text)
    }

    /// Parses an id from a client; `None` unless it has 1–64 of the allowed characters.
    pub fn parse(text: &str) -> Option<Self> {
        let is_allowed = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'_' | b'-');
        let is_valid = (1..=MAX_CHARS).contains(&text.len()) && text.bytes().all(is_allowed);
        is_valid.then(|| Self::of(text))
    }

    fn of(id: &str) -> Self {
        Self {
            id: id.into(),
            trace_parent: None,
        }
    }

    /// Adds the request's trace context, as a `traceparent`. Source: W3C Trace Context.
    pub fn in_trace(mut self, trace_parent: &str) -> Self {
        self.trace_parent = Some(trace_parent.into());
        self
    }

    /// Returns the request's trace context.
    pub fn trace_parent(&self) -> Option<&str> {
        self.trace_parent.as_deref()
    }

    /// Returns the id as text.
    pub fn as_str(&self) -> &str {
        &self.id
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id)
    }
}

/// Returns the id that is attached to a request, else that of this task, else a new one.
pub fn of(request: &http::Extensions) -> RequestId {
    let attached = request.get::<RequestId>().cloned();
    attached.or_else(current).unwrap_or_else(RequestId::fresh)
}

/// Runs a future in which [`current`] returns this id.
// Not an `async fn`: its future would have room for `future` twice, as an argument and as what it awaits.
pub fn scope<F: Future>(id: RequestId, future: F) -> TaskLocalFuture<RequestId, F> {
    CURRENT.scope(id, future)
}

/// Returns the id of the request that this task serves.
pub fn current() -> Option<RequestId> {
    CURRENT.try_with(Clone::clone).ok()
}

/// Maps consecutive numbers to scattered ones, one to one over all 64 bits.
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
fn scatter(number: u64) -> u64 {
    let mut bits = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests;
