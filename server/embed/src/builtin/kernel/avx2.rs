//! The product with AVX2: weights and activations are widened to 16 bits, then multiplied and added in pairs.
//! The byte instruction (`vpmaddubsw`) would be shorter but saturates.
#![expect(
    unsafe_code,
    reason = "optional instructions may only run once they were detected, and vectors are read \
              and written by pointer"
)]

use std::arch::x86_64::{
    __m256, __m256i, _mm_loadu_si128, _mm256_add_epi32, _mm256_cvtepi8_epi16, _mm256_cvtepi32_ps,
    _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_madd_epi16, _mm256_set1_epi32, _mm256_set1_ps,
    _mm256_setzero_ps, _mm256_setzero_si256, _mm256_storeu_ps,
};

use super::{Activations, GROUP, Matrix, Operation, interleave};

/// Outputs in one vector.
const LANES: usize = 8;
/// Vectors of outputs computed together.
const VECTORS: usize = 2;
/// Outputs computed together.
const OUTPUTS: usize = LANES * VECTORS;
/// Inputs that one instruction multiplies and adds up.
const STEP: usize = 2;
/// Steps in a group of activations.
const STEPS: usize = GROUP / STEP;
/// Tokens computed together: with the weights they fill 11 of the 16 vector registers.
const TOKENS: usize = 4;

/// The weights of `OUTPUTS` outputs for one step.
type Weights = [u8; OUTPUTS * STEP];
/// Two activations of 16 bits, multiplied in one step.
type Pair = i32;

/// Proof that the processor has AVX2.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Avx2(());

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")).then_some(Self(()))
    }

    pub(super) fn run<O: Operation>(self, operation: O) -> O::Output {
        #[target_feature(enable = "avx2,fma")]
        fn compiled<O: Operation>(operation: O) -> O::Output {
            operation.run()
        }
        // SAFETY: `self` exists only after the features were detected.
        unsafe { compiled(operation) }
    }

    /// Computes the product over weights in [`pack`]'s order.
    pub(super) fn product(self, matrix: &Matrix, activations: &Activations, out: &mut [f32]) {
        // SAFETY: `self` exists only after the features were detected.
        unsafe { product(matrix, activations, out) }
    }
}

/// Rearranges row-major weights for the product.
pub(super) fn pack(rows: &[u8], inputs: usize) -> Vec<u8> {
    interleave::<STEP>(rows, inputs, OUTPUTS)
}

#[target_feature(enable = "avx2,fma")]
fn product(matrix: &Matrix, activations: &Activations, out: &mut [f32]) {
    let pairs = activations.values.as_chunks::<STEP>().0;
    let pairs: Vec<Pair> = pairs.iter().map(|&[a, b]| pair(a, b)).collect();
    let groups = matrix.inputs / GROUP;
    let panels = matrix.weights.chunks_exact(OUTPUTS * matrix.inputs);
    for (panel, weights) in panels.enumerate() {
        let weights = weights.as_chunks().0;
        let pairs = pairs.chunks(TOKENS * matrix.inputs / STEP);
        let scales = activations.scales.chunks(TOKENS * groups);
        let rows = out.chunks_mut(TOKENS * matrix.outputs);
        for ((pairs, scales), rows) in pairs.zip(scales).zip(rows) {
            let tile = Tile {
                weights,
                pairs,
                scales,
            };
            let place = (matrix, panel, rows);
            match scales.len() / groups {
                1 => store(&tile.run::<1>(groups), place),
                2 => store(&tile.run::<2>(groups), place),
                3 => store(&tile.run::<3>(groups), place),
                _ => store(&tile.run::<TOKENS>(groups), place),
            }
        }
    }
}

#[inline(always)]
fn pair(a: i8, b: i8) -> Pair {
    i32::from(a) & 0xffff | i32::from(b) << 16
}

/// 16 outputs for a few tokens.
struct Tile<'a> {
    weights: &'a [Weights],
    pairs: &'a [Pair],
    /// (tokens, groups)
    scales: &'a [f32],
}

impl Tile<'_> {
    /// Returns the sums of `N` tokens, still without the weights' scales.
    #[target_feature(enable = "avx2,fma")]
    fn run<const N: usize>(&self, groups: usize) -> [[__m256; VECTORS]; N] {
        let mut totals = [[_mm256_setzero_ps(); VECTORS]; N];
        for (group, weights) in self.weights.as_chunks::<STEPS>().0.iter().enumerate() {
            let mut pairs = [&[0; STEPS]; N];
            let tokens = self.pairs.as_chunks::<STEPS>().0.iter();
            for (place, token) in pairs.iter_mut().zip(tokens.skip(group).step_by(groups)) {
                *place = token;
            }
            let sums = multiply(weights, pairs);
            let scales = self.scales.iter().skip(group).step_by(groups);
            for ((totals, sums), &scale) in totals.iter_mut().zip(sums).zip(scales) {
                for (total, sum) in totals.iter_mut().zip(sums) {
                    let sum = _mm256_cvtepi32_ps(sum);
                    *total = _mm256_fmadd_ps(sum, _mm256_set1_ps(scale), *total);
                }
            }
        }
        totals
    }
}

/// Multiplies one group of `N` tokens with its weights.
#[target_feature(enable = "avx2")]
fn multiply<const N: usize>(
    weights: &[Weights; STEPS],
    pairs: [&[Pair; STEPS]; N],
) -> [[__m256i; VECTORS]; N] {
    let mut sums = [[_mm256_setzero_si256(); VECTORS]; N];
    for (step, weights) in weights.iter().enumerate() {
        let weights = load(weights);
        for (sums, token) in sums.iter_mut().zip(pairs) {
            let pair = _mm256_set1_epi32(token.get(step).copied().unwrap_or_default());
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(weight, pair));
            }
        }
    }
    sums
}

/// Scales the totals, adds the bias and writes them into their panel of the tokens' rows.
#[target_feature(enable = "avx2,fma")]
fn store(totals: &[[__m256; VECTORS]], (matrix, panel, rows): (&Matrix, usize, &mut [f32])) {
    let scales = matrix.scales.as_chunks::<LANES>().0;
    let biases = matrix.bias.as_chunks::<LANES>().0;
    let parts = scales.iter().zip(biases).skip(panel * VECTORS);
    for (row, totals) in rows.chunks_exact_mut(matrix.outputs).zip(totals) {
        let places = row.as_chunks_mut::<LANES>().0.iter_mut();
        let places = places.skip(panel * VECTORS);
        for ((place, total), (scale, bias)) in places.zip(totals).zip(parts.clone()) {
            // SAFETY: the three references cover the 32 bytes read or written; none of these
            // instructions needs alignment.
            unsafe {
                let scale = _mm256_loadu_ps(scale.as_ptr());
                let bias = _mm256_loadu_ps(bias.as_ptr());
                _mm256_storeu_ps(place.as_mut_ptr(), _mm256_fmadd_ps(*total, scale, bias));
            }
        }
    }
}

/// Loads and widens the weights of one step.
#[target_feature(enable = "avx2")]
fn load(weights: &Weights) -> [__m256i; VECTORS] {
    let mut vectors = [_mm256_setzero_si256(); VECTORS];
    for (vector, bytes) in vectors.iter_mut().zip(weights.as_chunks::<16>().0) {
        // SAFETY: the reference covers the 16 bytes read; the load needs no alignment.
        let bytes = unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
        *vector = _mm256_cvtepi8_epi16(bytes);
    }
    vectors
}
