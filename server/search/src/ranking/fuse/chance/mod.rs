//! Chance matches: what words are worth in records that are in the question's own language.
//!
//! In a store of several languages, ordinary words match by chance, and only in records that are in
//! the question's language. So words count there by how far they are above what the others in that
//! language have. In a store of one language nothing changes.

use super::{TextScore, words_in_cosine};

/// Words count as chance up to so many standard deviations above the mean.
const DEVIATIONS: f32 = 2.0;

/// Which records are in the question's language, and how many.
#[derive(Clone, Copy)]
pub(crate) struct OwnLanguage<'a> {
    /// Says so of a slot.
    pub(crate) has: &'a dyn Fn(u32) -> bool,
    /// How many do.
    pub(crate) records: f32,
    /// How many records there are.
    pub(crate) all: f32,
}

/// What words bring by chance to records in the question's language.
pub(super) struct Chance<'a> {
    language: OwnLanguage<'a>,
    /// The more of the store is in the language, the less of it is chance; 0–1.
    share: f32,
    sum: f32,
    squares: f32,
}

impl<'a> Chance<'a> {
    /// Works it out from the scores of all records; `None` where every record is in the language, or
    /// fewer than two are.
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

    /// Returns how much of what a record's words bring is chance; never more than all of it.
    pub(super) fn part(&self, slot: u32, words: f32) -> f32 {
        if !(self.language.has)(slot) {
            return 0.0;
        }
        // Of the others: a record that stands out must not raise what it is measured by.
        let (sum, squares) = (self.sum - words, self.squares - words * words);
        words.min(self.usual(sum, squares, self.language.records - 1.0))
    }

    /// Returns the same of a record whose language is not known: one that has words of the question is
    /// taken to be in its language.
    pub(super) fn presumed(&self, words: f32) -> f32 {
        words.min(self.usual(self.sum, self.squares, self.language.records))
    }

    /// Returns what words bring by chance at most, from their sum and squares in so many records.
    fn usual(&self, sum: f32, squares: f32, records: f32) -> f32 {
        let mean = sum.max(0.0) / records;
        let square = squares.max(0.0) / records;
        let deviation = (square - mean * mean).max(0.0).sqrt();
        self.share * (mean + DEVIATIONS * deviation)
    }
}

#[cfg(test)]
mod tests;
