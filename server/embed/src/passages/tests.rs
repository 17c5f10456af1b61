//! Nothing is lost, nothing is too long, and cuts fall where texts have seams.

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
fn cuts_fall_on_seams() {
    check("", 5, &[]);
    check(" \n\n", 5, &[]);
    check("short", 10, &["short"]);
    check("a\nb\nc\n", 4, &["a\nb\n", "c\n"]);
    check("one two three", 8, &["one two ", "three"]);
    check("abcdefgh", 3, &["ab", "cd", "ef", "gh"]);
    check("漢字漢字漢", 2, &["漢字", "漢", "字漢"]);
}

#[test]
fn nothing_is_lost_and_nothing_too_long() {
    let text = "word and\u{3000}another, 漢字かな, longerwordwithoutspaces\n".repeat(40);
    for limit in [1, 2, 7, 50, 10_000] {
        let passages = all(&text, limit);
        assert!(
            passages.iter().all(|p| p.chars().count() <= limit),
            "{limit}"
        );
        let kept: String = passages.concat().split_whitespace().collect();
        assert_eq!(kept, text.split_whitespace().collect::<String>(), "{limit}");
    }
}

#[test]
fn the_first_passages_are_those_of_the_whole() {
    let text = "word and\u{3000}another, 漢字かな, longerwordwithoutspaces\n \n\n".repeat(40);
    for units in [1, 2, 7, 50, 10_000] {
        let whole = all(&text, units);
        for passages in [1, 2, 5, 1_000] {
            let cut = Cut { units, passages };
            let first = split(&text, cut, |text| text.chars().count());
            assert_eq!(first, whole[..passages.min(whole.len())], "{cut:?}");
        }
    }
}

#[test]
fn the_work_does_not_grow_with_what_is_left_out() {
    let cut = Cut {
        units: 480,
        passages: 32,
    };
    let work = |text: &str| {
        // As the model counts: three characters a token, and no further than it reads.
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
