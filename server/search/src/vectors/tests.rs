//! Quantised cosines are compared with exact ones, also after many changes.

#![allow(clippy::unwrap_used)]

use super::{DEAD_LIMIT, ESTIMATED_FROM, Vectors, quantize};

/// Returns a unit vector that depends on a seed, without randomness.
fn unit(seed: u32, dimensions: usize) -> Vec<f32> {
    let raw: Vec<f32> = (0..dimensions)
        .map(|i| ((seed as f32 + 1.3) * (i as f32 + 0.7)).sin())
        .collect();
    let norm = raw.iter().map(|x| x * x).sum::<f32>().sqrt();
    raw.iter().map(|x| x / norm).collect()
}

/// Returns a unit vector in a pseudorandom direction.
fn scattered(seed: u32, dimensions: usize) -> Vec<f32> {
    let mut state = u64::from(seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 24) as f32 - 0.5
    };
    // The first numbers of close seeds are close.
    let raw = std::iter::repeat_with(&mut next).skip(20);
    let raw: Vec<f32> = raw.take(dimensions).collect();
    let norm = dot(&raw, &raw).sqrt();
    raw.iter().map(|x| x / norm).collect()
}

fn cosines(vectors: &Vectors, query: &[f32]) -> Vec<f32> {
    let mut cosines = vec![7.0; 3];
    vectors.cosines(query, std::iter::empty(), &mut cosines);
    cosines
}

/// Asserts that each slot has about the exact cosine, or none.
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
fn the_cosine_of_a_record_is_that_of_its_best_passage() {
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
fn dead_passages_are_removed_and_the_others_stay_with_their_records() {
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
        "{} passages are stored",
        vectors.passages.len()
    );
}

#[test]
fn damaged_vectors_and_those_of_another_size_are_ignored() {
    let intact = quantize(&[[0.5_f32; 4]]);
    let mut damaged_scale = intact.clone();
    damaged_scale[2..6].copy_from_slice(&f32::NAN.to_le_bytes());
    let mut of_one_scale = 0.5_f32.to_le_bytes().to_vec();
    of_one_scale.extend([1; 384]);
    let cases: [Option<&[u8]>; 9] = [
        None,
        Some(&[]),
        Some(&[1, 2, 3]),
        Some(&intact),
        Some(&quantize(&[[1.0, 0.0, 0.0]])),
        Some(&quantize(&[[0.0_f32; 4]])),
        Some(&intact[..intact.len() - 1]),
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

#[test]
fn among_many_the_first_and_the_wanted_are_exact_and_the_others_close() {
    let (dimensions, slots) = (256, ESTIMATED_FROM as u32);
    let query = scattered(3, dimensions);
    let alike = |slot: u32| (slot % 500 == 1).then_some(0.5 + slot as f32 / slots as f32);
    let mut vectors = Vectors::default();
    let mut exact = Vec::new();
    for slot in 0..slots {
        let mut passages = vec![scattered(slot + 9, dimensions); 2 - slot as usize % 2];
        if let Some(last) = passages.last_mut() {
            let alike = alike(slot).unwrap_or(0.0);
            let mixed = last.iter().zip(&query);
            *last = mixed.map(|(other, query)| other + alike * query).collect();
            let length = dot(last, last).sqrt();
            last.iter_mut().for_each(|x| *x /= length);
        }
        let cosines = passages.iter().map(|passage| dot(passage, &query));
        exact.push(cosines.fold(f32::MIN, f32::max));
        vectors.put(slot, Some(&quantize(&passages)));
    }
    vectors.put(0, None);
    exact[0] = f32::NAN;
    let wanted = [7, 29_000];
    let mut cosines = Vec::new();
    vectors.cosines(&query, wanted.into_iter(), &mut cosines);
    assert_eq!(cosines.len(), exact.len());
    assert!(cosines[0].is_nan());
    let first = (0..slots).filter(|slot| alike(*slot).is_some());
    for slot in first.chain(wanted).map(|slot| slot as usize) {
        let error = cosines[slot] - exact[slot];
        assert!(error.abs() < 0.01, "slot {slot} is off by {error}");
    }
    let errors = cosines
        .iter()
        .zip(&exact)
        .skip(1)
        .map(|(c, e)| (c - e).powi(2));
    let error = (errors.sum::<f32>() / slots as f32).sqrt();
    assert!(error < 0.1, "the others are off by {error}");
}
