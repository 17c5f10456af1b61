//! Expected cosines of records without a vector, and how much the cosines of the others count beside them.
//!
//! After an import, or while documentation is being ingested, records have no vectors for a while, but their
//! words are compared at once. So that they rank where they would rank with a vector, their cosine is estimated:
//! by linear regression over the words and cosines that the query has with other records.
//!
//! The estimate is too low for an answer, because most records in the regression are not answers. An answer
//! without a vector would fall behind others that have one. So the more vectors are missing, the less cosines
//! count, and the order approaches that of the words.

/// Usual pairs of what words add to the order, in units of cosine, and a cosine. They are part of the regression
/// of every query, because a few records say little. They were estimated, not fitted.
const USUAL: [(f32, f32); 4] = [(0.05, 0.1), (0.1, 0.15), (0.5, 0.45), (0.6, 0.5)];

/// Returns how much the difference between a record's cosine and the cosine expected from its words counts, 0–1.
/// `with_vector` and `without` count the records that have words of the query, with and without a vector.
///
/// The exponent was chosen on the messages of two linters; `docs/design/search.md` has the figures.
pub(super) fn trust(with_vector: usize, without: usize) -> f32 {
    let all = with_vector + without;
    (with_vector as f32 / all.max(1) as f32).powi(6)
}

/// The regression of cosines on words.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ExpectedCosine {
    count: f64,
    words: f64,
    cosines: f64,
    squares: f64,
    products: f64,
}

impl ExpectedCosine {
    /// Starts with the usual pairs.
    pub(super) fn usual() -> Self {
        let mut expected = Self::default();
        for (words, cosine) in USUAL {
            expected.add(words, cosine);
        }
        expected
    }

    /// Adds a record that has both.
    pub(super) fn add(&mut self, words: f32, cosine: f32) {
        let (words, cosine) = (f64::from(words), f64::from(cosine));
        self.count += 1.0;
        self.words += words;
        self.cosines += cosine;
        self.squares += words * words;
        self.products += words * cosine;
    }

    /// Returns the expected cosine of a record with these words. It never falls with more words.
    pub(super) fn of(&self, words: f32) -> f32 {
        let (mean_words, mean_cosine) = (self.words / self.count, self.cosines / self.count);
        let spread = self.squares / self.count - mean_words * mean_words;
        let together = self.products / self.count - mean_words * mean_cosine;
        let slope = (together / spread.max(f64::EPSILON)).max(0.0);
        (mean_cosine + slope * (f64::from(words) - mean_words)).clamp(-1.0, 1.0) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::ExpectedCosine;

    #[test]
    fn the_records_of_the_query_outweigh_the_usual_pairs() {
        let usual = ExpectedCosine::usual();
        let mut steep = usual;
        for step in 0..100_u8 {
            let words = f32::from(step) / 200.0;
            steep.add(words, 0.3 + words);
        }
        assert!((steep.of(0.4) - 0.7).abs() < 0.03, "{}", steep.of(0.4));
        assert!((usual.of(0.5) - 0.44).abs() < 0.03, "{}", usual.of(0.5));
    }

    #[test]
    fn more_words_never_mean_a_lower_cosine() {
        let mut falling = ExpectedCosine::usual();
        for step in 0..100_u8 {
            falling.add(f32::from(step) / 200.0, 0.9 - f32::from(step) / 120.0);
        }
        assert!(falling.of(0.6) >= falling.of(0.0));
    }
}
