//! Text without sense, for tests and benchmarks.

/// Letters and digits without sense, the same in every run (a linear congruential generator).
pub(crate) fn senseless(length: usize, seed: u64) -> String {
    let mut state = seed;
    let letters = b"abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    (0..length)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            char::from(letters[(state >> 33) as usize % letters.len()])
        })
        .collect()
}
