//! A clue: one span that a rule wants replaced, before overlaps are settled.

use std::borrow::Cow;
use std::ops::Range;

use crate::RuleGroup;
use crate::structure::key::SecretKey;

/// One span a rule wants replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clue<'r> {
    pub(crate) span: Range<usize>,
    pub(crate) group: RuleGroup,
    pub(crate) rule: &'r str,
    pub(crate) kind: &'r str,
    pub(crate) replacement: Cow<'r, str>,
    /// Found by a shape of its own rather than by its surroundings: names the kind on a tie.
    pub(crate) specific: bool,
}

impl Clue<'static> {
    /// Wants the secret replaced that a key names.
    pub(crate) fn keyed(span: Range<usize>, key: SecretKey) -> Self {
        Self {
            span,
            group: RuleGroup::RemoveApiKeys,
            rule: key.rule,
            kind: key.kind,
            replacement: key.placeholder.into(),
            specific: false,
        }
    }
}

/// Settles overlaps: overlapping spans become one, named by its most specific, then longest clue.
pub(crate) fn settle<'r>(mut clues: Vec<Clue<'r>>) -> Vec<Clue<'r>> {
    clues.sort_by(|a, b| {
        (a.span.start, b.span.end, a.rule).cmp(&(b.span.start, a.span.end, b.rule))
    });
    let mut settled: Vec<Clue<'r>> = Vec::with_capacity(clues.len());
    for clue in clues {
        match settled.last_mut() {
            Some(last) if clue.span.start < last.span.end => merge(last, clue),
            _ => settled.push(clue),
        }
    }
    settled
}

fn merge<'r>(last: &mut Clue<'r>, clue: Clue<'r>) {
    let span = last.span.start..last.span.end.max(clue.span.end);
    let names = |clue: &Clue<'_>| {
        (
            clue.specific,
            clue.group == RuleGroup::RemoveApiKeys,
            clue.span.len(),
        )
    };
    let multi_line = last.replacement.contains('\n');
    if !multi_line && names(&clue) > names(last) {
        *last = clue;
    }
    last.span = span;
}
