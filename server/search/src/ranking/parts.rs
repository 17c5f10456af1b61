//! The parts that a hit's rank consists of, for people to read.
//!
//! They are computed after the search and only on request, because the search itself does not use them.

use super::fuse::Shares;
use crate::ranking::formula::{Candidate, Contributions};

/// What a hit's relevance consists of, and what else decides its place.
///
/// `lexical`, `semantic` and `fingerprint` add up to the relevance. Hits are sorted by `rank`, which is the
/// contract's sum `0.6 · relevance + 0.3 · popularity + 0.1 · recency`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parts {
    /// 0–1: the contribution of the words in common.
    pub lexical: f32,
    /// 0–1: the contribution of similar meaning, according to the embedding model.
    pub semantic: f32,
    /// 0–1: the contribution of the same error message.
    pub fingerprint: f32,
    /// 0–1: the contribution of popularity, which is how many callers were shown or opened the record, on a
    /// logarithmic scale. For the first record it is the relevance times that, for others less.
    pub popularity: f32,
    /// 0–1: the contribution of recency, which is 1 for a record of today and halves every 180 days. For the
    /// first record it is the relevance times that, for others less.
    pub recency: f32,
    /// 0–1: the contract's final score.
    pub rank: f32,
}

impl Parts {
    /// Computes the parts of a candidate from the shares of its signals, at a time in seconds since 1970.
    pub(crate) fn of(candidate: &Candidate, shares: &Shares, now: i64) -> Self {
        let relevance = candidate.relevance;
        let contributions = Contributions::of(candidate, now);
        Self {
            lexical: relevance * shares.lexical,
            semantic: relevance * shares.semantic,
            fingerprint: relevance * shares.fingerprint,
            popularity: contributions.popularity as f32,
            recency: contributions.recency as f32,
            rank: contributions.rank as f32,
        }
    }
}
