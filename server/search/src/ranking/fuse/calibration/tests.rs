//! The properties that the shown relevance must have, whatever its constants.

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
    // A lead that is larger still says nothing more.
    assert!(certainty(2.0, 50.0) <= certainty(2.0, FULL_LEAD));
    // What the floor lets pass with nothing else near is no sure answer, a clear answer is one.
    assert!(certainty(-1.4, FULL_LEAD) < 0.75);
    assert!(certainty(6.0, FULL_LEAD) > 0.95);
}

#[test]
fn relevance_falls_with_the_distance_and_never_jumps() {
    assert!((share(0.0) - 1.0).abs() < f32::EPSILON);
    for distance in distances() {
        let (here, next) = (share(distance), share(distance + 0.01));
        assert!(next <= here, "{distance}");
        assert!(here - next < 0.01, "{distance}");
    }
    // Before the first record it rises without a jump.
    assert!((1.0..1.02).contains(&share(-0.01)));
}

#[test]
fn near_twins_show_nearly_the_same() {
    // A word more or less moves a cosine by 0.01 to 0.03.
    for distance in [0.0, 0.1, 0.25, 0.5, 0.7] {
        assert!(1.0 - share(distance) <= 0.05, "{distance}");
    }
}

#[test]
fn distances_are_found_again_from_shares() {
    for behind in distances() {
        let again = distance(share(behind));
        // Near the first, rounding hides differences.
        let tolerance = if behind < 0.1 { 0.1 } else { 0.02 };
        assert!((again - behind).abs() < tolerance, "{behind}: {again}");
    }
    // Rounding may bring a share over all of it.
    assert!(distance(1.000_001) < 0.001);
}
