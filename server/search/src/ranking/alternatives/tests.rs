//! Which records give way to others.

#![allow(clippy::unwrap_used)]

use uuid::Uuid;

use super::{
    Certainty,
    Fit::{self, Fits, Misfits, Unknown},
    LOOKED_AT, reorder,
};
use crate::ranking::formula::Candidate;

const NOW: i64 = 1_800_000_000;
const FITS: Fit = Fits(Certainty::Sure);
const MISFITS: Fit = Misfits(Certainty::Sure);

/// Candidates at growing distances, in units of evidence; their ids are 1, 2 and so on.
fn candidates(distances: &[f32]) -> Vec<Candidate> {
    let candidate = |(id, distance): (u128, &f32)| Candidate {
        id: Uuid::from_u128(id),
        seq: 1,
        relevance: 0.9 * (-distance).exp(),
        placed_by: 0.9 * (-distance).exp(),
        closeness: (-distance).exp(),
        query_count: 0,
        popularity: 0,
        created_at: NOW,
    };
    (1..).zip(distances).map(candidate).collect()
}

/// Reorders candidates with the given fits and angles between their embeddings, and returns their ids.
fn order(distances: &[f32], fits: &[Fit], degrees: &[f32]) -> Vec<u128> {
    let mut all = candidates(distances);
    let index = |id: Uuid| usize::try_from(id.as_u128()).unwrap() - 1;
    let fit = |id| fits[index(id)];
    let embedding = |id| {
        let (sin, cos) = degrees[index(id)].to_radians().sin_cos();
        Some(vec![cos, sin])
    };
    reorder(&mut all, NOW, &fit, embedding);
    let scores: Vec<f64> = all.iter().map(|one| one.place_score(NOW)).collect();
    assert!(
        scores.is_sorted_by(|a, b| *a >= b - 1e-6),
        "{scores:?} are sorted, also behind the last that was looked at"
    );
    assert!(
        all.iter().all(|one| one.placed_by <= one.relevance),
        "nothing is raised"
    );
    all.iter().map(|one| one.id.as_u128()).collect()
}

#[test]
fn what_does_not_fit_goes_below_the_best_that_fits_and_is_about_the_same_problem() {
    let far = [0.0, 0.1, 2.0, 4.5, 5.0, 5.2];
    let fits = [MISFITS, Unknown, MISFITS, FITS, Unknown, FITS];
    assert_eq!(order(&far, &fits, &[0.0; 6]), [2, 4, 1, 3, 5, 6]);
    // If the answer already stands above, nothing moves.
    let fits = [FITS, Unknown, MISFITS, FITS, Unknown, FITS];
    assert_eq!(order(&far, &fits, &[0.0; 6]), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn the_more_similar_two_records_are_the_further_one_may_fall() {
    // Cosines 0.87, 0.5 and 0.34.
    for (degrees, distance, falls) in [
        (30.0, 5.0, true),
        (60.0, 1.5, true),
        (60.0, 2.5, false),
        (70.0, 0.1, false),
    ] {
        let order = order(&[0.0, distance], &[MISFITS, FITS], &[0.0, degrees]);
        assert_eq!(order == [2, 1], falls, "{degrees} {distance}");
    }
}

#[test]
fn where_a_record_was_written_moves_only_very_similar_ones() {
    let elsewhere = Misfits(Certainty::Doubtful);
    let here = Fits(Certainty::Doubtful);
    for (fits, degrees, falls) in [
        ([elsewhere, FITS], 60.0, false),
        ([MISFITS, here], 60.0, false),
        ([MISFITS, FITS], 60.0, true),
        ([elsewhere, FITS], 30.0, true),
        ([MISFITS, here], 30.0, true),
    ] {
        let order = order(&[0.0, 1.0], &fits, &[0.0, degrees]);
        assert_eq!(order == [2, 1], falls, "{fits:?} {degrees}");
    }
}

#[test]
fn nothing_moves_without_something_that_fits_among_the_first() {
    let near = [0.0, 0.5, 1.0];
    assert_eq!(
        order(&near, &[MISFITS, Unknown, Unknown], &[0.0; 3]),
        [1, 2, 3]
    );
    let many: Vec<f32> = (0..=LOOKED_AT)
        .map(|index| index as f32 / 10_000.0)
        .collect();
    let mut fits = vec![Unknown; many.len()];
    fits[0] = MISFITS;
    fits[LOOKED_AT] = FITS;
    assert_eq!(order(&many, &fits, &vec![0.0; many.len()])[0], 1);
    fits[LOOKED_AT - 1] = FITS;
    assert_eq!(order(&many, &fits, &vec![0.0; many.len()])[0], 2);
}
