//! Nothing is lost, no passage is too long, and splits are at line ends and spaces.

use std::cell::Cell;

use super::{Cut, split};

fn all(text: &str, units: usize) -> Vec<String> {
    let passages = usize::MAX;
    split(text, Cut { units, passages }, |text| text.chars().count())
}

fn check(text: &str, limit: usize, expected: &[&str]) {
    let passages = all(text, limit);
    assert_eq!(passages, expected, "{text:?} at {limit}");
}

#[test]
fn texts_are_split_at_lines_and_spaces_if_possible() {
    check("", 5, &[]);
    check(" \n\n", 5, &[]);
    check("short", 10, &["short"]);
    check("a\nb\nc\n", 4, &["a\nb\n", "c\n"]);
    check("one two three", 8, &["one two ", "three"]);
    check("abcdefgh", 3, &["ab", "cd", "ef", "gh"]);
    check("漢字漢字漢", 2, &["漢字", "漢", "字漢"]);
}

#[test]
fn nothing_is_lost_and_no_passage_is_too_long() {
    let text = "word and\u{3000}another, 漢字かな, longerwordwithoutspaces\n".repeat(40);
    for limit in [1, 2, 7, 50, 10_000] {
        let passages = all(&text, limit);
        assert!(
            passages.iter().all(|p| p.chars().count() <= limit),
            "{limit}"
        );
        let joined: String = passages.concat().split_whitespace().collect();
        assert_eq!(
            joined,
            text.split_whitespace().collect::<String>(),
            "{limit}"
        );
    }
}

#[test]
fn the_first_passages_are_the_same_with_any_limit() {
    let text = "word and\u{3000}another, 漢字かな, longerwordwithoutspaces\n \n\n".repeat(40);
    for units in [1, 2, 7, 50, 10_000] {
        let unlimited = all(&text, units);
        for passages in [1, 2, 5, 1_000] {
            let cut = Cut { units, passages };
            let first = split(&text, cut, |text| text.chars().count());
            assert_eq!(first, unlimited[..passages.min(unlimited.len())], "{cut:?}");
        }
    }
}

#[test]
fn the_work_does_not_grow_with_the_text_that_is_left_out() {
    let cut = Cut {
        units: 480,
        passages: 32,
    };
    let work = |text: &str| {
        // Like the model: three characters per token, counted up to one more than it reads.
        let read = Cell::new(0);
        let passages = split(text, cut, |text| {
            let tokens = text.len().div_ceil(3).min(513);
            read.set(read.get() + tokens);
            tokens
        });
        assert_eq!(passages.len(), 32);
        read.get()
    };
    for text in ["1234567890", "some words ", "a line\n"] {
        let [less, more] = [100_000, 3_200_000].map(|bytes| work(&text.repeat(bytes / text.len())));
        assert!(more < 2 * less, "{text:?}: {less}, then {more}");
    }
}
