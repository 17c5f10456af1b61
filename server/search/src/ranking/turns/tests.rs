//! Turns count for their neighbours, and for nothing else.

#![allow(clippy::unwrap_used)]

use super::*;

/// Slots 2 to 6 are a conversation.
fn around(slot: u32) -> Option<Sides> {
    let side = |step: i32| {
        let there = (1..=5).map(|n| i32::try_from(slot).unwrap() + step * n);
        let inside = there.filter(|slot| (2..=6).contains(slot));
        inside.map(|slot| u32::try_from(slot).ok()).collect()
    };
    (2..=6).contains(&slot).then(|| [side(-1), side(1)])
}

fn score(slot: u32, score: f32) -> TextScore {
    TextScore {
        slot,
        score,
        exact: 0.0,
        has_all_terms: false,
    }
}

#[test]
fn a_turn_gains_from_its_neighbours_and_other_records_do_not_change() {
    let before = [0.3, 0.1, 0.1, 0.5, 0.1, 0.1, f32::NAN, 0.4];
    let scores = vec![score(0, 9.0), score(3, 8.0), score(7, 5.0)];
    let mut scores = TextScores {
        scores,
        ideal: 20.0,
    };
    let conversation = Conversation::of(&scores.scores, &before, &around);
    assert_eq!(conversation.0.len(), 5);

    let mut cosines = before;
    conversation.blend(&mut cosines);
    for slot in [0, 1, 7] {
        assert!((cosines[slot] - before[slot]).abs() < f32::EPSILON);
    }
    // The turn after the best one gains a little less than the one before it; a record without a vector gets no
    // cosine.
    assert!(cosines[4] > cosines[2] && cosines[2] > 0.1, "{cosines:?}");
    assert!(
        cosines[3] > cosines[4] && cosines[6].is_nan(),
        "{cosines:?}"
    );

    conversation.add_words(&mut scores);
    let of = |slot| {
        scores
            .scores
            .iter()
            .find(|found| found.slot == slot)
            .map(|found| found.score)
    };
    assert_eq!(
        (of(0), of(3), of(7), of(1)),
        (Some(9.0), Some(8.0), Some(5.0), None)
    );
    // From slot 3 the turns after it get a fifth and a tenth, the turn before it gets a tenth.
    let near = [of(2), of(4), of(5)].map(Option::unwrap);
    for (found, expected) in near.iter().zip([0.8, 1.6, 0.8]) {
        assert!((found - expected).abs() < 1e-5, "{near:?}");
    }
}

#[test]
fn equal_turns_gain_only_what_adding_vectors_gives() {
    // If all turns of a conversation are equally near to the question, they get no nearer than adding dissimilar
    // vectors makes them.
    let mut cosines = [0.4; 8];
    let conversation = Conversation::of(&[], &cosines, &around);
    conversation.blend(&mut cosines);
    let (turns, others) = (&cosines[2..=6], [cosines[0], cosines[1], cosines[7]]);
    assert!(
        turns.iter().all(|cosine| (0.41..0.62).contains(cosine)),
        "{cosines:?}"
    );
    assert_eq!(others, [0.4; 3]);
}

#[test]
fn a_turn_near_a_better_one_is_raised_but_stays_behind_it() {
    let record = |slot, order| Evidence {
        slot,
        answers: 0.0,
        order,
    };
    let mut records = vec![
        record(1, 4.0),
        record(3, 6.0),
        record(4, 1.0),
        record(7, 2.0),
    ];
    let conversation = Conversation::of(&[score(3, 1.0)], &[], &around);
    conversation.raise(&mut records, -8.0);
    let orders: Vec<f32> = records.iter().map(|record| record.order).collect();
    assert_eq!((orders[0], orders[3]), (4.0, 2.0));
    assert!((orders[1] - 6.0).abs() < 1e-5, "{orders:?}");
    assert!(orders[2] > 1.0 && orders[2] < 6.0, "{orders:?}");
}

#[test]
fn without_turns_there_is_no_conversation() {
    let found = Conversation::of(&[score(0, 3.0)], &[0.2, 0.3], &|_| None);
    assert!(found.is_empty());
}
