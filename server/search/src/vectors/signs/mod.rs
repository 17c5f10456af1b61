//! The signs of every passage's dimensions: an eighth of the bytes, from which cosines are estimated.
//!
//! The estimate of a cosine is the product of the query with the signs, over the product of the
//! passage itself with its signs. Source: Gao and Long, "RaBitQ" (2024); the rotation it begins with
//! is left out, as embeddings are spread over their dimensions already.

mod count;

use self::count::{Count, GROUP, PLANES};
use super::LANES;

/// Passages estimated between two looks at whose they are.
const BATCH: usize = 32 * GROUP;

/// The signs of all passages, in the order the passages came.
///
/// They lie in groups of [`GROUP`] passages, the words of the first 64 dimensions first, so that a
/// group's counts need no sums across a vector register.
pub(super) struct Signs {
    count: Count,
    /// Words of one passage, each 64 dimensions.
    width: usize,
    groups: Vec<[u64; GROUP]>,
    /// Of each passage: one over its product with its signs.
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
    /// Appends a passage of so many blocks; all have the same number.
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

    /// Hands out the estimated cosine of every passage to an L2-normalised embedding, in order.
    pub(super) fn estimates(&self, query: &[f32], mut take: impl FnMut(f32)) {
        let (planes, step) = planes(query);
        let total: f32 = query.iter().sum();
        let mut sums = [0; BATCH];
        let batches = self.groups.chunks(BATCH / GROUP * self.width.max(1));
        for (batch, factors) in batches.zip(self.factors.chunks(BATCH)) {
            self.count.sums(&planes, batch, &mut sums);
            for (sum, factor) in sums.iter().zip(factors) {
                // What is not added is taken away.
                let product = 2.0 * step * *sum as f32 - total;
                take(product * factor);
            }
        }
    }
}

/// Returns how far an estimate is off: the variance of the error, of cosines around 0.
pub(super) fn error_variance(dimensions: usize) -> f32 {
    // As if every dimension were normally distributed.
    (std::f32::consts::FRAC_PI_2 - 1.0) / dimensions.max(1) as f32
}

/// Rounds an embedding to numbers of [`PLANES`] bits in two's complement, and returns their bits, a
/// word of each for every 64 dimensions, and what one unit is.
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
