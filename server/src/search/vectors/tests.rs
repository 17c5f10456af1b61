//! Quantised cosines against exact ones, and whose they are after many changes.

#![allow(clippy::unwrap_used)]

use super::{DEAD_LIMIT, Vectors, quantize};

/// A unit vector that depends on a seed, without randomness.
fn unit(seed: u32, dimensions: usize) -> Vec<f32> {
    let raw: Vec<f32> = (0..dimensions)
        .map(|i| ((seed as f32 + 1.3) * (i as f32 + 0.7)).sin())
        .collect();
    let norm = raw.iter().map(|x| x * x).sum::<f32>().sqrt();
    raw.iter().map(|x| x / norm).collect()
}

fn cosines(vectors: &Vectors, query: &[f32]) -> Vec<f32> {
    let mut cosines = vec![7.0; 3];
    vectors.cosines(query, &mut cosines);
    cosines
}

/// Asserts that each slot has the exact cosine, nearly, or none.
fn check(vectors: &Vectors, query: &[f32], expected: &[Option<f32>]) {
    let cosines = cosines(vectors, query);
    assert_eq!(cosines.len(), expected.len());
    for (slot, (cosine, exact)) in cosines.iter().zip(expected).enumerate() {
        let fits = exact.map_or(cosine.is_nan(), |exact| (cosine - exact).abs() < 0.01);
        assert!(fits, "slot {slot}: {cosine} for {exact:?}");
    }
    let known = expected.iter().flatten().count();
    assert_eq!(vectors.count(), known);
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn quantised_cosines_are_close_to_exact_ones() {
    for dimensions in [8, 100, 384, 1536, 3072] {
        let mut vectors = Vectors::default();
        let all: Vec<Vec<f32>> = (0..300).map(|seed| unit(seed, dimensions)).collect();
        for (slot, embedding) in (0..).zip(&all) {
            vectors.put(slot, Some(&quantize(&[embedding])));
        }
        let query = unit(7, dimensions);
        let exact: Vec<Option<f32>> = all.iter().map(|v| Some(dot(v, &query))).collect();
        check(&vectors, &query, &exact);
    }
}

#[test]
fn the_best_passage_speaks_for_a_record() {
    let mut vectors = Vectors::default();
    let (near, far) = (unit(7, 384), unit(9, 384));
    let other = Some(dot(&near, &far));
    vectors.put(0, Some(&quantize(&[&far, &near, &far])));
    vectors.put(1, Some(&quantize(&[&far, &far])));
    vectors.put(2, Some(&quantize(&[vec![0.0; 384], far.clone()])));
    check(&vectors, &near, &[Some(1.0), other, other]);
    vectors.put(0, Some(&quantize(&[&far])));
    vectors.put(1, Some(&quantize(&[&near, &far, &far])));
    vectors.put(2, None);
    check(&vectors, &near, &[other, Some(1.0), None]);
}

#[test]
fn room_is_made_where_vectors_were_replaced_and_none_is_mixed_up() {
    let mut vectors = Vectors::default();
    let kinds: Vec<Vec<f32>> = (0..5).map(|seed| unit(seed, 64)).collect();
    let kind = |slot: u32, round: u32| (slot + round * 2) % 5;
    let rounds = 5;
    let slots = DEAD_LIMIT as u32 / 2;
    for round in 0..rounds {
        for slot in 0..slots {
            let passages = vec![&kinds[kind(slot, round) as usize]; 1 + (slot % 2) as usize];
            vectors.put(slot, Some(&quantize(&passages)));
        }
    }
    let last: Vec<Option<f32>> = (0..slots)
        .map(|slot| Some(dot(&kinds[kind(slot, rounds - 1) as usize], &kinds[3])))
        .collect();
    check(&vectors, &kinds[3], &last);
    assert!(
        vectors.passages.len() < 3 * slots as usize + DEAD_LIMIT,
        "{} passages are kept",
        vectors.passages.len()
    );
}

#[test]
fn what_is_not_a_vector_of_this_size_counts_as_none() {
    let whole = quantize(&[[0.5_f32; 4]]);
    let mut damaged_scale = whole.clone();
    damaged_scale[2..6].copy_from_slice(&f32::NAN.to_le_bytes());
    let mut of_one_scale = 0.5_f32.to_le_bytes().to_vec();
    of_one_scale.extend([1; 384]);
    let cases: [Option<&[u8]>; 9] = [
        None,
        Some(&[]),
        Some(&[1, 2, 3]),
        Some(&whole),
        Some(&quantize(&[[1.0, 0.0, 0.0]])),
        Some(&quantize(&[[0.0_f32; 4]])),
        Some(&whole[..whole.len() - 1]),
        Some(&damaged_scale),
        Some(&of_one_scale),
    ];
    let mut vectors = Vectors::default();
    for (slot, stored) in (0..).zip(cases) {
        vectors.put(slot, stored);
    }
    let expected: Vec<Option<f32>> = (0..9).map(|slot| (slot == 3).then_some(1.0)).collect();
    check(&vectors, &[0.5; 4], &expected);
    assert!(
        cosines(&vectors, &[1.0])
            .iter()
            .all(|cosine| cosine.is_nan())
    );
    assert_eq!(
        quantize(&[vec![1.0; 3], vec![1.0; 2], vec![1.0; 3]]).len(),
        2 + 2 * 7
    );
}
