//! A clue: one span that a rule wants replaced, before overlaps are settled.

use std::borrow::Cow;
use std::ops::Range;

use recall_kit_anonymize::Variable;
use recall_kit_evidence::keys::key::{Meaning, SecretKey};

use crate::RuleGroup;

/// One span a rule wants replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clue<'r> {
    pub(crate) span: Range<usize>,
    pub(crate) group: RuleGroup,
    pub(crate) rule: &'r str,
    pub(crate) kind: &'r str,
    pub(crate) replacement: Cow<'r, str>,
    /// What it was found by; the better evidence names the kind on a tie.
    pub(crate) evidence: Evidence,
}

/// What a span was found by, the better the later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Evidence {
    /// A key beside it, or a copy elsewhere.
    Surroundings,
    /// A rule that knows what stands around it, such as `Bearer …`, and little of what it is.
    Frame,
    /// A rule that knows what it looks like, such as `ghp_…`.
    Shape,
}

/// Returns the group of rules that removes what a key names.
pub(crate) fn group_of(key: SecretKey) -> RuleGroup {
    match key.meaning {
        Meaning::User | Meaning::Person => RuleGroup::RemovePersonalInfo,
        _ => RuleGroup::RemoveApiKeys,
    }
}

impl Clue<'static> {
    /// Wants replaced what a key names.
    pub(crate) fn keyed(span: Range<usize>, key: SecretKey) -> Self {
        Self {
            span,
            group: group_of(key),
            rule: key.rule,
            kind: key.kind,
            replacement: key.placeholder.into(),
            evidence: Evidence::Surroundings,
        }
    }

    /// Wants a declared name replaced by a neutral one.
    pub(crate) fn declared(variable: Variable) -> Self {
        Self {
            span: variable.span,
            group: RuleGroup::AnonymizeVariables,
            rule: "declared-name",
            kind: "variable name",
            replacement: variable.replacement.into(),
            evidence: Evidence::Surroundings,
        }
    }
}

/// Settles overlaps: overlapping spans become one. A rule's clue decides the replacement, then one
/// for API keys, then the longest.
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
    let weight = |clue: &Clue<'_>| {
        (
            clue.evidence > Evidence::Surroundings,
            clue.group == RuleGroup::RemoveApiKeys,
            clue.span.len(),
        )
    };
    let multi_line = last.replacement.contains('\n');
    if !multi_line && weight(&clue) > weight(last) {
        let other = std::mem::replace(last, clue);
        name_by_shape(last, &other);
    } else {
        name_by_shape(last, &clue);
    }
    last.span = span;
}

/// Names a framed span after the shape inside it, if the shape covers at least half of it. The
/// replacement stays: it fits the frame.
fn name_by_shape<'r>(frame: &mut Clue<'r>, shape: &Clue<'r>) {
    let is_framed = (frame.evidence, shape.evidence) == (Evidence::Frame, Evidence::Shape);
    if is_framed && frame.group == shape.group && shape.span.len() * 2 >= frame.span.len() {
        (frame.rule, frame.kind) = (shape.rule, shape.kind);
        frame.evidence = Evidence::Shape;
    }
}
