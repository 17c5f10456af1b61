//! Quantised cosines against exact ones.

#![allow(clippy::unwrap_used)]

use super::{Vectors, quantize};

/// A unit vector that depends on a seed, without randomness.
fn unit(seed: u32, dimensions: usize) -> Vec<f32> {
    let raw: Vec<f32> = (0..dimensions)
        .map(|i| ((seed as f32 + 1.3) * (i as f32 + 0.7)).sin())
        .collect();
    let norm = raw.iter().map(|x| x * x).sum::<f32>().sqrt();
    raw.iter().map(|x| x / norm).collect()
}

#[test]
fn quantised_cosines_are_close_to_exact_ones() {
    for dimensions in [8, 384, 1536] {
        let mut vectors = Vectors::default();
        for slot in 0..20 {
            vectors.put(slot, Some(&quantize(&unit(slot, dimensions))));
        }
        let query = unit(7, dimensions);
        for (slot, cosine) in vectors.cosines(&query).into_iter().enumerate() {
            let row = unit(u32::try_from(slot).unwrap(), dimensions);
            let exact: f32 = row.iter().zip(&query).map(|(a, b)| a * b).sum();
            assert!(
                (cosine - exact).abs() < 0.01,
                "{dimensions} dimensions, slot {slot}: {cosine} for {exact}"
            );
        }
    }
}

#[test]
fn what_is_not_a_vector_of_this_size_counts_as_none() {
    let mut vectors = Vectors::default();
    vectors.put(0, None);
    vectors.put(1, Some(&[1, 2, 3]));
    vectors.put(2, Some(&quantize(&[0.5; 4])));
    vectors.put(3, Some(&quantize(&[1.0, 0.0, 0.0])));
    vectors.put(4, Some(&quantize(&[0.0; 4])));
    let cosines = vectors.cosines(&[0.5; 4]);
    let known: Vec<usize> = (0..5).filter(|slot| !cosines[*slot].is_nan()).collect();
    assert_eq!(known, [2], "{cosines:?}");
    assert!((cosines[2] - 1.0).abs() < 0.001, "{cosines:?}");
    assert!(vectors.cosines(&[1.0]).iter().all(|c| c.is_nan()));
}
