//! Every kernel returns the plain sum, up to the largest values.

#![allow(clippy::unwrap_used)]

use super::{Kernel, LANES};

/// Returns a number that depends on its position, in the whole range of a byte.
fn byte(at: usize) -> i8 {
    (at.wrapping_mul(2_654_435_761) >> 7) as i8
}

#[test]
fn every_kernel_returns_the_plain_sum() {
    for (blocks, count) in [(1, 1), (1, 7), (6, 5), (24, 3)] {
        // The largest query that is allowed.
        let most = i32::MAX / 128 / i32::try_from(blocks * LANES).unwrap();
        let most = i16::try_from(most.min(i32::from(i16::MAX))).unwrap();
        let rows: Vec<[u8; LANES]> = (0..blocks * count)
            .map(|block| std::array::from_fn(|lane| byte(block * LANES + lane).cast_unsigned()))
            .collect();
        let query: Vec<[i16; LANES]> = (0..blocks)
            .map(|block| {
                std::array::from_fn(|lane| if byte(block + lane) < 0 { most } else { -most })
            })
            .collect();
        let mut extremes = rows.clone();
        extremes.extend(
            query
                .iter()
                .map(|q| q.map(|q| if q > 0 { 0x7F } else { 0x80 })),
        );
        for rows in [rows, extremes] {
            let expected: Vec<i32> = rows
                .chunks(blocks)
                .map(|row| {
                    let pairs = row.as_flattened().iter().zip(query.as_flattened());
                    pairs
                        .map(|(r, q)| i32::from(r.cast_signed()) * i32::from(*q))
                        .sum()
                })
                .collect();
            for kernel in Kernel::available() {
                let mut products = vec![0; expected.len()];
                kernel.products(&query, &rows, &mut products);
                assert_eq!(products, expected, "{kernel:?}, {blocks} blocks");
            }
        }
    }
}
