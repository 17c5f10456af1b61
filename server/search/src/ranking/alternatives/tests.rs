//! Which records give way to others.

#![allow(clippy::unwrap_used)]

use uuid::Uuid;

use super::{Fit, LOOKED_AT, reorder};
use crate::ranking::formula::Candidate;

const NOW: i64 = 1_800_000_000;

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
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    assert!(
        all.iter().all(|one| one.placed_by <= one.relevance),
        "nothing is raised"
    );
    all.iter().map(|one| one.id.as_u128()).collect()
}

#[test]
fn what_does_not_fit_goes_below_the_same_problem_that_fits_however_far_that_is() {
    use Fit::{Fits, Misfits, Unknown};
    let far = [0.0, 0.1, 2.0, 4.5, 5.0];
    let fits = [Misfits, Unknown, Misfits, Fits, Unknown];
    assert_eq!(order(&far, &fits, &[0.0; 5]), [2, 4, 1, 3, 5]);
}

#[test]
fn records_about_other_problems_keep_their_places() {
    use Fit::{Elsewhere, Fits, Misfits};
    let near = [0.0, 0.5, 1.0];
    assert_eq!(
        order(&near, &[Misfits, Fits, Fits], &[0.0, 70.0, 80.0]),
        [1, 2, 3]
    );
    assert_eq!(
        order(&near, &[Misfits, Fits, Fits], &[0.0, 70.0, 55.0]),
        [2, 3, 1]
    );
    // What was only written elsewhere gives way to a more similar record alone.
    assert_eq!(
        order(&near, &[Elsewhere, Fits, Fits], &[0.0, 70.0, 55.0]),
        [1, 2, 3]
    );
    assert_eq!(
        order(&near, &[Elsewhere, Fits, Fits], &[0.0, 40.0, 80.0]),
        [2, 1, 3]
    );
}

#[test]
fn nothing_moves_without_something_that_fits_among_the_first() {
    use Fit::{Fits, Misfits, Unknown};
    let near = [0.0, 0.5, 1.0];
    assert_eq!(
        order(&near, &[Misfits, Unknown, Unknown], &[0.0; 3]),
        [1, 2, 3]
    );
    assert_eq!(
        order(&near, &[Fits, Misfits, Unknown], &[0.0; 3]),
        [1, 2, 3]
    );
    let many: Vec<f32> = (0..=LOOKED_AT).map(|index| index as f32 / 100.0).collect();
    let mut fits = vec![Unknown; many.len()];
    fits[0] = Misfits;
    fits[LOOKED_AT] = Fits;
    assert_eq!(order(&many, &fits, &vec![0.0; many.len()])[0], 1);
    fits[LOOKED_AT - 1] = Fits;
    assert_eq!(order(&many, &fits, &vec![0.0; many.len()])[0], 2);
}
