//! The contract's ranking: `0.6·relevance + 0.3·popularity + 0.1·recency`.
//!
//! Source: seeds contract, "Sorting Algorithm"; the normalisations, which it leaves open, are ours.
//! Popularity and recency are normalised to the record's own relevance: among answers that are as
//! good the popular and the new come first, and what is asked for often for another reason never
//! comes before the answer.

use std::sync::LazyLock;

use uuid::Uuid;

/// Queries after which popularity counts in full.
const FULL_POPULARITY: usize = 1_000;
/// Days after which recency has halved.
const RECENCY_HALF_LIFE_DAYS: f64 = 180.0;
/// Candidates that are put in order at once, at least.
const ROOM: usize = 32;
const SECONDS_PER_DAY: f64 = 86_400.0;

/// A record that matches a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    pub(super) id: Uuid,
    pub(super) seq: u64,
    /// 0–1.
    pub(super) relevance: f32,
    pub(super) query_count: u64,
    /// Seconds since 1970.
    pub(super) created_at: i64,
}

/// Returns the contract's final score of a candidate at a moment in seconds since 1970, 0–1.
pub(super) fn final_score(candidate: &Candidate, now: i64) -> f64 {
    let recency = recency(candidate.created_at, now);
    timeless_score(candidate) + 0.1 * recency * f64::from(candidate.relevance)
}

/// The final score of a candidate that is infinitely old.
fn timeless_score(candidate: &Candidate) -> f64 {
    (0.6 + 0.3 * popularity(candidate.query_count)) * f64::from(candidate.relevance)
}

/// Orders candidates by final score, ties by id, and returns the asked page.
pub(super) fn page(
    candidates: impl Iterator<Item = Candidate>,
    now: i64,
    offset: usize,
    limit: usize,
) -> Vec<Candidate> {
    let end = offset.saturating_add(limit);
    let mut best = Vec::new();
    // What the last of the best has, once there are enough.
    let mut least = f64::MIN;
    for candidate in candidates {
        // Few need the power that recency takes.
        if timeless_score(&candidate) + 0.1 * f64::from(candidate.relevance) < least {
            continue;
        }
        let score = final_score(&candidate, now);
        if score >= least {
            best.push((score, candidate));
        }
        if best.len() >= end.saturating_mul(2).max(ROOM) {
            keep_best(&mut best, end);
            least = best.last().map_or(least, |(score, _)| *score);
        }
    }
    keep_best(&mut best, end);
    let page = best.into_iter().skip(offset);
    page.map(|(_, candidate)| candidate).collect()
}

/// Brings the best into order and drops the rest.
fn keep_best(scored: &mut Vec<(f64, Candidate)>, count: usize) {
    let better = |(a, x): &(f64, Candidate), (b, y): &(f64, Candidate)| {
        b.total_cmp(a).then_with(|| x.id.cmp(&y.id))
    };
    if count < scored.len() {
        // What comes after them need not be in order.
        scored.select_nth_unstable_by(count, better);
        scored.truncate(count);
    }
    scored.sort_unstable_by(better);
}

/// `min(1, ln(1 + n) / ln(1001))`.
pub(super) fn popularity(query_count: u64) -> f64 {
    static BY_COUNT: LazyLock<[f64; FULL_POPULARITY]> = LazyLock::new(|| {
        std::array::from_fn(|count| (1.0 + count as f64).ln() / (1.0 + FULL_POPULARITY as f64).ln())
    });
    let count = usize::try_from(query_count).unwrap_or(usize::MAX);
    BY_COUNT.get(count).copied().unwrap_or(1.0)
}

/// `0.5^(age / 180 days)`; a record from the future counts as new.
pub(super) fn recency(created_at: i64, now: i64) -> f64 {
    let days = now.saturating_sub(created_at).max(0) as f64 / SECONDS_PER_DAY;
    (-days / RECENCY_HALF_LIFE_DAYS).exp2()
}

#[cfg(test)]
mod tests;
