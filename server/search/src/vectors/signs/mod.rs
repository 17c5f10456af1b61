//! The signs of every passage's values: an eighth of the bytes, from which cosines are estimated.
//!
//! The estimate of a cosine is the dot product of the query with the signs, divided by the dot product of the
//! passage with its own signs. Source: Gao and Long, "RaBitQ" (2024); its initial rotation is left out, because
//! the values of embeddings are spread over the dimensions already.

mod count;

use self::count::{Count, GROUP, PLANES};
use super::LANES;

/// The number of passages that are estimated at a time.
const BATCH: usize = 32 * GROUP;

/// The signs of all passages, in the order in which these were added.
///
/// They are stored in groups of [`GROUP`] passages, beginning with the words of the first 64 dimensions, so that
/// the counts of a group need no sums across a vector register.
pub(super) struct Signs {
    count: Count,
    /// The number of words of a passage, each for 64 dimensions.
    width: usize,
    groups: Vec<[u64; GROUP]>,
    /// For each passage, the length of the vector divided by its dot product with its signs.
    factors: Vec<f32>,
}

impl Default for Signs {
    fn default() -> Self {
        Self {
            count: Count::best(),
            width: 0,
            groups: Vec::new(),
            factors: Vec::new(),
        }
    }
}

impl Signs {
    /// Appends a passage; all have the same number of blocks.
    pub(super) fn push(&mut self, row: &[[u8; LANES]]) {
        self.width = row.len();
        let lane = self.factors.len() % GROUP;
        if lane == 0 {
            self.groups
                .resize(self.groups.len() + self.width, [0; GROUP]);
        }
        let group = self.groups.len() - self.width;
        let words = self.groups.iter_mut().skip(group);
        let (mut sum, mut square) = (0, 0);
        for (word, block) in words.zip(row) {
            let signs = block.iter().rev().fold(0_u64, |signs, byte| {
                signs << 1 | u64::from(byte.cast_signed() >= 0)
            });
            if let Some(word) = word.get_mut(lane) {
                *word = signs;
            }
            let values = block.map(|byte| i32::from(byte.cast_signed()));
            sum += values.map(i32::abs).iter().sum::<i32>();
            square += values.map(|value| value * value).iter().sum::<i32>();
        }
        self.factors
            .push((square as f32).sqrt() / sum.max(1) as f32);
    }

    /// Calls `visit` with the estimated cosine of every passage to an L2-normalised embedding, in order.
    pub(super) fn estimates(&self, query: &[f32], mut visit: impl FnMut(f32)) {
        let (planes, step) = planes(query);
        let total: f32 = query.iter().sum();
        let mut sums = [0; BATCH];
        let batches = self.groups.chunks(BATCH / GROUP * self.width.max(1));
        for (batch, factors) in batches.zip(self.factors.chunks(BATCH)) {
            self.count.sums(&planes, batch, &mut sums);
            for (sum, factor) in sums.iter().zip(factors) {
                // Dimensions without a bit are subtracted.
                let product = 2.0 * step * *sum as f32 - total;
                visit(product * factor);
            }
        }
    }
}

/// Returns the variance of an estimate's error, for cosines around 0.
pub(super) fn error_variance(dimensions: usize) -> f32 {
    // Assumes that every dimension is normally distributed.
    (std::f32::consts::FRAC_PI_2 - 1.0) / dimensions.max(1) as f32
}

/// Rounds the values of an embedding to [`PLANES`] bits in two's complement. Returns their bit planes, a word of
/// each for every 64 dimensions, and the size of one unit.
fn planes(query: &[f32]) -> (Vec<[u64; PLANES]>, f32) {
    let largest = query
        .iter()
        .fold(f32::MIN_POSITIVE, |max, x| max.max(x.abs()));
    let step = largest / ((1 << (PLANES - 1)) - 1) as f32;
    let words = query.chunks(LANES).map(|values| {
        let mut word = [0; PLANES];
        for (lane, value) in values.iter().enumerate() {
            let rounded = (value / step).round() as i32;
            for (bit, plane) in word.iter_mut().enumerate() {
                *plane |= u64::from((rounded >> bit) & 1 == 1) << lane;
            }
        }
        word
    });
    (words.collect(), step)
}

#[cfg(test)]
mod tests;
