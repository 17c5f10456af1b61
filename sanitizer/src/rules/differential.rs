//! Compares the matchers with `regex`: the tests run it on examples and noise, a fuzzer on anything.

use std::ops::Range;

use regex::Regex;

use crate::rules::pool::POOL;
use crate::rules::rule_set::Compiled;
use crate::rules::shape::{Bytes, Outcome, Shape, Turns};

/// The whole match and the part to be replaced.
type Match = (Range<usize>, Range<usize>);

/// Compares what both engines find that begins at each place of the text. A matcher may give up, but
/// it may not find anything else.
pub(crate) fn engines_agree(compiled: &Compiled, text: &str) {
    let Some(shape) = compiled.shape() else {
        return;
    };
    let mut turns = Turns::default();
    let places = text.char_indices().map(|(start, _)| start);
    for start in places.chain([text.len()]) {
        let found = match shape.may_begin(text, start) {
            true => shape.at(text, start, &mut turns),
            false => Outcome::Nothing,
        };
        let found = match found {
            Outcome::Found { whole, secret } => Some((whole, secret)),
            Outcome::Nothing => None,
            Outcome::GivenUp => continue,
        };
        let expected = found_at(compiled.regex(), text, start);
        let id = &compiled.rule.id;
        assert_eq!(found, expected, "{id} at {start} of {text:?}");
    }
}

/// The match of `regex` that begins at `start`.
fn found_at(regex: &Regex, text: &str, start: usize) -> Option<Match> {
    let found = regex.captures_at(text, start)?;
    let whole = found.get(0)?.range();
    let secret = found.name("secret");
    let secret = secret.map_or(whole.clone(), |secret| secret.range());
    (whole.start == start).then_some((whole, secret))
}

/// Returns whether a plain search of the text finds a match that holds one of the rule's anchors, and
/// panics where no search from an anchor finds one.
pub(crate) fn anchors_agree(compiled: &Compiled, text: &str) -> bool {
    let rule = &compiled.rule;
    let Some(shape) = compiled.shape() else {
        return false;
    };
    let [reach, _] = rule.reach;
    let holds_anchor = |found: regex::Match<'_>| {
        let found = found.as_str().to_ascii_lowercase();
        let mut anchors = rule.anchors.iter();
        anchors.any(|anchor| {
            let place = found.find(&anchor.to_ascii_lowercase());
            place.is_some_and(|place| place <= reach)
        })
    };
    if !compiled.regex().find_iter(text).any(holds_anchor) {
        return false;
    }
    let id = &rule.id;
    assert!(is_found(shape, compiled, text), "{id} in {text:?}");
    true
}

/// Whether a match is found from any of the places of the rule's anchors.
fn is_found(shape: &Shape, compiled: &Compiled, text: &str) -> bool {
    let mut turns = Turns::default();
    let lower = text.to_ascii_lowercase();
    let behind = compiled.rule.behind.iter();
    let behind = behind.map(|number| POOL.bytes.get(usize::from(*number)));
    let behind = behind.chain(std::iter::repeat(None));
    compiled
        .rule
        .anchors
        .iter()
        .zip(behind)
        .any(|(anchor, behind)| {
            let anchor = anchor.to_ascii_lowercase();
            let at_anchor = |at: &usize| {
                let rest = lower.as_bytes().get(*at..).unwrap_or_default();
                rest.starts_with(anchor.as_bytes())
            };
            (0..lower.len()).filter(at_anchor).any(|at| {
                let next = text.as_bytes().get(at + anchor.len());
                let may_match = |behind: &Bytes| next.is_none_or(|next| behind.contains(*next));
                behind.is_none_or(may_match)
                    && shape.may_stand(text, &(at..at + anchor.len()))
                    && shape.around(text, at, 0, &mut turns) != Outcome::Nothing
            })
        })
}
