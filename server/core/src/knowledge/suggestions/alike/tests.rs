//! Conversion of cosines to scores.

use super::*;

#[test]
fn the_thresholds_are_fixed_points_of_the_scale() {
    let known = Unrelated {
        mean: 0.1,
        deviation: 0.1,
    };
    let scale = Scale::of(Some(known), &Nearest::default());
    let link = 0.1 + LINK_DEVIATIONS * 0.1;
    let check = |cosine: f32, expected: f64| {
        let score = scale.score(cosine);
        assert!((score - expected).abs() < 1e-3, "{cosine}: {score}");
    };
    check(-1.0, 0.0);
    check(0.0, 0.0);
    check(link, LINK_SCORE);
    check(scale.cosine(CLUSTER_SCORE), CLUSTER_SCORE);
    check(1.0, 1.0);
    assert_eq!(scale.cosine(LINK_SCORE), link);
}

#[test]
fn an_unknown_model_is_measured_if_there_are_enough_entries() {
    let nearest = |compared| Nearest {
        compared,
        mean: 0.8,
        deviation: 0.02,
        ..Nearest::default()
    };
    let few = Scale::of(None, &nearest(LEAST_MEASURED - 1));
    assert_eq!((few.link, few.cluster), (0.75, 0.80));
    let many = Scale::of(None, &nearest(LEAST_MEASURED));
    assert_eq!(many.link, 0.8 + LINK_DEVIATIONS * 0.02);
    assert!(many.cluster > many.link);
}
