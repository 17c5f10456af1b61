//! The id of a request: in its log lines, its errors and its answer, so that the three can be
//! brought together.
//!
//! It travels with the task that serves the request. An engine that runs handlers on tasks of its
//! own loses it, so the handler enters [`scope`] again.

use std::{
    fmt,
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU64, Ordering},
    },
};

use uuid::Uuid;

/// The header that carries it, in requests and in answers.
pub const HEADER: &str = "x-request-id";

const MAX_CHARS: usize = 64;
/// Crockford's base32: no letter that looks like another.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const FRESH_CHARS: usize = 12;

tokio::task_local! {
    static CURRENT: RequestId;
}

/// The id of a request: 1–64 of `A-Z a-z 0-9 . _ -`; and where traces are sent, its place in one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId {
    id: Arc<str>,
    trace_parent: Option<Arc<str>>,
}

impl RequestId {
    /// Makes an id that no other request of this process has, such as `req_0k3v9mzq1x7c`.
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

    /// Takes an id that a client gave; `None` unless it is 1–64 of the allowed characters.
    pub fn parse(given: &str) -> Option<Self> {
        let is_allowed = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'_' | b'-');
        let fits = (1..=MAX_CHARS).contains(&given.len()) && given.bytes().all(is_allowed);
        fits.then(|| Self::of(given))
    }

    fn of(id: &str) -> Self {
        Self {
            id: id.into(),
            trace_parent: None,
        }
    }

    /// Says where in a trace the request is, as a `traceparent`. Source: W3C Trace Context.
    pub fn in_trace(mut self, trace_parent: &str) -> Self {
        self.trace_parent = Some(trace_parent.into());
        self
    }

    /// Returns where in a trace the request is.
    pub fn trace_parent(&self) -> Option<&str> {
        self.trace_parent.as_deref()
    }

    /// Returns the id as it is written.
    pub fn as_str(&self) -> &str {
        &self.id
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id)
    }
}

/// Returns the id that came with a request, else that of this task, else a fresh one.
pub fn of(request: &http::Extensions) -> RequestId {
    let given = request.get::<RequestId>().cloned();
    given.or_else(current).unwrap_or_else(RequestId::fresh)
}

/// Runs a future that knows its request's id.
pub async fn scope<F: Future>(id: RequestId, future: F) -> F::Output {
    CURRENT.scope(id, future).await
}

/// Returns the id of the request that this task serves.
pub fn current() -> Option<RequestId> {
    CURRENT.try_with(Clone::clone).ok()
}

/// Spreads neighbouring numbers over all 64 bits, one to one.
/// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
fn scatter(number: u64) -> u64 {
    let mut bits = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests;
