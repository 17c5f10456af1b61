//! Idempotency keys: how repeated submissions are recognised, and for how long.
//!
//! A clock that is wrong for a while must not make a database lose its keys. So a key is never
//! removed for its age alone: the newest [`KEPT_KEYS`] stay whatever the clock says. Each submission
//! with a key removes at most [`REMOVED_PER_SUBMIT`] other keys that are past their lifetime, which
//! keeps the table bounded.

use std::time::Duration;

use jiff::Timestamp;
use uuid::Uuid;

/// The minimum time for which a stored idempotency key protects against storing a record twice.
pub const IDEMPOTENCY_KEY_LIFETIME: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Number of the newest keys of each family that are kept regardless of their age.
pub(crate) const KEPT_KEYS: u32 = 1_000;
/// Maximum number of keys past their lifetime that a submission with a key removes, the oldest first.
pub(crate) const REMOVED_PER_SUBMIT: u32 = 2;

/// Separates the caller from its key; no client can send this character in a key.
const SEPARATOR: char = '\u{1f}';

/// The key and the content hash by which a repeated submission is recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    /// The client's key, see [`IdempotencyKey::scoped`].
    pub key: String,
    /// SHA-256 of the submitted content.
    pub fingerprint: [u8; 32],
}

impl IdempotencyKey {
    /// Scopes a client's key to its caller. Without a caller the key stays as it is.
    pub fn scoped(caller: Option<Uuid>, key: String) -> String {
        match caller {
            Some(caller) => format!("{caller}{SEPARATOR}{key}"),
            None => key,
        }
    }

    /// Returns the client's key without its caller, as earlier versions stored it. A match counts
    /// only if the content is also the same.
    pub(crate) fn unscoped(&self) -> Option<&str> {
        self.key.split_once(SEPARATOR).map(|(_, key)| key)
    }
}

/// Returns the time before which a key is past its lifetime, in microseconds since 1970.
pub(crate) fn expired_before(now: Timestamp) -> i64 {
    let lifetime = i64::try_from(IDEMPOTENCY_KEY_LIFETIME.as_micros()).unwrap_or(i64::MAX);
    now.as_microsecond().saturating_sub(lifetime)
}
