//! The product with AVX-512 VNNI: one instruction multiplies and adds 64 pairs of bytes.
#![expect(
    unsafe_code,
    reason = "optional instructions may only run once they were detected, and vectors are read \
              and written by pointer"
)]

use std::arch::x86_64::{
    __m512, __m512i, _mm512_cvtepi32_ps, _mm512_dpbusd_epi32, _mm512_fmadd_ps, _mm512_loadu_ps,
    _mm512_loadu_si512, _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_ps, _mm512_setzero_si512,
    _mm512_storeu_ps, _mm512_sub_epi32,
};

use super::{Activations, GROUP, Matrix, Operation, interleave};

/// Outputs in one vector.
const LANES: usize = 16;
/// Vectors of outputs computed together.
const VECTORS: usize = 4;
/// Outputs computed together.
const OUTPUTS: usize = LANES * VECTORS;
/// Inputs that one instruction multiplies and adds up.
const STEP: usize = 4;
/// Steps in a group of activations.
const STEPS: usize = GROUP / STEP;
/// Tokens computed together: with the weights they fill 28 of the 32 vector registers.
const TOKENS: usize = 6;

/// The weights of `OUTPUTS` outputs for one step.
type Weights = [u8; OUTPUTS * STEP];
/// Four activations, multiplied in one step.
type Four = [i8; STEP];

/// Proof that the processor has AVX-512 with VNNI.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Vnni(());

impl Vnni {
    pub(super) fn detect() -> Option<Self> {
        let found = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vnni");
        found.then_some(Self(()))
    }

    pub(super) fn run<O: Operation>(self, operation: O) -> O::Output {
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vnni")]
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
///
/// The instruction multiplies unsigned by signed bytes. The weights are the unsigned operand, stored with an
/// offset of 128, so that the activations can be broadcast directly from memory.
pub(super) fn pack(rows: &[u8], inputs: usize) -> Vec<u8> {
    let mut weights = interleave::<STEP>(rows, inputs, OUTPUTS);
    weights.iter_mut().for_each(|weight| *weight ^= 0x80);
    weights
}

#[target_feature(enable = "avx512f,avx512vnni")]
fn product(matrix: &Matrix, activations: &Activations, out: &mut [f32]) {
    let groups = activations.values.as_chunks::<GROUP>().0;
    let excess: Vec<i32> = groups.iter().map(excess).collect();
    let groups = matrix.inputs / GROUP;
    let panels = matrix.weights.chunks_exact(OUTPUTS * matrix.inputs);
    for (panel, weights) in panels.enumerate() {
        let weights = weights.as_chunks().0;
        let values = activations.values.chunks(TOKENS * matrix.inputs);
        let scales = activations.scales.chunks(TOKENS * groups);
        let excess = excess.chunks(TOKENS * groups);
        let rows = out.chunks_mut(TOKENS * matrix.outputs);
        for (((values, scales), excess), rows) in values.zip(scales).zip(excess).zip(rows) {
            let tile = Tile {
                weights,
                values: values.as_chunks().0,
                scales,
                excess,
            };
            let place = (matrix, panel, rows);
            match scales.len() / groups {
                1 => store(&tile.run::<1>(groups), place),
                2 => store(&tile.run::<2>(groups), place),
                3 => store(&tile.run::<3>(groups), place),
                4 => store(&tile.run::<4>(groups), place),
                5 => store(&tile.run::<5>(groups), place),
                _ => store(&tile.run::<TOKENS>(groups), place),
            }
        }
    }
}

/// Returns what the weights' offset of 128 adds to each sum of a group.
#[inline(always)]
fn excess(group: &[i8; GROUP]) -> i32 {
    128 * group.iter().map(|&a| i32::from(a)).sum::<i32>()
}

/// 64 outputs for a few tokens.
struct Tile<'a> {
    weights: &'a [Weights],
    values: &'a [Four],
    /// (tokens, groups)
    scales: &'a [f32],
    /// (tokens, groups)
    excess: &'a [i32],
}

impl Tile<'_> {
    /// Returns the sums of `N` tokens, still without the weights' scales.
    #[target_feature(enable = "avx512f,avx512vnni")]
    fn run<const N: usize>(&self, groups: usize) -> [[__m512; VECTORS]; N] {
        let mut totals = [[_mm512_setzero_ps(); VECTORS]; N];
        for (group, weights) in self.weights.as_chunks::<STEPS>().0.iter().enumerate() {
            let mut values = [&[[0; STEP]; STEPS]; N];
            let tokens = self.values.as_chunks::<STEPS>().0.iter();
            for (place, token) in values.iter_mut().zip(tokens.skip(group).step_by(groups)) {
                *place = token;
            }
            let sums = multiply(weights, values);
            let scales = self.scales.iter().skip(group).step_by(groups);
            let excess = self.excess.iter().skip(group).step_by(groups);
            for (((totals, sums), &scale), &excess) in
                totals.iter_mut().zip(sums).zip(scales).zip(excess)
            {
                for (total, sum) in totals.iter_mut().zip(sums) {
                    let sum = _mm512_sub_epi32(sum, _mm512_set1_epi32(excess));
                    let sum = _mm512_cvtepi32_ps(sum);
                    *total = _mm512_fmadd_ps(sum, _mm512_set1_ps(scale), *total);
                }
            }
        }
        totals
    }
}

