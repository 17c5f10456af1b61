//! What the build script packed reads back as the matcher of its expression.

use super::{behind, of_rule};
use crate::Sanitizer;
use crate::rules::pool::POOL;
use crate::rules::shape::{Bytes, Shape};

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

/// What may stand right behind each anchor, in ASCII; nothing where that is unknown.
fn behind(pattern: &str, anchors: &[&str], most: usize) -> Option<Vec<String>> {
    let hir = regex_syntax::parse(pattern).unwrap();
    let anchors: Vec<String> = anchors.iter().map(ToString::to_string).collect();
    let behind = behind::of_first(&hir, &anchors, most)?;
    let ascii = |bytes: &Bytes| (' '..='~').filter(|c| bytes.contains(*c as u8)).collect();
    Some(behind.next.iter().map(ascii).collect())
}

#[test]
fn what_follows_an_anchor_is_known() {
    let known = |behind: &[&str]| Some(behind.iter().map(ToString::to_string).collect());
    assert_eq!(behind("codes?[ :=]x", &["code"], 0), known(&[" :=s"]));
    assert_eq!(
        behind("(?i:my (?:login|nick) )?name=[a-c]", &["name="], 9),
        known(&["abc"])
    );
    // Each anchor by itself.
    assert_eq!(
        behind("pin[0-3]|tan:", &["pin", "tan"], 0),
        known(&["0123", ":"])
    );
    // What stands in a gap is passed over.
    assert_eq!(
        behind("ab[a-z]{0,60}name=[xy]", &["name="], 62),
        known(&["xy"])
    );
}

#[test]
fn nothing_is_known_where_a_match_is_found_from_elsewhere() {
    // It may have no anchor.
    assert_eq!(behind("codes?|pin", &["code"], 3), None);
    // The anchor ends in the gap.
    assert_eq!(behind("domain[ \\t]+[a-c]", &["domain "], 1), None);
    // An anchor in the gap is near enough, the one behind it may be too far.
    assert_eq!(behind("ab[a-z =]{0,60}name=[xy]", &["name="], 40), None);
    // The longer of two anchors that end together is near enough, the shorter one is not.
    let known = behind("x-signature=[ab]", &["signature=", "x-signature="], 1);
    assert_eq!(known, Some(vec!["ab".to_owned(); 2]));
}
