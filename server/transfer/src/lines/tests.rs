//! Lines are limited in length, counted, and independent of the buffer's size.

#![allow(clippy::unwrap_used)]

use super::*;

/// Reads a text with lines of up to four bytes; `…` stands for one that is too long.
fn check(text: &str, expected: &[&str]) {
    for capacity in [1, 3, 64] {
        let input = io::BufReader::with_capacity(capacity, text.as_bytes());
        let mut lines = Lines::new(input, 4);
        let mut found = Vec::new();
        loop {
            found.push(match lines.next().unwrap() {
                Found::Line(line) => String::from_utf8(line).unwrap(),
                Found::TooLong => "…".to_owned(),
                Found::End => break,
            });
        }
        assert_eq!(found, expected, "{text:?}");
        assert_eq!(lines.number(), expected.len() as u64, "{text:?}");
        assert_eq!(lines.bytes(), text.len() as u64, "{text:?}");
    }
}

#[test]
fn lines_are_bounded_and_counted() {
    check("", &[]);
    check("\n", &[""]);
    check("a\nbc", &["a", "bc"]);
    check("abcd\nabcd", &["abcd", "abcd"]);
    check("abcde\nx\n", &["…", "x"]);
    check("x\nabcdefgh", &["x", "…"]);
    check("abcde", &["…"]);
    check("abcdefgh\n\nabcdefgh\ny", &["…", "", "…", "y"]);
}
