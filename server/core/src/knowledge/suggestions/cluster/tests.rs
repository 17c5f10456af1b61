//! Creating and extending clusters, and entries about which was decided.

#![allow(clippy::unwrap_used)]

use super::*;

/// Entries on a circle, by angle in degrees; neighbours within about 25 degrees are alike.
const LEAST: f32 = 0.9;

fn at(angle: f32) -> Vec<f32> {
    let (sin, cos) = angle.to_radians().sin_cos();
    vec![cos, sin]
}

fn cluster(id: u128, status: SuggestionStatus, entries: &[u128]) -> Cluster {
    Cluster {
        id: Ulid(id),
        status,
        entries: entries.iter().copied().map(Ulid).collect(),
    }
}

/// Adds entry 1 at 0 degrees beside others; `expected` are the cluster's entries, and its suggestion.
fn check(others: &[(u128, f32)], known: &[Cluster], expected: Option<(&[u128], Option<u128>)>) {
    let vectors = others.iter().map(|(id, angle)| (Ulid(*id), at(*angle)));
    let vector = at(0.0);
    let new = Member {
        id: Ulid(1),
        vector: &vector,
    };
    let grown = grow(&new, &vectors.collect(), known, LEAST);
    let found = grown.map(|grown| {
        let entries: Vec<u128> = grown.entries.iter().map(|id| id.0).collect();
        (entries, grown.pending.map(|id| id.0))
    });
    let expected = expected.map(|(entries, pending)| (entries.to_vec(), pending));
    assert_eq!(found, expected, "{others:?}, {known:?}");
}

#[test]
fn three_similar_entries_form_a_cluster() {
    check(&[(2, 10.0)], &[], None);
    check(&[(2, 10.0), (3, 60.0)], &[], None);
    check(&[(2, 10.0), (3, -10.0)], &[], Some((&[1, 2, 3], None)));
}

#[test]
fn a_chain_of_neighbours_forms_no_cluster() {
    // Each is similar to its neighbour, but the last is not similar to the first.
    let chain = [(2, 24.0), (3, 48.0), (4, 72.0)];
    check(&chain, &[], None);
    let far = cluster(9, SuggestionStatus::Pending, &[2, 3, 4]);
    check(&chain, &[far], None);
}

#[test]
fn a_pending_cluster_grows_and_keeps_its_entries() {
    let near = [(2, 5.0), (3, 8.0), (4, 10.0), (5, -5.0), (6, -6.0)];
    let pending = cluster(9, SuggestionStatus::Pending, &[2, 3, 4]);
    check(
        &near,
        std::slice::from_ref(&pending),
        Some((&[1, 2, 3, 4], Some(9))),
    );
    let nearer = cluster(8, SuggestionStatus::Pending, &[5, 6]);
    check(&near, &[pending, nearer], Some((&[1, 5, 6], Some(8))));
}

#[test]
fn entries_of_a_decided_cluster_are_never_suggested_together_again() {
    let near = [(2, 5.0), (3, 8.0), (4, 10.0)];
    for status in [SuggestionStatus::Rejected, SuggestionStatus::Accepted] {
        let decided = cluster(9, status, &[1, 2, 3]);
        check(&near, &[decided], None);
        let others = cluster(9, status, &[2, 3, 4]);
        check(&near, &[others], None);
        let of_two = cluster(9, status, &[2, 3, 9]);
        check(&near, &[of_two], Some((&[1, 2, 4], None)));
    }
}
