//! The float arithmetic between the matrix products: layer norm, GELU, softmax, rounding to int8.
//!
//! Everything is written as branch-free loops over sixteen lanes, which the compiler turns into the widest
//! vectors of the instruction set that the code is inlined into (see `Kernel::run`). A plain sum would not be
//! vectorized, because float additions may not be reordered: so sums keep separate lanes until the end.

#[cfg(test)]
mod tests;

/// The number of lanes of a loop; vectors of 4, 8 and 16 floats divide it.
pub(super) const LANES: usize = 16;

/// 1.5 × 2²³: adding it rounds a small number to an integer, which is then in the low bits.
const ROUND: f32 = 12_582_912.0;

/// Scale and offset of a layer norm.
#[derive(Debug)]
pub(super) struct Norm {
    /// Factor of each component.
    pub(super) weight: Vec<f32>,
    /// Added to each component.
    pub(super) bias: Vec<f32>,
    /// Added to the variance.
    pub(super) epsilon: f32,
}

impl Norm {
    /// Normalises one token's vector to mean 0 and variance 1, then scales and shifts it.
    #[inline(always)]
    pub(super) fn apply(&self, row: &mut [f32]) {
        let width = row.len() as f32;
        let mean = sum(row, |x| x) / width;
        let variance = sum(row, |x| (x - mean) * (x - mean)) / width;
        let factor = 1.0 / (variance + self.epsilon).sqrt();
        for ((x, weight), bias) in row.iter_mut().zip(&self.weight).zip(&self.bias) {
            *x = (*x - mean) * factor * weight + bias;
        }
    }
}

/// Sums `term` over a row whose length is a multiple of sixteen, as every width of the model is.
#[inline(always)]
pub(super) fn sum(row: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0; LANES];
    for chunk in row.as_chunks::<LANES>().0 {
        for (lane, &x) in lanes.iter_mut().zip(chunk) {
            *lane += term(x);
        }
    }
    lanes.iter().sum()
}

#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Rounds a row to int8 (largest magnitude = 127) and returns the value of one step.
#[inline(always)]
pub(super) fn quantise(row: &[f32], rounded: &mut [i8]) -> f32 {
    let mut lanes = [0.0f32; LANES];
    for chunk in row.as_chunks::<LANES>().0 {
        for (lane, &x) in lanes.iter_mut().zip(chunk) {
            *lane = larger(*lane, x.abs());
        }
    }
    let largest = lanes.into_iter().fold(0.0, larger);
    let steps = if largest > 0.0 { 127.0 / largest } else { 0.0 };
    for (rounded, &x) in rounded.iter_mut().zip(row) {
        *rounded = (x * steps + ROUND).to_bits() as i8;
    }
    largest / 127.0
}

/// Applies softmax to each column of scores, (rows, `width`).
#[inline(always)]
pub(super) fn softmax_columns(scores: &mut [f32], width: usize) {
    let mut largest = vec![f32::MIN; width];
    for row in scores.chunks_exact(width) {
        for (largest, &score) in largest.iter_mut().zip(row) {
            *largest = larger(*largest, score);
        }
    }
    let mut shares = vec![0.0; width];
    for row in scores.chunks_exact_mut(width) {
        for ((score, largest), share) in row.iter_mut().zip(&largest).zip(&mut shares) {
            *score = exp(*score - largest);
            *share += *score;
        }
    }
    shares.iter_mut().for_each(|share| *share = 1.0 / *share);
    for row in scores.chunks_exact_mut(width) {
        for (score, share) in row.iter_mut().zip(&shares) {
            *score *= share;
        }
    }
}

/// Replaces each number by GELU(x) = x·Φ(x), with an error of about 3·10⁻⁷.
#[inline(always)]
pub(super) fn gelu(row: &mut [f32]) {
    for x in row {
        *x *= normal_cdf(*x);
    }
}

/// Returns Φ(x) by Abramowitz & Stegun 7.1.26 (error of erf below 1.5·10⁻⁷).
#[inline(always)]
fn normal_cdf(x: f32) -> f32 {
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let polynomial = t
        * (0.254_829_6
            + t * (-0.284_496_74 + t * (1.421_413_7 + t * (-1.453_152 + t * 1.061_405_4))));
    let tail = 0.5 * polynomial * exp(-z * z);
    if x < 0.0 { tail } else { 1.0 - tail }
}

/// Returns eˣ with a relative error of about 2·10⁻⁷; 0 below −87 instead of a subnormal.
#[inline(always)]
fn exp(x: f32) -> f32 {
    let clamped = larger(x, -87.0);
    let shifted = clamped * std::f32::consts::LOG2_E + ROUND;
    let power = shifted - ROUND;
    // ln 2 in two parts, so that the remainder keeps its precision.
    let r = clamped - power * 0.693_359_4 + power * 2.121_944_4e-4;
    let series = 1.0
        + r * (1.0
            + r * (0.5
                + r * (0.166_666_67
                    + r * (0.041_666_67 + r * (0.008_333_334 + r * 0.001_388_889)))));
    let scale = f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23));
    if x < -87.0 { 0.0 } else { series * scale }
}
