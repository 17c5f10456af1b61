//! What counts as chance, and where nothing does.

#![allow(clippy::unwrap_used)]

use super::*;

const IDEAL: f32 = 20.0;

fn found(slot: u32, score: f32) -> TextScore {
    TextScore {
        slot,
        score,
        exact: 0.0,
        is_whole: false,
    }
}

/// Ten records in a language of a hundred in all; the first five have words of the query.
fn scores() -> Vec<TextScore> {
    let scores = [2.0, 2.5, 3.0, 3.5, 18.0].into_iter();
    (0..)
        .zip(scores)
        .map(|(slot, score)| found(slot, score))
        .collect()
}

fn language(has: &dyn Fn(u32) -> bool, records: f32, all: f32) -> Option<OwnLanguage<'_>> {
    Some(OwnLanguage { has, records, all })
}

#[test]
fn ordinary_words_are_chance_and_those_that_stand_out_are_not() {
    let has = |slot| slot < 10;
    let scores = scores();
    let chance = Chance::of(language(&has, 10.0, 100.0), &scores, IDEAL).unwrap();
    let left = |found: &TextScore| {
        let words = words_in_cosine(found, IDEAL);
        (words - chance.part(found.slot, words)) / words
    };
    assert_eq!(left(&scores[0]), 0.0, "all of it is chance");
    assert!(left(&scores[4]) > 0.7, "{}", left(&scores[4]));
    // A record in another language cannot have the words by chance.
    assert_eq!(left(&found(50, 2.0)), 1.0);
}

#[test]
fn a_store_of_one_language_and_a_lone_record_are_left_as_they_are() {
    let has = |_| true;
    for (records, all) in [(100.0, 100.0), (1.0, 100.0), (0.0, 100.0), (0.0, 0.0)] {
        assert!(Chance::of(language(&has, records, all), &scores(), IDEAL).is_none());
    }
    assert!(Chance::of(None, &scores(), IDEAL).is_none());
}

#[test]
fn the_more_of_the_store_is_in_the_language_the_less_is_chance() {
    let has = |slot| slot < 10;
    let scores = scores();
    let parts = [10.5, 20.0, 1_000.0].map(|all| {
        let chance = Chance::of(language(&has, 10.0, all), &scores, IDEAL).unwrap();
        chance.part(4, words_in_cosine(&scores[4], IDEAL))
    });
    assert!(parts.is_sorted() && parts[0] < parts[2] / 4.0, "{parts:?}");
}
