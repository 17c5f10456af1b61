//! The contract's ranking: `0.6·relevance + 0.3·popularity + 0.1·recency`.
//!
//! Source: seeds contract, "Sorting Algorithm"; the normalisations, which it leaves open, are ours.
//! Popularity and recency, 0–1 each, are normalised to what they are worth in evidence: together they
//! bring a record at most half a unit nearer to the first. So among answers that are as good the popular
//! and the new come first, and what is asked for often for another reason never comes before the answer.
//! What they bring the first record is its relevance times each; to others it is less
//! ([`Lifted`]).

use std::sync::LazyLock;

use uuid::Uuid;

use super::fuse::share;
use crate::Language;

/// The popularity that counts in full.
const FULL_POPULARITY: usize = 1_000;
/// Days after which recency has halved.
const RECENCY_HALF_LIFE_DAYS: f64 = 180.0;
/// Candidates that are put in order at once, at least.
const ROOM: usize = 32;
/// Leaves room for rounding, which must not lose a candidate that is as good.
const ROUNDING: f64 = 0.9999;
/// Days of age that are told apart; a record that is older has hardly any recency left.
const AGES: usize = 2_048;
const SECONDS_PER_DAY: f64 = 86_400.0;

/// A record that matches a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) id: Uuid,
    pub(crate) seq: u64,
    /// 0–1, as it is shown.
    pub(crate) relevance: f32,
    /// 0–1: how near it is to the first record in evidence, `e^-distance`.
    pub(crate) closeness: f32,
    pub(crate) query_count: u64,
    pub(crate) popularity: u64,
    /// Seconds since 1970.
    pub(crate) created_at: i64,
}

/// What popularity and age can make of a record's closeness at most; a few bytes, so that those of all
/// records stay near the processor, unlike the records themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Prior {
    /// Days from 1970 to the creation.
    day: u16,
    /// Popularity, rounded up, of 255.
    popularity: u8,
    /// Kept here because it is read as often as the rest.
    pub(crate) language: Language,
}

impl Prior {
    pub(crate) fn of(created_at: i64, popularity: u64, language: Language) -> Self {
        Self {
            day: day(created_at),
            language,
            popularity: (normalized(popularity) * f64::from(u8::MAX)).ceil() as u8,
        }
    }

    /// The largest share of its closeness that a record's place can be worth on a day.
    fn most(self, today: u16) -> f32 {
        static BY_AGE: LazyLock<[f32; AGES]> = LazyLock::new(|| {
            std::array::from_fn(|days| (-(days as f64) / RECENCY_HALF_LIFE_DAYS).exp2() as f32)
        });
        // Of the first and the last day only a part may lie between.
        let whole_days = usize::from(today.saturating_sub(self.day).saturating_sub(1));
        let recency = BY_AGE.get(whole_days.min(AGES - 1)).copied().unwrap_or(1.0);
        0.6 + 0.3 / f32::from(u8::MAX) * f32::from(self.popularity) + 0.1 * recency
    }
}

/// Returns the day of a moment in seconds since 1970; what lies outside counts as the nearest day.
fn day(moment: i64) -> u16 {
    let days = moment.div_euclid(SECONDS_PER_DAY as i64);
    days.clamp(0, i64::from(u16::MAX)) as u16
}

/// Returns what a candidate's place is decided by at a moment in seconds since 1970, 0–1: its closeness,
/// and its popularity and recency as shares of that. The contract's final score is in the same order.
fn place(candidate: &Candidate, now: i64) -> f64 {
    let (popularity, recency) = priors(candidate, now);
    (0.6 + 0.3 * popularity + 0.1 * recency) * f64::from(candidate.closeness)
}

/// Returns popularity and recency of a candidate, 0–1 each.
fn priors(candidate: &Candidate, now: i64) -> (f64, f64) {
    (
        normalized(candidate.popularity),
        recency(candidate.created_at, now),
    )
}

