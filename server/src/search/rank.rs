//! The contract's ranking: `0.6·relevance + 0.3·popularity + 0.1·recency`.
//!
//! Source: seeds contract, "Sorting Algorithm"; the normalisations, which it leaves open, are ours.
//! Popularity and recency, 0–1 each, are normalised to the record's own relevance, that is, multiplied
//! by it: among answers that are as good the popular and the new come first, and what is asked for
//! often for another reason never comes before the answer.

use std::sync::LazyLock;

use uuid::Uuid;

use super::Language;

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
pub(super) struct Candidate {
    pub(super) id: Uuid,
    pub(super) seq: u64,
    /// 0–1.
    pub(super) relevance: f32,
    pub(super) query_count: u64,
    pub(super) popularity: u64,
    /// Seconds since 1970.
    pub(super) created_at: i64,
}

/// What popularity and age can make of a record's relevance at most; a few bytes, so that those of all
/// records stay near the processor, unlike the records themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Prior {
    /// Days from 1970 to the creation.
    day: u16,
    /// Popularity, rounded up, of 255.
    popularity: u8,
    /// Kept here because it is read as often as the rest.
    pub(super) language: Language,
}

impl Prior {
    pub(super) fn of(created_at: i64, popularity: u64, language: Language) -> Self {
        Self {
            day: day(created_at),
            language,
            popularity: (normalized(popularity) * f64::from(u8::MAX)).ceil() as u8,
        }
    }

    /// The largest share of its relevance that a record's final score can be on a day.
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

/// Returns the contract's final score of a candidate at a moment in seconds since 1970, 0–1.
pub(super) fn final_score(candidate: &Candidate, now: i64) -> f64 {
    let popularity = normalized(candidate.popularity);
    let recency = recency(candidate.created_at, now);
    (0.6 + 0.3 * popularity + 0.1 * recency) * f64::from(candidate.relevance)
}

/// The best of the candidates that were offered.
pub(super) struct Best {
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
    pub(super) fn new(now: i64, count: usize) -> Self {
        Self {
            now,
            count,
            scored: Vec::new(),
            today: day(now),
            least: f64::MIN,
            least_admitted: f32::MIN,
        }
    }

    /// Whether a record of some relevance can come among the best.
    pub(super) fn admits(&self, relevance: f32, prior: Prior) -> bool {
        relevance * prior.most(self.today) >= self.least_admitted
    }

    /// The relevance below which no record can come among the best.
    pub(super) fn least_relevance(&self) -> f32 {
        // No score is above its relevance.
        self.least_admitted
    }

    /// Takes a candidate in, unless there are enough better ones; returns whether it takes more to
    /// come among the best from now on.
    pub(super) fn offer(&mut self, candidate: Candidate) -> bool {
        let score = final_score(&candidate, self.now);
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

    /// Returns the best by final score, ties by id, without the first ones.
    pub(super) fn after(mut self, offset: usize) -> Vec<Candidate> {
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
pub(super) fn normalized(popularity: u64) -> f64 {
    static BY_COUNT: LazyLock<[f64; FULL_POPULARITY]> = LazyLock::new(|| {
        std::array::from_fn(|count| (1.0 + count as f64).ln() / (1.0 + FULL_POPULARITY as f64).ln())
    });
    let count = usize::try_from(popularity).unwrap_or(usize::MAX);
    BY_COUNT.get(count).copied().unwrap_or(1.0)
}

/// `0.5^(age / 180 days)`; a record from the future counts as new.
pub(super) fn recency(created_at: i64, now: i64) -> f64 {
    let days = now.saturating_sub(created_at).max(0) as f64 / SECONDS_PER_DAY;
    (-days / RECENCY_HALF_LIFE_DAYS).exp2()
}

#[cfg(test)]
mod tests;
