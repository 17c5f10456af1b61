//! The contract's ranking: `0.6·relevance + 0.3·popularity + 0.1·recency`.
//!
//! The contract leaves the normalisations open. Here popularity and recency, 0–1 each, are normalised to what
//! they are worth in evidence: together they bring a record at most half a unit nearer to the first one. So
//! among equally good answers the popular and recent ones come first, but a record that is popular for another
//! reason never comes before the answer. They add to the first record its relevance times each of them, and less
//! to the others ([`Contributions`]).

use std::sync::LazyLock;

use uuid::Uuid;

use super::fuse::share;
use crate::Language;

/// The popularity that counts in full.
const FULL_POPULARITY: usize = 1_000;
/// The age in days at which recency has halved.
const RECENCY_HALF_LIFE_DAYS: f64 = 180.0;
/// The smallest number of candidates that are buffered before they are sorted.
const MIN_BUFFER: usize = 8;
/// Tolerance for rounding errors, so that a candidate that is equally good is not lost.
const ROUNDING: f64 = 0.9999;
/// The number of ages, in days, that are distinguished; an older record has hardly any recency left.
const AGES: usize = 2_048;
const SECONDS_PER_DAY: f64 = 86_400.0;

/// A record that matches a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) id: Uuid,
    pub(crate) seq: u64,
    /// 0–1, as it is displayed.
    pub(crate) relevance: f32,
    /// The relevance in the rank, which factors may have raised or lowered, and a record that fits the asker better may
    /// have lowered; more than 1 only if a factor raised it.
    pub(crate) placed_by: f32,
    /// How near it is to the first record in evidence: `e^-distance`; more than 1 only if outcomes raised it.
    pub(crate) closeness: f32,
    pub(crate) query_count: u64,
    pub(crate) popularity: u64,
    /// Seconds since 1970.
    pub(crate) created_at: i64,
}

/// The upper bound that popularity and age set for a record's place score. It takes a few bytes, so that the
/// priors of all records stay in the processor's caches, unlike the records themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Prior {
    /// The day of creation, in days since 1970.
    day: u16,
    /// Popularity as a fraction of 255, rounded up.
    popularity: u8,
    /// Stored here because it is read as often as the rest.
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

    /// Returns the largest possible ratio of place score to closeness on a day.
    fn most(self, today: u16) -> f32 {
        static BY_AGE: LazyLock<[f32; AGES]> = LazyLock::new(|| {
            std::array::from_fn(|days| (-(days as f64) / RECENCY_HALF_LIFE_DAYS).exp2() as f32)
        });
        // The first and the last day may only be partly in between.
        let whole_days = usize::from(today.saturating_sub(self.day).saturating_sub(1));
        let recency = BY_AGE.get(whole_days.min(AGES - 1)).copied().unwrap_or(1.0);
        0.6 + 0.3 / f32::from(u8::MAX) * f32::from(self.popularity) + 0.1 * recency
    }
}

/// Returns the day of a time in seconds since 1970, clamped to what fits.
fn day(moment: i64) -> u16 {
    let days = moment.div_euclid(SECONDS_PER_DAY as i64);
    days.clamp(0, i64::from(u16::MAX)) as u16
}

impl Candidate {
    /// Returns the score that decides the place at a time in seconds since 1970, 0–1: the closeness, with popularity
    /// and recency as shares of it. The contract's final score has the same order.
    pub(super) fn place_score(&self, now: i64) -> f64 {
        let (popularity, recency) = priors(self, now);
        (0.6 + 0.3 * popularity + 0.1 * recency) * f64::from(self.closeness)
    }

    /// Returns the candidate with its place score multiplied by a ratio below 1.
    pub(super) fn lowered(&self, ratio: f64) -> Self {
        let closeness = (f64::from(self.closeness) * ratio) as f32;
        let loss = share(-closeness.ln()) / share(-self.closeness.ln());
        Self {
            closeness,
            placed_by: self.placed_by * loss,
            ..*self
        }
    }
}

/// Returns the popularity and recency of a candidate, 0–1 each.
fn priors(candidate: &Candidate, now: i64) -> (f64, f64) {
    (
        normalized(candidate.popularity),
        recency(candidate.created_at, now),
    )
}

