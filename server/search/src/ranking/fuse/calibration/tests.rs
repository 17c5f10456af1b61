//! Properties that the calibration must have with any constants.

use super::*;

/// Distances from 0 to 12.
fn distances() -> impl Iterator<Item = f32> {
    (0..1_200_u16).map(|step| f32::from(step) / 100.0)
}

#[test]
fn certainty_rises_with_evidence_and_lead() {
    for (evidence, lead) in [(-1.4, 0.0), (0.0, 0.5), (3.0, 2.0), (8.0, 3.9)] {
        let here = certainty(evidence, lead);
        assert!((0.0..1.0).contains(&here));
        assert!(certainty(evidence + 0.1, lead) > here);
        assert!(certainty(evidence, lead + 0.1) > here);
    }
    // A larger lead than that adds nothing.
    assert!(certainty(2.0, 50.0) <= certainty(2.0, FULL_LEAD));
    // The weakest answer that passes the floor, with nothing else near, is not certain; a clear answer is.
    assert!(certainty(-1.4, FULL_LEAD) < 0.75);
    assert!(certainty(6.0, FULL_LEAD) > 0.95);
}

#[test]
fn relevance_falls_continuously_with_the_distance() {
    assert!((share(0.0) - 1.0).abs() < f32::EPSILON);
    for distance in distances() {
        let (here, next) = (share(distance), share(distance + 0.01));
        assert!(next <= here, "{distance}");
        assert!(here - next < 0.01, "{distance}");
    }
    // It is continuous at distance 0, too.
    assert!((1.0..1.02).contains(&share(-0.01)));
}

#[test]
fn records_that_differ_by_a_word_show_nearly_the_same_relevance() {
    // One word more or less changes a cosine by 0.01 to 0.03.
    for distance in [0.0, 0.1, 0.25, 0.5, 0.7] {
        assert!(1.0 - share(distance) <= 0.05, "{distance}");
    }
}

#[test]
fn distance_is_the_inverse_of_share() {
    for behind in distances() {
        let again = distance(share(behind));
        // Near the first record, rounding hides differences.
        let tolerance = if behind < 0.1 { 0.1 } else { 0.02 };
        assert!((again - behind).abs() < tolerance, "{behind}: {again}");
    }
    // Rounding can make a share larger than 1.
    assert!(distance(1.000_001) < 0.001);
}
