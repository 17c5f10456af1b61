//! A clue: one span that a rule wants replaced, before overlaps are settled.

use std::ops::Range;

use crate::RuleGroup;

/// One span a rule wants replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clue {
    pub(crate) span: Range<usize>,
    pub(crate) group: RuleGroup,
    pub(crate) rule: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) replacement: String,
    /// Found by a shape of its own rather than by its surroundings: names the kind on a tie.
    pub(crate) specific: bool,
}

/// Settles overlaps: overlapping spans become one, named by its most specific, then longest clue.
pub(crate) fn settle(mut clues: Vec<Clue>) -> Vec<Clue> {
    clues.sort_by(|a, b| {
        (a.span.start, b.span.end, a.rule).cmp(&(b.span.start, a.span.end, b.rule))
    });
    let mut settled: Vec<Clue> = Vec::with_capacity(clues.len());
    for clue in clues {
        match settled.last_mut() {
            Some(last) if clue.span.start < last.span.end => merge(last, clue),
            _ => settled.push(clue),
        }
    }
    settled
}

fn merge(last: &mut Clue, clue: Clue) {
    let span = last.span.start..last.span.end.max(clue.span.end);
    let names = |clue: &Clue| {
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
