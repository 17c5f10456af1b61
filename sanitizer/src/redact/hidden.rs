//! Finds what hides: runs the rules over views of a text and over what its base64 spells, and says where
//! that is written.

use std::collections::HashSet;
use std::ops::Range;

use recall_kit_evidence::secrets::chosen;
use recall_kit_view::{self as view, View, base64};

use super::{in_plain, not_allowed};
use crate::clues::{self, Clue, Evidence};
use crate::redact::propagate::Learnt;
use crate::{RuleGroup, Sanitizer};

/// How many texts of base64 may stand in each other.
const DEPTH: usize = 2;

/// How far before a secret something that was undone may have hidden it, in bytes: in its key.
const CONTEXT: usize = 96;

/// Longest base64 that goes for an address or a name in it, in bytes. More of it is a document.
const MAX_DOCUMENT: usize = 512;

/// What was found in a text.
#[derive(Debug, Default)]
pub(super) struct Found<'r> {
    pub(super) clues: Vec<Clue<'r>>,
    /// Secrets as they are read, where they are written differently.
    pub(super) hidden: Vec<Hidden<'r>>,
}

/// A secret as it is read.
#[derive(Debug)]
pub(super) struct Hidden<'r> {
    pub(super) secret: String,
    /// Its span is all of the secret.
    pub(super) clue: Clue<'r>,
}

/// Where something is found as it is written.
#[derive(Debug, Default)]
struct Plain {
    starts: HashSet<usize>,
    /// In order and apart.
    spans: Vec<Range<usize>>,
}

impl Plain {
    fn of(clues: &[Clue<'_>]) -> Self {
        let mut all: Vec<Range<usize>> = clues.iter().map(|clue| clue.span.clone()).collect();
        all.sort_unstable_by_key(|span| span.start);
        let mut spans: Vec<Range<usize>> = Vec::with_capacity(all.len());
        for span in &all {
            match spans.last_mut() {
                Some(last) if span.start < last.end => last.end = last.end.max(span.end),
                _ => spans.push(span.clone()),
            }
        }
        let starts = all.into_iter().map(|span| span.start).collect();
        Self { starts, spans }
    }

    /// Whether all of a part goes anyway.
    fn covers(&self, part: &Range<usize>) -> bool {
        let passed = self.spans.partition_point(|span| span.end < part.end);
        let span = self.spans.get(passed);
        span.is_some_and(|span| span.start <= part.start && part.end <= span.end)
    }
}

impl<'r> Hidden<'r> {
    fn new(text: &str, clue: &Clue<'r>) -> Option<Self> {
        let secret = text.get(clue.span.clone())?.to_owned();
        let mut clue = clue.clone();
        clue.span = 0..secret.len();
        Some(Self { secret, clue })
    }
}

/// Adds to what stands in a text plainly what hides in its views and in its base64. Clues may overlap.
pub(super) fn find<'r>(
    sanitizer: &'r Sanitizer,
    text: &str,
    plain: Vec<Clue<'r>>,
    views: &[View],
    groups: &[RuleGroup],
    depth: usize,
) -> Found<'r> {
    let mut found = Found {
        clues: plain,
        hidden: Vec::new(),
    };
    found.add_spelt(sanitizer, text, None, groups, depth);
    if views.is_empty() {
        return found;
    }
    let plain = Plain::of(&found.clues);
    for view in views {
        let mut read = Found {
            clues: in_plain(sanitizer, &view.text, groups),
            hidden: Vec::new(),
        };
        read.add_spelt(sanitizer, &view.text, Some(view), groups, depth);
        found.hidden.append(&mut read.hidden);
        let clues = not_allowed(&sanitizer.allow, &view.text, read.clues);
        for clue in clues::settle(clues) {
            found.add_read(text, view, &clue, &plain);
        }
    }
    found
}

