//! The contract's ranking: `0.6·relevance + 0.3·popularity + 0.1·recency`.
//!
//! Source: seeds contract, "Sorting Algorithm"; the normalisations, which it leaves open, are ours.
//! Only records that passed the relevance floor come here, so popularity orders answers among
//! themselves and never lifts a stranger above them.

use uuid::Uuid;

/// Queries after which popularity counts in full.
const FULL_POPULARITY: f64 = 1_000.0;
/// Days after which recency has halved.
const RECENCY_HALF_LIFE_DAYS: f64 = 180.0;
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
    0.6 * f64::from(candidate.relevance)
        + 0.3 * popularity(candidate.query_count)
        + 0.1 * recency(candidate.created_at, now)
}

/// Orders candidates by final score, ties by id, and returns the asked page.
pub(super) fn page(
    candidates: &[Candidate],
    now: i64,
    offset: usize,
    limit: usize,
) -> Vec<Candidate> {
    let mut scored: Vec<(f64, &Candidate)> = candidates
        .iter()
        .map(|candidate| (final_score(candidate, now), candidate))
        .collect();
    let better = |(a, x): &(f64, &Candidate), (b, y): &(f64, &Candidate)| {
        b.total_cmp(a).then_with(|| x.id.cmp(&y.id))
    };
    let end = offset.saturating_add(limit);
    if end < scored.len() {
        // What comes after the page need not be in order.
        scored.select_nth_unstable_by(end, better);
        scored.truncate(end);
    }
    scored.sort_unstable_by(better);
    let page = scored.into_iter().skip(offset);
    page.map(|(_, candidate)| *candidate).collect()
}

/// `min(1, ln(1 + n) / ln(1001))`.
fn popularity(query_count: u64) -> f64 {
    ((1.0 + query_count as f64).ln() / (1.0 + FULL_POPULARITY).ln()).min(1.0)
}

/// `0.5^(age / 180 days)`; a record from the future counts as new.
fn recency(created_at: i64, now: i64) -> f64 {
    let days = now.saturating_sub(created_at).max(0) as f64 / SECONDS_PER_DAY;
    0.5_f64.powf(days / RECENCY_HALF_LIFE_DAYS)
}

#[cfg(test)]
mod tests;
