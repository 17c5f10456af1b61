//! What is found again near replacements is what is found in the whole text.

use super::{Anchors, Replaced};
use crate::Sanitizer;

/// A small generator of numbers, the same in every run (xorshift).
fn next(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 8) as usize
}

/// Replaces some parts of a text; returns what came of it and where.
fn replaced(text: &str, state: &mut u64) -> (String, Vec<Replaced>) {
    const NEW: &[&str] = &[
        "",
        "YOUR_PASSWORD",
        "user@example.com",
        "é",
        ":",
        "10.0.0.1",
    ];
    let (mut now, mut parts, mut read) = (String::new(), Vec::new(), 0);
    for _ in 0..next(state) % 12 {
        let start = text.floor_char_boundary(read + next(state) % (text.len() / 8));
        let end = text.floor_char_boundary(start + next(state) % 20);
        if start < read || end >= text.len() {
            break;
        }
        now.push_str(&text[read..start]);
        let from = now.len();
        now.push_str(NEW[next(state) % NEW.len()]);
        parts.push(Replaced {
            was: start..end,
            is: from..now.len(),
        });
        read = end;
    }
    now.push_str(&text[read..]);
    (now, parts)
}

#[test]
fn hits_are_found_again_as_in_the_whole_text() {
    let anchors: &Anchors = &Sanitizer::builtin().rules.anchors;
    let text = include_str!("../../../README.md");
    let mut state = 0x9e37_79b9_7f4a_7c15;
    let (mut known, mut moved) = (Vec::new(), 0);
    anchors.find(text, &mut known);
    for _ in 0..400 {
        let (now, parts) = replaced(text, &mut state);
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        anchors.find(&now, &mut expected);
        let mut told = 0;
        anchors.find_again(&now, (&known, &parts), &mut found, |_| told += 1);
        assert_eq!(told, found.len());
        assert_eq!(found, expected, "{parts:?}");
        moved += usize::from(!parts.is_empty());
    }
    assert!(moved > 300, "{moved} texts had replacements");
}
