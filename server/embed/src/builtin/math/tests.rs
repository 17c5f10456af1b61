//! Accuracy compared with the standard library's functions.

use super::*;

#[test]
fn exp_and_gelu_are_accurate() {
    for step in -4000..=400 {
        let x = step as f32 / 50.0;
        let exact = f64::from(x).exp();
        assert!((f64::from(exp(x)) / exact - 1.0).abs() < 5e-7, "exp({x})");
    }
    // Reference values of x·Φ(x), computed with 50 digits.
    for (x, expected) in [
        (-6.0, -5.919_525_8e-9),
        (-3.0, -0.004_049_694),
        (-1.0, -0.158_655_25),
        (-0.1, -0.046_017_216),
        (0.0, 0.0),
        (0.5, 0.345_731_23),
        (1.0, 0.841_344_7),
        (3.0, 2.995_950_3),
        (8.0, 8.0),
    ] {
        let mut row = [x];
        gelu(&mut row);
        assert!((row[0] - expected).abs() < 1e-6, "gelu({x}) = {}", row[0]);
    }
}

#[test]
fn a_row_of_zeros_quantises_to_zeros() {
    let mut rounded = [1i8; LANES];
    assert_eq!(quantise(&[0.0; LANES], &mut rounded), 0.0);
    assert_eq!(rounded, [0; LANES]);
}
