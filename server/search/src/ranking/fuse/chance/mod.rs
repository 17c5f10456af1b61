//! Chance matches: discounts words that records in the query's own language match by chance.
//!
//! In a store of several languages, ordinary words match by chance, and only in records that are in the query's
//! language. So in these records words count only as far as they exceed what the other records in that language
//! have. In a store of one language nothing changes.

use super::{TextScore, words_in_cosine};

/// Scores up to this many standard deviations above the mean count as chance.
const DEVIATIONS: f32 = 2.0;

/// The records that are in the query's language.
#[derive(Clone, Copy)]
pub(crate) struct OwnLanguage<'a> {
    /// Returns whether the record in a slot is.
    pub(crate) has: &'a dyn Fn(u32) -> bool,
    /// How many are.
    pub(crate) records: f32,
    /// The number of all records.
    pub(crate) all: f32,
}

/// How much words score by chance in records in the query's language.
pub(super) struct Chance<'a> {
    language: OwnLanguage<'a>,
    /// The share of a score that can be chance, 0–1: the larger the share of the store in this language, the
    /// less.
    share: f32,
    sum: f32,
    squares: f32,
}

impl<'a> Chance<'a> {
    /// Computes it from the scores of all records; `None` if every record is in the language, or fewer than two
    /// are.
    pub(super) fn of(
        language: Option<OwnLanguage<'a>>,
        scores: &[TextScore],
        ideal: f32,
    ) -> Option<Self> {
        let language = language.filter(|one| one.records >= 2.0 && one.records < one.all)?;
        let (mut sum, mut squares) = (0.0, 0.0);
        for found in scores.iter().filter(|found| (language.has)(found.slot)) {
            let words = words_in_cosine(found, ideal);
            sum += words;
            squares += words * words;
        }
        Some(Self {
            share: 1.0 - (language.records / language.all).powi(2),
            language,
            sum,
            squares,
        })
    }

    /// Returns how much of the score of a record's words is chance; at most all of it.
    pub(super) fn part(&self, slot: u32, words: f32) -> f32 {
        if !(self.language.has)(slot) {
            return 0.0;
        }
        // Without the record itself: an outlier must not raise the mean that it is compared with.
        let (sum, squares) = (self.sum - words, self.squares - words * words);
        words.min(self.usual(sum, squares, self.language.records - 1.0))
    }

    /// Returns the same for a record whose language is not known: since it has words of the query, it is assumed
    /// to be in the query's language.
    pub(super) fn presumed(&self, words: f32) -> f32 {
        words.min(self.usual(self.sum, self.squares, self.language.records))
    }

    /// Returns the largest score by chance, from the sum and the squares of the scores of this many records.
    fn usual(&self, sum: f32, squares: f32, records: f32) -> f32 {
        let mean = sum.max(0.0) / records;
        let square = squares.max(0.0) / records;
        let deviation = (square - mean * mean).max(0.0).sqrt();
        self.share * (mean + DEVIATIONS * deviation)
    }
}

#[cfg(test)]
mod tests;
