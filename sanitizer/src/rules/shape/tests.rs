//! The matchers find what the linear-time engine finds, rule by rule, on examples and on noise around them.

use super::{Outcome, Shape, Turns};
use crate::Sanitizer;
use crate::rules::differential::{anchors_agree, engines_agree};

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

#[test]
fn matchers_agree_with_the_linear_time_engine() {
    let mut state = 0x9e37_79b9_7f4a_7c15;
    let mut compared = 0;
    for compiled in &Sanitizer::builtin().rules.rules {
        if compiled.shape().is_none() {
            continue;
        }
        compared += 1;
        let rule = &compiled.rule;
        for example in rule.examples.iter().chain(rule.negative_examples) {
            let text = example.concat();
            engines_agree(compiled, &text);
            for _ in 0..8 {
                engines_agree(compiled, &noisy(&text, &mut state));
            }
        }
    }
    let all = Sanitizer::builtin().rules.rules.len();
    assert!(
        compared * 20 > all * 19,
        "{compared} of {all} have a matcher"
    );
}

#[test]
fn a_match_is_found_from_its_anchor() {
    let (mut state, mut found) = (0x2545_f491_4f6c_dd1d, 0);
    for compiled in &Sanitizer::builtin().rules.rules {
        let rule = &compiled.rule;
        if compiled.shape().is_none() || rule.anchors.is_empty() {
            continue;
        }
        for example in rule.examples {
            let text = example.concat();
            anchors_agree(compiled, &text);
            for _ in 0..16 {
                let text = noisy(&format!("{text} {text}"), &mut state);
                found += usize::from(anchors_agree(compiled, &text));
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
