//! The matchers find what the linear-time engine finds, rule by rule, on examples and on noise around them.

use regex::Regex;

use super::{Outcome, Shape, Turns};
use crate::Sanitizer;

/// A small generator of numbers, the same in every run (xorshift).
fn next(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 8) as usize
}

/// A text with some characters changed, doubled or left out.
fn noisy(text: &str, state: &mut u64) -> String {
    const NOISE: &[char] = &[
        ' ', '\n', '"', '\'', '=', ':', '-', '_', '.', '@', '/', 'é', '密', 'a', '0', 'Z', '٣',
    ];
    let mut noisy = String::new();
    for c in text.chars() {
        match next(state) % 24 {
            0 => noisy.push(NOISE[next(state) % NOISE.len()]),
            1 => noisy.extend([c, c]),
            2 => {}
            _ => noisy.push(c),
        }
    }
    noisy
}

/// Compares what both find that begins at each place of the text.
fn agree(id: &str, shape: &Shape, regex: &Regex, text: &str) {
    let mut turns = Turns::default();
    for (start, _) in text.char_indices() {
        let expected = regex
            .captures_at(text, start)
            .filter(|found| found.get(0).is_some_and(|whole| whole.start() == start));
        let expected = expected.map(|found| {
            let whole = found.get(0).unwrap().range();
            let secret = found
                .name("secret")
                .map_or(whole.clone(), |secret| secret.range());
            (whole, secret)
        });
        let found = match shape.may_begin(text, start) {
            true => shape.at(text, start, &mut turns),
            false => Outcome::Nothing,
        };
        let found = match found {
            Outcome::Found { whole, secret } => Some((whole, secret)),
            Outcome::Nothing => None,
            Outcome::GivenUp => continue,
        };
        assert_eq!(found, expected, "{id} at {start} of {text:?}");
    }
}

#[test]
fn matchers_agree_with_the_linear_time_engine() {
    let mut state = 0x9e37_79b9_7f4a_7c15;
    let mut compared = 0;
    for compiled in &Sanitizer::builtin().rules.rules {
        let Some(shape) = compiled.shape() else {
            continue;
        };
        compared += 1;
        let rule = &compiled.rule;
        for example in rule.examples.iter().chain(rule.negative_examples) {
            let text = example.concat();
            agree(&rule.id, shape, compiled.regex(), &text);
            for _ in 0..8 {
                agree(&rule.id, shape, compiled.regex(), &noisy(&text, &mut state));
            }
        }
    }
    let all = Sanitizer::builtin().rules.rules.len();
    assert!(
        compared * 20 > all * 19,
        "{compared} of {all} have a matcher"
    );
}

/// Whether a match is found from any of the places of the rule's anchors.
fn is_found(shape: &Shape, anchors: &[crate::rules::rule::Text], text: &str) -> bool {
    let mut turns = Turns::default();
    let lower = text.to_ascii_lowercase();
    anchors.iter().any(|anchor| {
        let anchor = anchor.to_ascii_lowercase();
        let mut places =
            (0..lower.len()).filter(|at| lower.as_bytes()[*at..].starts_with(anchor.as_bytes()));
        places.any(|at| {
            shape.may_stand(text, &(at..at + anchor.len()))
                && shape.around(text, at, 0, &mut turns) != Outcome::Nothing
        })
    })
}

#[test]
fn a_match_is_found_from_its_anchor() {
    let (mut state, mut found) = (0x2545_f491_4f6c_dd1d, 0);
    for compiled in &Sanitizer::builtin().rules.rules {
        let (Some(shape), rule) = (compiled.shape(), &compiled.rule) else {
            continue;
        };
        for example in rule.examples.iter().filter(|_| !rule.anchors.is_empty()) {
            let text = example.concat();
            assert!(
                is_found(shape, &rule.anchors, &text),
                "{} in {text:?}",
                rule.id
            );
            for _ in 0..16 {
                let text = noisy(&format!("{text} {text}"), &mut state);
                let holds_anchor = |found: regex::Match<'_>| {
                    let found = found.as_str().to_ascii_lowercase();
                    let mut anchors = rule.anchors.iter();
                    anchors.any(|anchor| found.contains(&anchor.to_ascii_lowercase()))
                };
                if compiled.regex().find_iter(&text).any(holds_anchor) {
                    found += 1;
                    assert!(
                        is_found(shape, &rule.anchors, &text),
                        "{} in {text:?}",
                        rule.id
                    );
                }
            }
        }
    }
    assert!(found > 1000, "{found} texts still hold a match");
}

#[test]
fn endless_ways_are_given_up_and_left_to_the_other_engine() {
    let mut turns = Turns::default();
    let shape = Shape::new("(?:a|ab|b|ba)+c", &[], 0).unwrap();
    let text = "ab".repeat(200);
    assert_eq!(shape.at(&text, 0, &mut turns), Outcome::GivenUp);
    assert_eq!(
        shape.at("ababc", 0, &mut turns),
        Outcome::Found {
            whole: 0..5,
            secret: 0..5
        }
    );
    assert!(Shape::new("(?:a*)*b", &[], 0).is_none());
}
