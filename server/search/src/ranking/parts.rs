//! What places a hit, in parts that a person can read.
//!
//! Worked out after the search and only where somebody asks: the search itself has no use for it.

use super::fuse::Shares;
use crate::ranking::formula::{Candidate, Lifted};

/// What a hit's relevance is made of, and what else decides its place.
///
/// `lexical`, `semantic` and `fingerprint` add up to the relevance; the order is by `rank`, which is
/// `0.6 · relevance + 0.3 · popularity + 0.1 · recency`, the contract's sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parts {
    /// 0–1: what the words in common bring.
    pub lexical: f32,
    /// 0–1: what being about the same brings, as the model sees it.
    pub semantic: f32,
    /// 0–1: what being the same error message brings.
    pub fingerprint: f32,
    /// 0–1: what its popularity brings, which is how many callers were shown or opened the record, on a
    /// logarithmic scale; the relevance times that for the first record, less for others.
    pub popularity: f32,
    /// 0–1: what its recency brings, which is 1 for a record of today and half as much for every 180
    /// days; likewise.
    pub recency: f32,
    /// 0–1: the contract's final score.
    pub rank: f32,
}

impl Parts {
    /// Tells the parts of a candidate from what its signals bring, at a moment in seconds since 1970.
    pub(crate) fn of(candidate: &Candidate, shares: &Shares, now: i64) -> Self {
        let relevance = candidate.relevance;
        let lifted = Lifted::of(candidate, now);
        Self {
            lexical: relevance * shares.lexical,
            semantic: relevance * shares.semantic,
            fingerprint: relevance * shares.fingerprint,
            popularity: lifted.popularity as f32,
            recency: lifted.recency as f32,
            rank: lifted.rank as f32,
        }
    }
}
