//! Rounded parts add up to the rounded sum.

use super::*;

fn check(parts: [f32; 3], total: f32, expected: [f64; 3]) {
    let rounded = rounded(parts, total);
    assert_eq!(rounded, expected);
    let sum: f64 = rounded.iter().map(|part| (part * DIGITS).round()).sum();
    assert_eq!(sum / DIGITS, shown(total));
}

#[test]
fn rounded_parts_add_up() {
    check([0.2, 0.7, 0.05], 0.95, [0.2, 0.7, 0.05]);
    check([0.0, 0.0, 0.0], 0.0, [0.0, 0.0, 0.0]);
    check([0.000_04, 0.0, 0.0], 0.000_04, [0.0, 0.0, 0.0]);
    check([0.250_05, 0.0, 0.250_05], 0.500_1, [0.250_1, 0.0, 0.25]);
    check(
        [0.333_33, 0.333_33, 0.333_33],
        0.999_99,
        [0.333_3, 0.333_3, 0.333_4],
    );
}
