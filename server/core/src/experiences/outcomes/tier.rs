//! How far a principal is trusted when it reports an outcome. The tier is stored with the outcome, so that the standing
//! follows from the outcomes alone.

use jiff::ToSpan as _;
use uuid::Uuid;

use super::Outcomes;
use crate::{access::Caller, error::ServiceError};

/// The principal of the person at the machine.
pub(super) const LOCAL: &str = "local";
/// Of users, of trusted and of known keys, and of the person at the machine.
const FULL: f64 = 1.0;
/// Of new keys.
const NEW: f64 = 0.1;
/// Of callers without a key, and of the author.
const NONE: f64 = 0.0;
/// The age in days from which a key can be known.
const KNOWN_DAYS: i64 = 14;
/// The experiences on which a known key has agreed with others.
const AGREED: u64 = 3;
/// The last experiences on which a key reported that are looked at.
const LOOKED_AT: u32 = 50;

/// Returns the tier of a caller's report on an experience, 0–1.
///
/// On one's own machine one's own experience counts, too. Elsewhere an author does not count.
pub(super) async fn tier(
    outcomes: &Outcomes,
    caller: &Caller,
    (principal, experience): (&str, Uuid),
) -> Result<f64, ServiceError> {
    if principal == LOCAL {
        return Ok(FULL);
    }
    let store = outcomes.store.as_ref();
    let Some(identity) = caller.user.or(caller.key) else {
        return Ok(NONE);
    };
    if store.author_of(experience).await? == Some(identity) {
        return Ok(NONE);
    }
    if caller.user.is_some() {
        return Ok(FULL);
    }
    let Some(key) = store.api_key(identity).await? else {
        return Ok(NEW);
    };
    if key.is_trusted {
        return Ok(FULL);
    }
    let known_since = key.created_at.checked_add((24 * KNOWN_DAYS).hours());
    let is_old = known_since.is_ok_and(|since| since <= outcomes.clock.now());
    let is_known = is_old && store.agreed_outcomes(principal, LOOKED_AT).await? >= AGREED;
    Ok(if is_known { FULL } else { NEW })
}
