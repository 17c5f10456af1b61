//! How places in a view lead back to places in the text.

use super::{Edit, View};

#[test]
fn what_is_read_is_found_where_it_is_written() {
    let original = "x \"ab\" +\n\"c%64e\" y";
    let mut view = View::of(original, 0..original.len());
    view.rewrite(&[Edit::remove(5..10), Edit::read(11..14, 'd')]);
    assert_eq!(view.text, "x \"abcde\" y");
    let written = |read: std::ops::Range<usize>| view.written(original, &read).unwrap_or_default();
    assert_eq!(written(3..8), [3..5, 10..15]);
    assert_eq!(written(3..5).as_slice(), std::slice::from_ref(&(3..5)));
    assert_eq!(written(6..7).as_slice(), std::slice::from_ref(&(11..14)));
    assert!(view.is_rewritten_at(&(4..6)) && view.is_rewritten_at(&(6..7)));
    assert!(!view.is_rewritten_at(&(0..4)) && !view.is_rewritten_at(&(8..11)));
    view.rewrite(&[Edit::remove(4..7)]);
    assert_eq!(view.text, "x \"ae\" y");
    let written = view.written(original, &(3..5));
    assert_eq!(written, Some(vec![3..4, 14..15]));
}

#[test]
fn marks_around_a_secret_go_with_those_inside() {
    let original = "x **ab**cd **e**";
    let mut view = View::of(original, 0..original.len());
    view.rewrite(&[
        Edit::remove(2..4),
        Edit::remove(6..8),
        Edit::remove(11..13),
        Edit::remove(14..16),
    ]);
    assert_eq!(view.text, "x abcd e");
    let written = |read| {
        view.written(original, &read)
            .and_then(|mut parts| parts.pop())
    };
    assert_eq!(written(2..6), Some(2..10));
    assert_eq!(written(7..8), Some(13..14));
}
