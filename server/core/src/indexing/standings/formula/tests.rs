//! Few voices move an experience little, many up to the limits, none not at all.

use super::*;

#[track_caller]
fn check(for_it: f64, against: f64, expected: f64) {
    let factor = Formula::default().factor(for_it, against);
    assert!(
        (factor - expected).abs() < 5e-4,
        "{for_it} {against}: {factor}"
    );
}

#[test]
fn the_factor_grows_with_the_weight_of_the_voices() {
    check(0.0, 0.0, 1.0);
    check(1.0, 0.0, 1.0466);
    check(0.0, 1.0, 0.9433);
    check(5.0, 0.0, 1.1438);
    check(1_000.0, 0.0, 1.15);
    check(0.0, 5.0, 0.8385);
    check(0.0, 1_000.0, 0.75);
    check(0.1, 0.0, 1.0054);
    // Voices on both sides in the proportion of the prior only make it more certain.
    check(30.0, 20.0, 1.0404);
}

#[test]
fn the_prior_is_fitted_over_experiences_with_several_voices() {
    let voices = |voices, for_it, against| Voices {
        voices,
        for_it,
        against,
    };
    let few = vec![voices(3, 3.0, 0.0); 19];
    assert_eq!(Formula::fitted(few.clone()), Formula::default());
    let with_single_voices = few.into_iter().chain(vec![voices(2, 2.0, 0.0); 99]);
    assert_eq!(Formula::fitted(with_single_voices), Formula::default());
    let mixed = (0..40).map(|n| match n % 4 {
        0 => voices(8, 0.5, 7.5),
        _ => voices(8, 7.5, 0.5),
    });
    let fitted = Formula::fitted(mixed);
    let mean = fitted.prior.0 / (fitted.prior.0 + fitted.prior.1);
    assert!((mean - 0.719).abs() < 1e-3, "{fitted:?}");
    let weight = fitted.prior.0 + fitted.prior.1;
    assert!(
        (weight - 2.0).abs() < 1e-9,
        "they differ very much: {fitted:?}"
    );
    assert_eq!(fitted.factor(0.0, 0.0), 1.0);
}
