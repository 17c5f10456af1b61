//! Dot products with AVX-512 VNNI: bytes are widened, multiplied and added in two instructions.
#![expect(
    unsafe_code,
    reason = "optional instructions may only run once they were detected, and vectors are read \
              by pointer"
)]

use std::arch::x86_64::{
    __m512i, _mm256_loadu_si256, _mm512_add_epi32, _mm512_cvtepi8_epi16, _mm512_dpwssd_epi32,
    _mm512_loadu_si512, _mm512_reduce_add_epi32, _mm512_setzero_si512,
};

use super::LANES;

/// Numbers in one vector.
const WIDTH: usize = 32;

/// Proof that the processor has AVX-512 with VNNI.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Vnni(());

impl Vnni {
    pub(super) fn detect() -> Option<Self> {
        let found = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vnni");
        found.then_some(Self(()))
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

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn compiled(query: &[[i16; LANES]], rows: &[[u8; LANES]], products: &mut [i32]) {
    let query = query.as_flattened().as_chunks::<WIDTH>().0;
    for (row, product) in rows.chunks_exact(query.len() / 2).zip(products) {
        let row = row.as_flattened().as_chunks::<WIDTH>().0;
        // Two sums, so that an addition need not wait for the one before.
        let mut sums = [_mm512_setzero_si512(); 2];
        for (q, r) in query.as_chunks().0.iter().zip(row.as_chunks().0) {
            sums = step(sums, q, r);
        }
        let [even, odd] = sums;
        *product = _mm512_reduce_add_epi32(_mm512_add_epi32(even, odd));
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn step(sums: [__m512i; 2], query: &[[i16; WIDTH]; 2], row: &[[u8; WIDTH]; 2]) -> [__m512i; 2] {
    let mut next = sums;
    for ((sum, query), row) in next.iter_mut().zip(query).zip(row) {
        // SAFETY: the references cover the 64 and 32 bytes read; the loads need no alignment.
        let (query, row) = unsafe {
            (
                _mm512_loadu_si512(query.as_ptr().cast()),
                _mm256_loadu_si256(row.as_ptr().cast()),
            )
        };
        *sum = _mm512_dpwssd_epi32(*sum, _mm512_cvtepi8_epi16(row), query);
    }
    next
}
