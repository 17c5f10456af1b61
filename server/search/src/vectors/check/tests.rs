//! Bytes that were written as a vector pass, everything else is rejected with its reason.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::quantize;

fn check(stored: &[u8], dimensions: Option<usize>, expected: Result<usize, UnfitVector>) {
    assert_eq!(check_stored(stored, dimensions, 2), expected, "{stored:?}");
}

#[test]
fn only_intact_vectors_of_the_right_size_pass() {
    use UnfitVector::{Broken, Dimensions, Passages, Zero};
    let good = quantize(&[[0.6, 0.8, 0.0], [0.0, -1.0, 0.0]]);
    check(&good, None, Ok(3));
    check(&good, Some(3), Ok(3));
    let (found, expected) = (3, 4);
    check(&good, Some(4), Err(Dimensions { found, expected }));
    check(&quantize(&[[0.6, 0.8], [0.0, 0.0]]), None, Err(Zero));
    let (found, most) = (3, 2);
    check(&quantize(&[[1.0]; 3]), None, Err(Passages { found, most }));
    check(&[], None, Err(Broken));
    check(&quantize::<[f32; 3]>(&[]), None, Err(Broken));
    check(&[3, 0], None, Err(Broken));
    check(&good[..good.len() - 1], None, Err(Broken));
    for scale in [f32::NAN, f32::INFINITY, 0.0, -1.0] {
        let mut bad = good.clone();
        bad[2..6].copy_from_slice(&scale.to_le_bytes());
        check(&bad, None, Err(Broken));
    }
}
