//! The values that all parts of the knowledge base create or show: ids, scores and times.

use jiff::Timestamp;
use ulid::Ulid;

use crate::error::ServiceError;

const SECONDS_PER_DAY: f64 = 86_400.0;

/// Creates an id for something that is created at a time.
///
/// *Errors*: when the system's random source fails.
pub fn new_id(now: Timestamp) -> Result<Ulid, ServiceError> {
    let mut random = [0; 16];
    getrandom::fill(&mut random)
        .map_err(|_| ServiceError::Broken("the system's random numbers"))?;
    let milliseconds = u64::try_from(now.as_millisecond()).unwrap_or(0);
    Ok(Ulid::from_parts(milliseconds, u128::from_le_bytes(random)))
}

/// Rounds a score to two digits.
pub(super) fn rounded(score: f64) -> f64 {
    (score * 100.0).round() / 100.0
}

/// Returns the days that have passed; 0 for a time in the future.
pub(super) fn days_between(last: Timestamp, now: Timestamp) -> f64 {
    now.duration_since(last).as_secs_f64().max(0.0) / SECONDS_PER_DAY
}

/// Returns how well an entry is remembered, 0–1: by how often it was shown and how long ago.
pub(super) fn consolidation_score(access_count: u64, last: Timestamp, now: Timestamp) -> f64 {
    let days = days_between(last, now);
    let frequency = ((access_count as f64 + 1.0).ln() / 5.0).min(1.0);
    rounded(0.6 * frequency + 0.4 * (-days / 30.0).exp())
}

/// Formats a time as responses show it: to the second.
pub(super) fn shown_time(moment: Timestamp) -> String {
    format!("{moment:.0}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_score_falls_with_time_and_rises_with_use() {
        let now: Timestamp = "2026-11-22T00:00:00Z".parse().unwrap();
        let check = |count, days: i64, expected: f64| {
            let last = now - jiff::SignedDuration::from_hours(24 * days);
            assert_eq!(
                consolidation_score(count, last, now),
                expected,
                "{count}, {days}"
            );
        };
        check(0, 0, 0.4);
        check(0, 30, 0.15);
        check(1, 0, 0.48);
        check(147, 0, 1.0);
        check(1_000_000, 0, 1.0);
        check(1_000_000, 10_000, 0.6);
        // A clock that was set back.
        check(0, -5, 0.4);
    }
}