/// What popularity and recency add to a candidate's relevance, and its final score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Contributions {
    pub(crate) popularity: f64,
    pub(crate) recency: f64,
    /// `0.6 · relevance + 0.3 · popularity + 0.1 · recency`, with the relevance that outcomes may have changed.
    pub(crate) rank: f64,
}

impl Contributions {
    /// Computes the contributions at a time in seconds since 1970. Popularity and recency move the candidate
    /// nearer to the first record; they contribute the relevance that it gains by that.
    pub(crate) fn of(candidate: &Candidate, now: i64) -> Self {
        let relevance = f64::from(candidate.placed_by);
        let distance = -candidate.closeness.ln();
        let nearer = -(candidate.place_score(now) / 0.6).ln() as f32;
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

/// Collects the best of the candidates that are offered.
pub(crate) struct Best {
    /// Seconds since 1970.
    now: i64,
    /// How many are wanted.
    count: usize,
    scored: Vec<(f64, Candidate)>,
    today: u16,
    /// The place score of the last of the best, once there are enough.
    least: f64,
    /// A little less than that, against rounding errors.
    least_admitted: f32,
}

impl Best {
    /// Creates a collector of the best `count` candidates, at a time in seconds since 1970.
    pub(crate) fn new(now: i64, count: usize) -> Self {
        Self {
            now,
            count,
            scored: Vec::with_capacity(MIN_BUFFER),
            today: day(now),
            least: f64::MIN,
            least_admitted: f32::MIN,
        }
    }

    /// Whether a record with this closeness can be among the best.
    pub(crate) fn admits(&self, closeness: f32, prior: Prior) -> bool {
        closeness * prior.most(self.today) >= self.least_admitted
    }

    /// Returns the closeness below which no record can be among the best.
    pub(crate) fn least_closeness(&self) -> f32 {
        // No place score is larger than the closeness.
        self.least_admitted
    }

    /// Adds a candidate unless there are enough better ones; returns whether the bar for further candidates has
    /// risen.
    pub(crate) fn offer(&mut self, candidate: Candidate) -> bool {
        let score = candidate.place_score(self.now);
        if score < self.least {
            return false;
        }
        self.scored.push((score, candidate));
        if self.scored.len() < self.count.saturating_mul(2).max(MIN_BUFFER) {
            return false;
        }
        keep_best(&mut self.scored, self.count);
        self.least = self.scored.last().map_or(self.least, |(score, _)| *score);
        self.least_admitted = (self.least * ROUNDING) as f32;
        true
    }

    /// Returns the best by place score, ties by id.
    pub(crate) fn all(mut self) -> Vec<Candidate> {
        keep_best(&mut self.scored, self.count);
        let best = self.scored.into_iter();
        best.map(|(_, candidate)| candidate).collect()
    }
}

/// Sorts the best `count` and drops the rest.
fn keep_best(scored: &mut Vec<(f64, Candidate)>, count: usize) {
    let better = |(a, x): &(f64, Candidate), (b, y): &(f64, Candidate)| {
        b.total_cmp(a).then_with(|| x.id.cmp(&y.id))
    };
    if count < scored.len() {
        // The candidates after them need not be sorted.
        scored.select_nth_unstable_by(count, better);
        scored.truncate(count);
    }
    scored.sort_unstable_by(better);
}

/// Returns `min(1, ln(1 + n) / ln(1001))` for a popularity `n`.
pub(crate) fn normalized(popularity: u64) -> f64 {
    static BY_COUNT: LazyLock<[f64; FULL_POPULARITY]> = LazyLock::new(|| {
        std::array::from_fn(|count| (1.0 + count as f64).ln() / (1.0 + FULL_POPULARITY as f64).ln())
    });
    let count = usize::try_from(popularity).unwrap_or(usize::MAX);
    BY_COUNT.get(count).copied().unwrap_or(1.0)
}

/// Returns `0.5^(age / 180 days)`; a record from the future counts as new.
pub(crate) fn recency(created_at: i64, now: i64) -> f64 {
    let days = now.saturating_sub(created_at).max(0) as f64 / SECONDS_PER_DAY;
    (-days / RECENCY_HALF_LIFE_DAYS).exp2()
}

#[cfg(test)]
mod tests;
