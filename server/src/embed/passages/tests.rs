//! Nothing is lost, nothing is too long, and cuts fall where texts have seams.

use super::split;

fn check(text: &str, limit: usize, expected: &[&str]) {
    let passages = split(text, limit, |text| text.chars().count());
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
        let passages = split(&text, limit, |text| text.chars().count());
        assert!(
            passages.iter().all(|p| p.chars().count() <= limit),
            "{limit}"
        );
        let kept: String = passages.concat().split_whitespace().collect();
        assert_eq!(kept, text.split_whitespace().collect::<String>(), "{limit}");
    }
}
