//! The built-in map is valid, invalid files are rejected, and products are those of the matrix.

#![allow(clippy::unwrap_used)]

use sha2::{Digest as _, Sha256};

use super::*;

#[test]
fn the_built_in_map_fits_the_model_and_is_small() {
    let map = LanguageMap::builtin();
    assert_eq!(map.dimensions, 384);
    assert!(MAP.len() <= 500_000, "{} bytes", MAP.len());
    assert!(map.map(&[0.5; 384]).iter().all(|value| value.is_finite()));
}

#[test]
fn the_built_in_map_is_the_one_in_the_readme() {
    let hash: String = Sha256::digest(MAP)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let page = include_str!("../../../models/README.md");
    assert!(page.contains(&hash), "{hash}");
}

#[test]
fn truncated_damaged_and_foreign_files_are_rejected() {
    let refused = |file: &[u8]| LanguageMap::parse(file).unwrap_err();
    assert_eq!(refused(&[]), MapError::Foreign);
    for length in [8, 15, 16, 20, MAP.len() / 2, MAP.len() - 1] {
        assert_eq!(refused(&MAP[..length]), MapError::Length, "{length}");
    }
    assert_eq!(refused(&[MAP, &[0]].concat()), MapError::Length);
    let mut damaged = MAP.to_vec();
    damaged[1_000] ^= 1;
    assert_eq!(refused(&damaged), MapError::Damaged);
    let mut newer = MAP.to_vec();
    newer[7] = b'2';
    assert_eq!(refused(&newer), MapError::Foreign);
}

#[test]
fn every_kernel_gives_the_product_of_the_matrix() {
    let dimensions = 100;
    // More languages than fit into a block, and a text in the second to last one.
    let (languages, spoken) = (LANES + 6, LANES + 4);
    let vector: Vec<f32> = (0..dimensions).map(|i| (i as f32).cos()).collect();
    let mut matrix: Vec<f32> = (0..dimensions * dimensions)
        .map(|i| (i as f32).sin())
        .collect();
    for (factor, value) in matrix[spoken * dimensions..].iter_mut().zip(&vector) {
        *factor = 5.0 * value;
    }
    let expected = matrix.chunks(dimensions).map(|row| {
        let products = row.iter().zip(&vector).map(|(a, b)| a * b);
        products.sum::<f32>()
    });
    let expected = normalized(expected.collect());
    for kernel in Kernel::available() {
        let map = LanguageMap {
            dimensions,
            kernel,
            blocks: blocks(&matrix, dimensions),
            weights: blocks(&matrix[..languages * dimensions], dimensions),
            biases: vec![0.0; languages],
            checksum: 0,
        };
        assert_eq!(map.language(&vector), Some(spoken as u8));
        assert_eq!(map.language(&[1.0]), None, "another size");
        let mapped = map.map(&vector);
        assert_eq!(mapped.len(), dimensions);
        for (found, exact) in mapped.iter().zip(&expected) {
            assert!(
                (found - exact).abs() < 1e-3,
                "{kernel:?}: {found}, not {exact}"
            );
        }
        assert_eq!(map.map(&[1.0]), [1.0], "another size stays");
    }
}
