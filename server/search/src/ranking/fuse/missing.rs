//! What the cosine of a record without a vector may be, and what the others' count beside it.
//!
//! Records wait for their vectors for a while: after an import, or while documentation is read in. Their
//! words are compared at once. So that they stand where they would stand with a vector, their cosine is
//! estimated: by linear regression, from the words and cosines that the query has with other records.
//!
//! The estimate is too low for an answer, since most records that it is made from are none. An answer
//! without a vector would fall behind others that have one. So the more vectors are missing, the less
//! cosines count, and the order becomes that of the words.

/// Pairs of what words are worth in the order, in units of cosine, and of a cosine. They count in every
/// query, since a few records say little. They were estimated, not fitted.
const USUAL: [(f32, f32); 4] = [(0.05, 0.1), (0.1, 0.15), (0.5, 0.45), (0.6, 0.5)];

/// Returns how much of the distance between a cosine and what its record's words let expect counts, 0–1,
/// where so many records that have words of the query have a vector and so many have none.
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
    /// Begins with what is usual.
    pub(super) fn usual() -> Self {
        let mut expected = Self::default();
        for (words, cosine) in USUAL {
            expected.add(words, cosine);
        }
        expected
    }

    /// Takes in a record that has both.
    pub(super) fn add(&mut self, words: f32, cosine: f32) {
        let (words, cosine) = (f64::from(words), f64::from(cosine));
        self.count += 1.0;
        self.words += words;
        self.cosines += cosine;
        self.squares += words * words;
        self.products += words * cosine;
    }

    /// Returns the cosine to be expected of a record with such words. More words never mean less.
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
    fn the_query_s_own_records_outweigh_what_is_usual() {
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
