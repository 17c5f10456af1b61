//! What the build script packed reads back as the matcher of its expression.

use super::of_rule;
use crate::Sanitizer;
use crate::rules::pool::POOL;
use crate::rules::shape::Shape;

#[test]
fn packed_matchers_read_back_as_their_expressions() {
    let mut compared = 0;
    for compiled in &Sanitizer::builtin().rules.rules {
        let rule = &compiled.rule;
        let [before, _] = rule.reach;
        let expected = of_rule(&rule.pattern, &rule.anchors, rule.beside, before);
        assert_eq!(compiled.shape(), expected.as_ref(), "{}", rule.id);
        compared += usize::from(expected.is_some());
    }
    assert!(compared > 500, "{compared} rules have a matcher");
}

#[test]
fn bytes_that_are_no_matcher_are_refused() {
    let rules = &Sanitizer::builtin().rules.rules;
    let packed = rules.iter().find_map(|compiled| compiled.rule.matcher);
    let packed = packed.unwrap();
    assert!(Shape::read(packed, &POOL).is_some());
    for length in 0..packed.len() {
        assert!(Shape::read(&packed[..length], &POOL).is_none(), "{length}");
    }
}
