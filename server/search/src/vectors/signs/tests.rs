//! Estimates are compared with exact products, in every implementation.

#![allow(clippy::unwrap_used)]

use super::{
    super::LANES,
    Signs,
    count::{Count, GROUP, PLANES},
    error_variance,
};

/// Returns pseudorandom numbers.
fn numbers(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    })
}

#[test]
fn every_implementation_counts_the_same() {
    for (width, groups) in [(1, 1), (6, 5), (24, 2)] {
        let mut random = numbers(3);
        let mut next = || random.next().unwrap();
        let query: Vec<[u64; PLANES]> = (0..width).map(|_| [0; PLANES].map(|_| next())).collect();
        let rows: Vec<[u64; GROUP]> = (0..width * groups)
            .map(|_| [0; GROUP].map(|_| next()))
            .collect();
        let bit = |word: u64, at: usize| i32::from(word >> at & 1 == 1);
        let value = |planes: &[u64; PLANES], at: usize| -> i32 {
            let bits = planes.iter().enumerate();
            let weights = bits.map(|(b, plane)| bit(*plane, at) << b);
            weights.sum::<i32>() - 2 * (bit(planes[PLANES - 1], at) << (PLANES - 1))
        };
        let expected: Vec<i32> = (0..groups * GROUP)
            .map(|row| {
                let words = rows.iter().skip(row / GROUP * width).zip(&query);
                let sums = words.map(|(words, planes)| -> i32 {
                    let word = words[row % GROUP];
                    (0..64).map(|at| bit(word, at) * value(planes, at)).sum()
                });
                sums.sum()
            })
            .collect();
        for form in Count::available() {
            let mut sums = vec![0; expected.len()];
            form.sums(&query, &rows, &mut sums);
            assert_eq!(sums, expected, "{form:?}, {width} words");
        }
    }
}

#[test]
fn the_error_of_estimates_is_as_predicted() {
    for dimensions in [100, 384, 1536] {
        let vector = |seed: u64| -> Vec<i8> {
            let values = numbers(seed + 1).map(|n| {
                let parts = [n, n >> 16, n >> 32, n >> 48].map(|part| (part & 0xFFFF) as f32);
                (parts.iter().sum::<f32>() / 4096.0 - 32.0) as i8
            });
            values.skip(10).take(dimensions).collect()
        };
        let length = |v: &[i8]| v.iter().map(|x| f32::from(*x).powi(2)).sum::<f32>().sqrt();
        let mut query: Vec<f32> = vector(1_000).into_iter().map(f32::from).collect();
        let norm = query.iter().map(|x| x * x).sum::<f32>().sqrt();
        query.iter_mut().for_each(|x| *x /= norm);
        let rows: Vec<Vec<i8>> = (0..500).map(vector).collect();
        let mut signs = Signs::default();
        for row in &rows {
            let blocks = row.chunks(LANES).map(|values| {
                let mut block = [0; LANES];
                for (to, from) in block.iter_mut().zip(values) {
                    *to = from.cast_unsigned();
                }
                block
            });
            signs.push(&blocks.collect::<Vec<_>>());
        }
        let mut exact = rows.iter().map(|row| {
            let products = row.iter().zip(&query).map(|(r, q)| f32::from(*r) * q);
            products.sum::<f32>() / length(row)
        });
        let mut squares = Vec::new();
        signs.estimates(&query, |estimate| {
            squares.push((estimate - exact.next().unwrap()).powi(2));
        });
        assert_eq!(squares.len(), rows.len());
        let variance = squares.iter().sum::<f32>() / squares.len() as f32;
        let ratio = variance / error_variance(dimensions);
        assert!((0.7..1.4).contains(&ratio), "{dimensions}: {ratio}");
    }
}
