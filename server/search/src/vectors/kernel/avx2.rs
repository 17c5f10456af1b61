//! Dot products with AVX2: bytes are widened to 16 bits, multiplied and added in pairs.
#![expect(
    unsafe_code,
    reason = "optional instructions may only run once they were detected, and vectors are read \
              by pointer"
)]

use std::arch::x86_64::{
    __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_loadu_si128, _mm_shuffle_epi32,
    _mm256_add_epi32, _mm256_castsi256_si128, _mm256_cvtepi8_epi16, _mm256_extracti128_si256,
    _mm256_loadu_si256, _mm256_madd_epi16, _mm256_setzero_si256,
};

use super::LANES;

/// Numbers in one vector.
const WIDTH: usize = 16;

/// Proof that the processor has AVX2.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Avx2(());

impl Avx2 {
    pub(super) fn detect() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Self(()))
    }

    /// See [`super::Kernel::products`].
    pub(super) fn products(
        self,
        query: &[[i16; LANES]],
        rows: &[[u8; LANES]],
        products: &mut [i32],
    ) {
        // SAFETY: `self` exists only after the features were detected.
        unsafe { compiled(query, rows, products) }
    }
}

#[target_feature(enable = "avx2")]
fn compiled(query: &[[i16; LANES]], rows: &[[u8; LANES]], products: &mut [i32]) {
    for (row, product) in rows.chunks_exact(query.len()).zip(products) {
        let queries = query.as_flattened().as_chunks::<WIDTH>().0;
        let row = row.as_flattened().as_chunks::<WIDTH>().0;
        // Two sums, so that an addition need not wait for the one before.
        let mut sums = [_mm256_setzero_si256(); 2];
        for (q, r) in queries
            .as_chunks::<2>()
            .0
            .iter()
            .zip(row.as_chunks::<2>().0)
        {
            for ((sum, q), r) in sums.iter_mut().zip(q).zip(r) {
                *sum = _mm256_add_epi32(*sum, multiplied(q, r));
            }
        }
        let [even, odd] = sums;
        *product = total(_mm256_add_epi32(even, odd));
    }
}

#[target_feature(enable = "avx2")]
fn multiplied(query: &[i16; WIDTH], row: &[u8; WIDTH]) -> __m256i {
    // SAFETY: the references cover the 32 and 16 bytes read; the loads need no alignment.
    let (query, row) = unsafe {
        (
            _mm256_loadu_si256(query.as_ptr().cast()),
            _mm_loadu_si128(row.as_ptr().cast()),
        )
    };
    _mm256_madd_epi16(_mm256_cvtepi8_epi16(row), query)
}

#[target_feature(enable = "avx2")]
fn total(sums: __m256i) -> i32 {
    let four = _mm_add_epi32(
        _mm256_castsi256_si128(sums),
        _mm256_extracti128_si256::<1>(sums),
    );
    let two = _mm_add_epi32(four, _mm_shuffle_epi32::<0b_01_00_11_10>(four));
    let one = _mm_add_epi32(two, _mm_shuffle_epi32::<0b_10_11_00_01>(two));
    _mm_cvtsi128_si32(one)
}