/// Finds every copy of what was learnt that hides in a view.
pub(super) fn copies<'r>(learnt: &Learnt<'r>, text: &str, views: &[View]) -> Vec<Clue<'r>> {
    let mut found = Found::default();
    for view in views {
        for clue in learnt.copies(&view.text) {
            if view.is_rewritten_at(&clue.span) {
                found.add_read(text, view, &clue, &Plain::default());
            }
        }
    }
    found.clues
}

impl<'r> Found<'r> {
    /// Adds what is read in a view, where it is written. What something else begins inside of, as in a
    /// list of tokens, is no single secret.
    fn add_read(&mut self, text: &str, view: &View, clue: &Clue<'r>, plain: &Plain) {
        let near = clue.span.start.saturating_sub(CONTEXT)..clue.span.end + 1;
        if !view.is_rewritten_at(&near) {
            return;
        }
        let Some(parts) = view.written(text, &clue.span) else {
            return;
        };
        let begins = |part: &Range<usize>| plain.starts.contains(&part.start);
        if parts.iter().skip(1).any(begins) {
            return;
        }
        // Elsewhere it may stand without what hides it here.
        self.hidden.extend(Hidden::new(&view.text, clue));
        if parts.iter().all(|part| plain.covers(part)) {
            return;
        }
        for (place, span) in parts.into_iter().enumerate() {
            let mut part = clue.clone();
            part.span = span;
            if place > 0 {
                part.replacement = "".into();
            }
            self.clues.push(part);
        }
    }

    /// Adds runs of base64 that spell something to be removed; in a view those that hide there.
    fn add_spelt(
        &mut self,
        sanitizer: &'r Sanitizer,
        text: &str,
        view: Option<&View>,
        groups: &[RuleGroup],
        depth: usize,
    ) {
        if depth >= DEPTH {
            return;
        }
        let hides = |span: &Range<usize>| view.is_none_or(|view| view.is_rewritten_at(span));
        for spelt in base64::spelt(text, hides) {
            let views = view::views(&spelt.text);
            let plain = in_plain(sanitizer, &spelt.text, groups);
            let inner = find(sanitizer, &spelt.text, plain, &views, groups, depth + 1);
            let clues = not_allowed(&sanitizer.allow, &spelt.text, inner.clues);
            let counts = |clue: &&Clue<'_>| {
                let is_key = clue.group == RuleGroup::RemoveApiKeys;
                !clue.replacement.is_empty() && (is_key || spelt.span.len() <= MAX_DOCUMENT)
            };
            let named = clues
                .iter()
                .filter(counts)
                .min_by_key(|clue| (clue.group != RuleGroup::RemoveApiKeys, clue.span.start))
                .cloned()
                .or_else(|| credentials(&spelt.text, groups));
            let Some(named) = named else { continue };
            self.hidden.extend(
                clues
                    .iter()
                    .filter_map(|clue| Hidden::new(&spelt.text, clue)),
            );
            self.clues.push(Clue {
                span: spelt.span,
                evidence: Evidence::Surroundings,
                ..named
            });
        }
    }
}

/// `jane.doe:Secret2031`: base64 of a name and a password, as HTTP's basic authentication has it.
fn credentials(text: &str, groups: &[RuleGroup]) -> Option<Clue<'static>> {
    let (name, password) = text.trim_end().split_once(':')?;
    let is_name = (2..=40).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-' | b'@'));
    let has = |is: fn(&u8) -> bool| password.bytes().any(|b| is(&b));
    let is_strong = has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && !password.contains([':', '/']);
    let found = groups.contains(&RuleGroup::RemoveApiKeys)
        && is_name
        && is_strong
        && chosen::is_password(password, true);
    found.then(|| Clue {
        span: 0..text.len(),
        group: RuleGroup::RemoveApiKeys,
        rule: "encoded-credentials",
        kind: "name and password in base64",
        replacement: "YOUR_CREDENTIALS".into(),
        evidence: Evidence::Surroundings,
    })
}