/// What popularity and recency bring a candidate, in relevance, and its final score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Lifted {
    pub(crate) popularity: f64,
    pub(crate) recency: f64,
    /// `0.6 · relevance + 0.3 · popularity + 0.1 · recency`.
    pub(crate) rank: f64,
}

impl Lifted {
    /// Works it out at a moment in seconds since 1970. Popularity and recency move the candidate nearer
    /// to the first record; what they bring is the relevance that it gains by that.
    pub(crate) fn of(candidate: &Candidate, now: i64) -> Self {
        let relevance = f64::from(candidate.relevance);
        let distance = -candidate.closeness.ln();
        let nearer = -(place(candidate, now) / 0.6).ln() as f32;
        let lifted = relevance * f64::from(share(nearer) / share(distance));
        let gain = 0.6 * (lifted - relevance).max(0.0);
        let (popularity, recency) = priors(candidate, now);
        let both = (0.3 * popularity + 0.1 * recency).max(f64::MIN_POSITIVE);
        Self {
            popularity: gain * popularity / both,
            recency: gain * recency / both,
            rank: 0.6 * relevance + gain,
        }
    }
}

/// The best of the candidates that were offered.
pub(crate) struct Best {
    /// Seconds since 1970.
    now: i64,
    /// How many are wanted.
    count: usize,
    scored: Vec<(f64, Candidate)>,
    today: u16,
    /// What the last of the best has, once there are enough.
    least: f64,
    /// A little less than that.
    least_admitted: f32,
}

impl Best {
    /// Looks for so many, at a moment in seconds since 1970.
    pub(crate) fn new(now: i64, count: usize) -> Self {
        Self {
            now,
            count,
            scored: Vec::new(),
            today: day(now),
            least: f64::MIN,
            least_admitted: f32::MIN,
        }
    }

    /// Whether a record of some closeness can come among the best.
    pub(crate) fn admits(&self, closeness: f32, prior: Prior) -> bool {
        closeness * prior.most(self.today) >= self.least_admitted
    }

    /// The closeness below which no record can come among the best.
    pub(crate) fn least_closeness(&self) -> f32 {
        // No place is worth more than its closeness.
        self.least_admitted
    }

    /// Takes a candidate in, unless there are enough better ones; returns whether it takes more to
    /// come among the best from now on.
    pub(crate) fn offer(&mut self, candidate: Candidate) -> bool {
        let score = place(&candidate, self.now);
        if score < self.least {
            return false;
        }
        self.scored.push((score, candidate));
        if self.scored.len() < self.count.saturating_mul(2).max(ROOM) {
            return false;
        }
        keep_best(&mut self.scored, self.count);
        self.least = self.scored.last().map_or(self.least, |(score, _)| *score);
        self.least_admitted = (self.least * ROUNDING) as f32;
        true
    }

    /// Returns the best by place, ties by id, without the first ones.
    pub(crate) fn after(mut self, offset: usize) -> Vec<Candidate> {
        keep_best(&mut self.scored, self.count);
        let page = self.scored.into_iter().skip(offset);
        page.map(|(_, candidate)| candidate).collect()
    }
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

/// `min(1, ln(1 + n) / ln(1001))` of a popularity `n`.
pub(crate) fn normalized(popularity: u64) -> f64 {
    static BY_COUNT: LazyLock<[f64; FULL_POPULARITY]> = LazyLock::new(|| {
        std::array::from_fn(|count| (1.0 + count as f64).ln() / (1.0 + FULL_POPULARITY as f64).ln())
    });
    let count = usize::try_from(popularity).unwrap_or(usize::MAX);
    BY_COUNT.get(count).copied().unwrap_or(1.0)
}

/// `0.5^(age / 180 days)`; a record from the future counts as new.
pub(crate) fn recency(created_at: i64, now: i64) -> f64 {
    let days = now.saturating_sub(created_at).max(0) as f64 / SECONDS_PER_DAY;
    (-days / RECENCY_HALF_LIFE_DAYS).exp2()
}

#[cfg(test)]
mod tests;