/// Multiplies one group of `N` tokens with its weights.
#[target_feature(enable = "avx512f,avx512vnni")]
fn multiply<const N: usize>(
    weights: &[Weights; STEPS],
    values: [&[Four; STEPS]; N],
) -> [[__m512i; VECTORS]; N] {
    let mut sums = [[_mm512_setzero_si512(); VECTORS]; N];
    for (step, weights) in weights.iter().enumerate() {
        let weights = load(weights);
        for (sums, token) in sums.iter_mut().zip(values) {
            let four = token.get(step).copied().unwrap_or_default();
            let four = i32::from_le_bytes(four.map(i8::cast_unsigned));
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum = _mm512_dpbusd_epi32(*sum, weight, _mm512_set1_epi32(four));
            }
        }
    }
    sums
}

/// Scales the totals, adds the bias and writes them into their panel of the tokens' rows.
#[target_feature(enable = "avx512f")]
fn store(totals: &[[__m512; VECTORS]], (matrix, panel, rows): (&Matrix, usize, &mut [f32])) {
    let scales = matrix.scales.as_chunks::<LANES>().0;
    let biases = matrix.bias.as_chunks::<LANES>().0;
    let parts = scales.iter().zip(biases).skip(panel * VECTORS);
    for (row, totals) in rows.chunks_exact_mut(matrix.outputs).zip(totals) {
        let places = row.as_chunks_mut::<LANES>().0.iter_mut();
        let places = places.skip(panel * VECTORS);
        for ((place, total), (scale, bias)) in places.zip(totals).zip(parts.clone()) {
            // SAFETY: the three references cover the 64 bytes read or written; none of these
            // instructions needs alignment.
            unsafe {
                let scale = _mm512_loadu_ps(scale.as_ptr());
                let bias = _mm512_loadu_ps(bias.as_ptr());
                _mm512_storeu_ps(place.as_mut_ptr(), _mm512_fmadd_ps(*total, scale, bias));
            }
        }
    }
}

#[target_feature(enable = "avx512f")]
fn load(weights: &Weights) -> [__m512i; VECTORS] {
    let mut vectors = [_mm512_setzero_si512(); VECTORS];
    for (vector, bytes) in vectors.iter_mut().zip(weights.as_chunks::<64>().0) {
        // SAFETY: the reference covers the 64 bytes read; the load needs no alignment.
        *vector = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
    }
    vectors
}
