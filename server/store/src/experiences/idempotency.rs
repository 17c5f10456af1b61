//! Idempotency keys: which submits are the same one, and how long that is known.
//!
//! A clock that is wrong for a while must not make a database forget its keys. So a key is never
//! forgotten for its age alone: the newest [`KEPT_KEYS`] stay whatever the clock says. Each submit
//! with a key removes at most [`FORGOTTEN_AT_ONCE`] others that are past their lifetime, which
//! keeps the table bounded.

use std::time::Duration;

use jiff::Timestamp;
use uuid::Uuid;

/// How long a stored idempotency key protects against storing twice, at least.
pub const IDEMPOTENCY_KEY_LIFETIME: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Keys of each family that are kept however old they are.
pub(crate) const KEPT_KEYS: u32 = 1_000;
/// Keys past their lifetime that a submit with a key removes at most, the oldest first.
pub(crate) const FORGOTTEN_AT_ONCE: u32 = 2;

/// Stands between a caller and its key; no client can send it in a key.
const SEPARATOR: char = '\u{1f}';

/// What makes a repeated submission recognisable.
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
    /// only if the content is the same, too.
    pub(crate) fn unscoped(&self) -> Option<&str> {
        self.key.split_once(SEPARATOR).map(|(_, key)| key)
    }
}

/// Returns the moment before which a key is past its lifetime, in microseconds.
pub(crate) fn expired_before(now: Timestamp) -> i64 {
    let lifetime = i64::try_from(IDEMPOTENCY_KEY_LIFETIME.as_micros()).unwrap_or(i64::MAX);
    now.as_microsecond().saturating_sub(lifetime)
}
