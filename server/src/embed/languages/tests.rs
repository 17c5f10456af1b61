//! The directions fit the model and are at right angles; what lies along them is gone.

use super::{DIMENSIONS, VECTORS, without};

fn product(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn what_lies_along_the_languages_is_gone() {
    let (mean, directions) = VECTORS.split_first().expect("a mean and directions");
    assert_eq!(directions.len(), 10);
    let record: Vec<f32> = (0..DIMENSIONS).map(|at| (at as f32).sin()).collect();
    let topic = without(&record);
    assert!((product(&topic, &topic) - 1.0).abs() < 1e-5);
    for (at, direction) in directions.iter().enumerate() {
        assert_eq!(direction.len(), DIMENSIONS);
        assert!((product(direction, direction) - 1.0).abs() < 1e-4);
        assert!(product(direction, mean).abs() < 1e-4);
        assert!(product(direction, &topic).abs() < 1e-4);
        for other in directions.iter().skip(at + 1) {
            assert!(product(direction, other).abs() < 1e-4);
        }
    }
}
