//! Counts common bits, in the fastest implementation for this processor.
//!
//! There is one function in plain Rust, which the compiler optimises, and one for AVX-512, where a group fills a
//! register. All implementations return the same.
#![cfg_attr(
    target_arch = "x86_64",
    expect(
        unsafe_code,
        reason = "optional instructions may only run once they were detected, and words are read \
                  by pointer"
    )
)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    _mm512_add_epi64, _mm512_and_si512, _mm512_loadu_si512, _mm512_popcnt_epi64, _mm512_set1_epi64,
    _mm512_setzero_si512, _mm512_slli_epi64, _mm512_storeu_si512, _mm512_sub_epi64,
};

/// The number of passages that are processed side by side.
pub(super) const GROUP: usize = 8;
/// The number of bits of a quantised query value.
pub(super) const PLANES: usize = 5;

/// An implementation that the running processor supports.
#[derive(Debug, Clone, Copy)]
pub(super) struct Count(Compiled);

type Compiled = unsafe fn(&[[u64; PLANES]], &[[u64; GROUP]], &mut [i32]);

impl Count {
    /// Returns every implementation that this processor supports, the fastest first.
    pub(super) fn available() -> Vec<Self> {
        let mut forms: Vec<Compiled> = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vpopcntdq") {
                forms.push(with_avx512);
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
                forms.push(with_avx2);
            }
        }
        forms.push(portable);
        forms.into_iter().map(Self).collect()
    }

    /// Returns the fastest implementation that this processor supports.
    pub(super) fn best() -> Self {
        Self::available().first().copied().unwrap_or(Self(portable))
    }

    /// Writes for each passage of the groups the sum of the query's values at the dimensions where the passage
    /// has a bit.
    ///
    /// *Shape*: a group has as many rows as the query has words.
    pub(super) fn sums(self, query: &[[u64; PLANES]], groups: &[[u64; GROUP]], sums: &mut [i32]) {
        // SAFETY: `Count` exists only with a function whose features were detected.
        unsafe { (self.0)(query, groups, sums) }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
fn with_avx512(query: &[[u64; PLANES]], groups: &[[u64; GROUP]], sums: &mut [i32]) {
    let groups = groups.chunks_exact(query.len().max(1));
    for (group, sums) in groups.zip(sums.as_chunks_mut::<GROUP>().0) {
        let mut counts = [_mm512_setzero_si512(); PLANES];
        for (words, planes) in group.iter().zip(query) {
            // SAFETY: the reference covers the 64 bytes read; the load needs no alignment.
            let words = unsafe { _mm512_loadu_si512(words.as_ptr().cast()) };
            for (count, plane) in counts.iter_mut().zip(planes) {
                let common = _mm512_and_si512(words, _mm512_set1_epi64(plane.cast_signed()));
                *count = _mm512_add_epi64(*count, _mm512_popcnt_epi64(common));
            }
        }
        // From the highest bit, which has a negative weight, down.
        let mut sum = _mm512_setzero_si512();
        for (place, count) in counts.iter().rev().enumerate() {
            let doubled = _mm512_slli_epi64::<1>(sum);
            sum = if place == 0 {
                _mm512_sub_epi64(doubled, *count)
            } else {
                _mm512_add_epi64(doubled, *count)
            };
        }
        let mut wide = [0_i64; GROUP];
        // SAFETY: the array is the 64 bytes that are written; the store needs no alignment.
        unsafe { _mm512_storeu_si512(wide.as_mut_ptr().cast(), sum) };
        *sums = wide.map(|sum| sum as i32);
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
fn with_avx2(query: &[[u64; PLANES]], groups: &[[u64; GROUP]], sums: &mut [i32]) {
    portable(query, groups, sums);
}

#[inline(always)]
fn portable(query: &[[u64; PLANES]], groups: &[[u64; GROUP]], sums: &mut [i32]) {
    let groups = groups.chunks_exact(query.len().max(1));
    for (group, sums) in groups.zip(sums.as_chunks_mut::<GROUP>().0) {
        let mut counts = [[0_u64; GROUP]; PLANES];
        for (words, planes) in group.iter().zip(query) {
            for (counts, plane) in counts.iter_mut().zip(planes) {
                for (count, word) in counts.iter_mut().zip(words) {
                    *count += u64::from((word & plane).count_ones());
                }
            }
        }
        for (lane, sum) in sums.iter_mut().enumerate() {
            let counts = counts.iter().enumerate();
            let bits = counts.map(|(bit, counts)| (counts.get(lane).copied(), bit));
            *sum = bits.fold(0, |sum, (count, bit)| {
                let value = (count.unwrap_or(0) as i32) << bit;
                // The highest bit of two's complement has a negative weight.
                if bit + 1 == PLANES {
                    sum - value
                } else {
                    sum + value
                }
            });
        }
    }
}
