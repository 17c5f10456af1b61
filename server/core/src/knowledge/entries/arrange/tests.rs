//! The order of linked entries.

use super::*;

fn link(source: u128, relation: RelationType, target: u128) -> Link {
    let end = |id| (Ulid(id), String::new());
    Link {
        id: Ulid::nil(),
        source: end(source),
        target: end(target),
        relation,
    }
}

/// Arranges the ranked entries 1, 2, 3…; `expected` is their new order.
fn check(links: &[(u128, RelationType, u128)], expected: &[u128]) {
    let ranked: Vec<(Ulid, f32)> = (1..=6_u8)
        .map(|id| (Ulid(u128::from(id)), 1.0 - f32::from(id) / 10.0))
        .collect();
    let links: Vec<Link> = links
        .iter()
        .map(|(a, kind, b)| link(*a, *kind, *b))
        .collect();
    let arranged = arranged(&ranked, &links);
    let order: Vec<u128> = arranged.iter().map(|one| one.id.0).collect();
    assert_eq!(order, expected, "{links:?}");
    for one in &arranged {
        let superseded = links
            .iter()
            .find(|link| link.relation == RelationType::Supersedes && link.target.0 == one.id);
        assert_eq!(one.superseded_by, superseded.map(|link| link.source.0));
    }
}

#[test]
fn linked_entries_are_adjacent() {
    use RelationType::{Contradicts, DerivedFrom, Related, Supersedes};
    check(&[], &[1, 2, 3, 4, 5, 6]);
    check(&[(1, Related, 6), (5, DerivedFrom, 1)], &[1, 2, 3, 4, 5, 6]);
    // A superseding entry takes the position of the superseded one.
    check(&[(4, Supersedes, 2)], &[1, 4, 2, 3, 5, 6]);
    check(&[(1, Supersedes, 5)], &[1, 5, 2, 3, 4, 6]);
    // Along a chain, and when the superseding entry was not found.
    check(
        &[(4, Supersedes, 2), (6, Supersedes, 4)],
        &[1, 6, 4, 2, 3, 5],
    );
    check(&[(9, Supersedes, 1)], &[1, 2, 3, 4, 5, 6]);
    // Contradicting entries are adjacent, also if one supersedes another entry.
    check(&[(5, Contradicts, 1)], &[1, 5, 2, 3, 4, 6]);
    check(&[(1, Contradicts, 9)], &[1, 2, 3, 4, 5, 6]);
    check(
        &[(3, Supersedes, 1), (3, Contradicts, 6)],
        &[3, 1, 6, 2, 4, 5],
    );
}

#[test]
fn a_superseding_entry_is_as_relevant_as_the_one_that_it_supersedes() {
    let ranked = [(Ulid(1), 0.9), (Ulid(2), 0.4)];
    let links = [link(2, RelationType::Supersedes, 1)];
    let scores: Vec<f32> = arranged(&ranked, &links)
        .iter()
        .map(|one| one.relevance)
        .collect();
    assert_eq!(scores, [0.9, 0.9]);
}
