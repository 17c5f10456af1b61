//! What counts as chance, and when nothing does.

#![allow(clippy::unwrap_used)]

use super::*;

const IDEAL: f32 = 20.0;

fn found(slot: u32, score: f32) -> TextScore {
    TextScore {
        slot,
        score,
        exact: 0.0,
        has_all_terms: false,
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
fn ordinary_words_count_as_chance_and_outliers_do_not() {
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
fn a_store_of_one_language_and_a_single_record_are_not_changed() {
    let has = |_| true;
    for (records, all) in [(100.0, 100.0), (1.0, 100.0), (0.0, 100.0), (0.0, 0.0)] {
        assert!(Chance::of(language(&has, records, all), &scores(), IDEAL).is_none());
    }
    assert!(Chance::of(None, &scores(), IDEAL).is_none());
}

#[test]
fn the_share_of_chance_falls_with_the_share_of_the_language() {
    let has = |slot| slot < 10;
    let scores = scores();
    let parts = [10.5, 20.0, 1_000.0].map(|all| {
        let chance = Chance::of(language(&has, 10.0, all), &scores, IDEAL).unwrap();
        chance.part(4, words_in_cosine(&scores[4], IDEAL))
    });
    assert!(parts.is_sorted() && parts[0] < parts[2] / 4.0, "{parts:?}");
}
