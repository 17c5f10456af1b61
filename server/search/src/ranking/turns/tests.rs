//! Turns count for each other, and for nothing else.

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
        is_whole: false,
    }
}

#[test]
fn a_turn_gains_by_its_neighbours_and_others_stay_as_they_are() {
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
    // The turn after counts a little less than the one before; what has no vector gets none.
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
    // After it by a fifth and a tenth, before it by a tenth.
    let near = [of(2), of(4), of(5)].map(Option::unwrap);
    for (found, expected) in near.iter().zip([0.8, 1.6, 0.8]) {
        assert!((found - expected).abs() < 1e-5, "{near:?}");
    }
}

#[test]
fn like_turns_are_worth_what_each_of_them_is() {
    // A conversation of which every turn is as near to the question is no nearer by being one, beyond what
    // unlike vectors gain when they are added.
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
fn a_turn_near_a_better_one_stands_higher_but_never_before_it() {
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
fn where_nothing_is_a_turn_there_is_no_conversation() {
    let found = Conversation::of(&[score(0, 3.0)], &[0.2, 0.3], &|_| None);
    assert!(found.is_empty());
}
