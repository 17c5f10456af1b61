//! Applies what was found: passes until nothing is left, replaces spans, keeps the lines.

mod hidden;
pub(crate) mod propagate;

use std::collections::HashSet;
use std::ops::Range;

use recall_kit_anonymize::variables;
use recall_kit_evidence::text::tail;
use recall_kit_view::invisible;
use recall_kit_view::{self as view, View};

use crate::allow::Allow;
use crate::clues::{self, Clue, Evidence};
use crate::rules::anchors::{Hit, Replaced};
use crate::rules::scan::{self, Reads, Scratch};
use crate::structure::{columns, keyed, mnemonic, prefixed};
use crate::{Finding, RuleGroup, Sanitized, Sanitizer};
use hidden::Found;
use propagate::{Learnt, Memory};

/// A redaction can uncover another span; two passes end nearly every text, more end all known ones.
const MAX_PASSES: usize = 10;

/// Sanitizes the texts of one document; see [`crate::sanitize_all`].
pub(crate) fn sanitize_all(
    sanitizer: &Sanitizer,
    texts: &[&str],
    groups: &[RuleGroup],
) -> Vec<Sanitized> {
    sanitize_more(sanitizer, texts, groups, &mut Memory::default())
}

/// The same for a part of a longer text: what `memory` holds goes too, and what is found joins it.
pub(crate) fn sanitize_more<'r>(
    sanitizer: &'r Sanitizer,
    texts: &[&str],
    groups: &[RuleGroup],
    memory: &mut Memory<'r>,
) -> Vec<Sanitized> {
    let mut document: Vec<Rewritten> = texts.iter().map(|text| Rewritten::new(text)).collect();
    for _ in 0..MAX_PASSES {
        remove_invisible(&mut document, groups);
        let mut clues = removals(sanitizer, &mut document, groups, memory);
        if groups.contains(&RuleGroup::AnonymizeVariables) && clues.iter().all(Vec::is_empty) {
            clues = document
                .iter()
                .map(|rewritten| {
                    let clues = variables(&rewritten.text)
                        .into_iter()
                        .map(Clue::declared)
                        .collect();
                    not_allowed(&sanitizer.allow, &rewritten.text, clues)
                })
                .collect();
        }
        if clues.iter().all(Vec::is_empty) {
            break;
        }
        for (rewritten, clues) in document.iter_mut().zip(clues) {
            memory.learn(&rewritten.text, &clues);
            rewritten.apply(clues);
        }
    }
    remove_invisible(&mut document, groups);
    document.into_iter().map(Rewritten::finish).collect()
}

/// Removes what nobody sees, so that it hides nothing from the rules. A replaced letter may have
/// needed a joiner, so this runs before every pass.
fn remove_invisible(document: &mut [Rewritten], groups: &[RuleGroup]) {
    let Some(group) = groups.first() else {
        return;
    };
    for rewritten in document {
        let spans = invisible::spans(&rewritten.text).into_iter();
        let clues = spans.map(|span| Clue {
            span,
            group: *group,
            rule: invisible::RULE,
            kind: invisible::KIND,
            replacement: "".into(),
            evidence: Evidence::Shape,
        });
        rewritten.apply(clues.collect());
    }
}

/// Finds for each text what is to be removed, also because another text gives it away.
fn removals<'r>(
    sanitizer: &'r Sanitizer,
    document: &mut [Rewritten],
    groups: &[RuleGroup],
    memory: &mut Memory<'r>,
) -> Vec<Vec<Clue<'r>>> {
    let found: Vec<Found<'r>> = document
        .iter_mut()
        .map(|rewritten| match rewritten.clean {
            true => Found::default(),
            false => by_rules(sanitizer, rewritten, groups),
        })
        .collect();
    for (rewritten, found) in document.iter_mut().zip(&found) {
        rewritten.clean = found.clues.is_empty();
    }
    if let ([rewritten], [found_in_it], true) = (&*document, &*found, memory.is_empty())
        && rewritten.views.is_empty()
        && propagate::stand_once(&rewritten.text, &found_in_it.clues)
    {
        return found.into_iter().map(|found| found.clues).collect();
    }
    let texts = document.iter().map(|rewritten| rewritten.text.as_str());
    let plain = texts.zip(found.iter().map(|found| found.clues.as_slice()));
    let hidden = found.iter().flat_map(|found| &found.hidden);
    let hidden = hidden.map(|hidden| (hidden.secret.as_str(), std::slice::from_ref(&hidden.clue)));
    let learnt = Learnt::from(plain.chain(hidden), memory);
    for hidden in found.iter().flat_map(|found| &found.hidden) {
        memory.learn(&hidden.secret, std::slice::from_ref(&hidden.clue));
    }
    let mut clues: Vec<Vec<Clue<'r>>> = found.into_iter().map(|found| found.clues).collect();
    if let Some(learnt) = learnt {
        for (rewritten, clues) in document.iter().zip(&mut clues) {
            let mut copies = learnt.copies(&rewritten.text);
            copies.extend(hidden::copies(&learnt, &rewritten.text, &rewritten.views));
            copies.retain(|copy| !is_among(clues, copy));
            if !copies.is_empty() {
                clues.append(&mut copies);
                *clues = settle(sanitizer, &rewritten.text, std::mem::take(clues));
            }
        }
    }
    clues
}

/// Whether the same rule found the same span already; `clues` are in order.
fn is_among(clues: &[Clue<'_>], copy: &Clue<'_>) -> bool {
    let passed = clues.partition_point(|clue| clue.span.start < copy.span.start);
    clues
        .get(passed)
        .is_some_and(|clue| clue.span == copy.span && clue.rule == copy.rule)
}

/// Finds what the rules find in a text and in what hides in it.
fn by_rules<'r>(
    sanitizer: &'r Sanitizer,
    rewritten: &mut Rewritten,
    groups: &[RuleGroup],
) -> Found<'r> {
    let removes = groups
        .iter()
        .any(|group| RuleGroup::REMOVAL.contains(group));
    if removes {
        rewritten.views = view::views(&rewritten.text);
    }
    let plain = in_rewritten(sanitizer, rewritten, groups);
    let Rewritten { text, views, .. } = rewritten;
    let mut found = hidden::find(sanitizer, text, plain, views, groups, 0);
    found.clues = settle(sanitizer, &rewritten.text, found.clues);
    found
}

#[cfg(test)]
thread_local! {
    /// How many bytes the rules have read, views and base64 included.
    pub(crate) static JUDGED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Finds what the rules find in a text as it is written.
fn in_plain<'r>(sanitizer: &'r Sanitizer, text: &str, groups: &[RuleGroup]) -> Vec<Clue<'r>> {
    let mut scratch = Scratch::taken();
    sanitizer.rules.anchors.find(text, &mut scratch.hits);
    let clues = at_hits(sanitizer, text, groups, &mut scratch);
    scratch.leave();
    clues
}

/// Finds the same in a text that is being rewritten: what is known of the anchors stays so.
fn in_rewritten<'r>(
    sanitizer: &'r Sanitizer,
    rewritten: &mut Rewritten,
    groups: &[RuleGroup],
) -> Vec<Clue<'r>> {
    /// Shorter texts are read at once.
    const LONG: usize = 4096;
    let text = &rewritten.text;
    let known = std::mem::take(&mut rewritten.anchored);
    if text.len() < LONG {
        return in_plain(sanitizer, text, groups);
    }
    let mut scratch = Scratch::taken();
    let Scratch { hits, reads, .. } = &mut scratch;
    let anchors = &sanitizer.rules.anchors;
    match known {
        Some(known) => {
            let tell = |was| reads.push(known.reads_again(was));
            anchors.find_again(text, (&known.hits, &known.replaced), hits, tell);
        }
        None => {
            anchors.find(text, hits);
            reads.resize(hits.len(), Reads::UNKNOWN);
        }
    }
    let clues = at_hits(sanitizer, text, groups, &mut scratch);
    rewritten.anchored = Some(Anchored {
        hits: std::mem::take(&mut scratch.hits),
        reads: std::mem::take(&mut scratch.reads),
        replaced: Vec::new(),
    });
    scratch.leave();
    clues
}

/// Finds what the rules find at the hits of `scratch`.
fn at_hits<'r>(
    sanitizer: &'r Sanitizer,
    text: &str,
    groups: &[RuleGroup],
    scratch: &mut Scratch,
) -> Vec<Clue<'r>> {
    #[cfg(test)]
    JUDGED.set(JUDGED.get() + text.len());
    let mut clues = scan::clues(&sanitizer.rules, text, groups, scratch);
    clues.extend(keyed::secrets(
        &sanitizer.rules,
        text,
        &scratch.hits,
        groups,
    ));
    if groups.contains(&RuleGroup::RemoveApiKeys) {
        clues.extend(columns::secrets(
            &sanitizer.rules,
            text,
            &scratch.hits,
            groups,
        ));
        clues.extend(prefixed::tokens(text));
        clues.extend(mnemonic::phrases(text));
    }
    clues
}

/// Settles overlaps; what the user allows stays, whether one rule found it or several together.
fn settle<'r>(sanitizer: &Sanitizer, text: &str, clues: Vec<Clue<'r>>) -> Vec<Clue<'r>> {
    let clues = clues::settle(not_allowed(&sanitizer.allow, text, clues));
    let mut clues = not_allowed(&sanitizer.allow, text, clues);
    for clue in &mut clues {
        if is_number_literal(text, &clue.span) {
            clue.replacement = "0".into();
        }
    }
    clues
}

fn not_allowed<'r>(allow: &Allow, text: &str, mut clues: Vec<Clue<'r>>) -> Vec<Clue<'r>> {
    if !allow.is_empty() {
        clues.retain(|clue| {
            !text
                .get(clue.span.clone())
                .is_some_and(|found| allow.allows(found))
        });
    }
    clues
}

/// How much before a number is read, in bytes.
const LONGEST_KEY: usize = 200;

/// Whether the span is a number that is the value of a key in quotes or of an assignment: words
/// there would break JSON, TOML and code.
fn is_number_literal(text: &str, span: &Range<usize>) -> bool {
    let (Some(before), Some(found), Some(after)) = (
        text.get(..span.start),
        text.get(span.clone()),
        text.get(span.end..),
    ) else {
        return false;
    };
    let near = tail(before, LONGEST_KEY);
    let line = near.rsplit('\n').next().unwrap_or_default().trim_end();
    let in_quotes = line
        .strip_suffix(':')
        .is_some_and(|key| key.trim_end().ends_with(['"', '\'']));
    let assigned = before.ends_with(' ')
        && line.strip_suffix(" =").is_some_and(|name| {
            name.trim()
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
        });
    found.bytes().all(|b| b.is_ascii_digit())
        && (in_quotes || assigned)
        && (after.is_empty()
            || after
                .trim_start_matches([' ', '\t'])
                .starts_with([',', '}', ']', '\n', '\r']))
}

/// A text being rewritten, which remembers where everything stood in the input.
struct Rewritten {
    text: String,
    findings: Vec<Finding>,
    /// Replaced pieces so far, in order.
    pieces: Vec<Piece>,
    /// The parts of the text that are read differently from how they are written.
    views: Vec<View>,
    /// What is known of the anchors in the text.
    anchored: Option<Anchored>,
    /// The rules find nothing in the text as it is.
    clean: bool,
}

/// Anchors of a text, and what has been replaced in it since.
#[derive(Debug)]
struct Anchored {
    hits: Vec<Hit>,
    /// What the rules read around each of them.
    reads: Vec<Reads>,
    replaced: Vec<Replaced>,
}

impl Anchored {
    /// What the rules have read around a hit, if nothing of it was replaced; `was` is the number of the hit
    /// and the part of the former text that is as it was.
    fn reads_again(&self, was: Option<(usize, Range<usize>)>) -> Reads {
        was.and_then(|(number, part)| {
            let (hit, reads) = (self.hits.get(number)?, self.reads.get(number)?);
            reads.are_in(hit.start, &part).then_some(*reads)
        })
        .unwrap_or(Reads::UNKNOWN)
    }
}

impl Rewritten {
    fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            findings: Vec::new(),
            pieces: Vec::new(),
            views: Vec::new(),
            anchored: None,
            clean: false,
        }
    }

    /// The result, its findings in order of position.
    fn finish(self) -> Sanitized {
        let mut findings = self.findings;
        findings.sort_by_key(|finding| (finding.span.start, finding.span.end));
        Sanitized {
            text: self.text,
            findings,
        }
    }

    /// Replaces the spans of `clues`, which are in order and apart.
    fn apply(&mut self, clues: Vec<Clue<'_>>) {
        if clues.is_empty() {
            return;
        }
        self.clean = false;
        let mut text = String::with_capacity(self.text.len());
        let mut pieces = Vec::with_capacity(self.pieces.len() + clues.len());
        let mut older = self.pieces.iter().peekable();
        let mut found_now = Vec::with_capacity(clues.len());
        let mut swallowed = Vec::new();
        let mut replaced = Vec::with_capacity(clues.len());
        let mut read = 0;
        for clue in clues {
            let (Some(kept), Some(found)) = (
                self.text.get(read..clue.span.start),
                self.text.get(clue.span.clone()),
            ) else {
                continue;
            };
            while let Some(piece) = older.next_if(|piece| piece.now.end <= clue.span.start) {
                pieces.push(piece.moved(read, text.len()));
            }
            while let Some(piece) = older.next_if(|piece| piece.now.start < clue.span.end) {
                swallowed.push(piece.input.clone());
            }
            text.push_str(kept);
            let replacement = line_by_line(found, &clue.replacement);
            let start = text.len();
            text.push_str(&replacement);
            let input = self.in_input(clue.span.start, Edge::Start)
                ..self.in_input(clue.span.end, Edge::End);
            pieces.push(Piece {
                now: start..text.len(),
                input: input.clone(),
            });
            replaced.push(Replaced {
                was: clue.span.clone(),
                is: start..text.len(),
            });
            read = clue.span.end;
            found_now.push(finding(&clue, input, replacement));
        }
        pieces.extend(older.map(|piece| piece.moved(read, text.len())));
        text.push_str(self.text.get(read..).unwrap_or_default());
        let swallowed: HashSet<Range<usize>> = swallowed.into_iter().collect();
        self.findings
            .retain(|finding| !swallowed.contains(&finding.span));
        self.findings.append(&mut found_now);
        self.pieces = pieces;
        self.text = text;
        self.anchored = self
            .anchored
            .take()
            .filter(|anchored| anchored.replaced.is_empty())
            .map(|anchored| Anchored {
                replaced,
                ..anchored
            });
    }

    /// Maps a position in the present text to the input; inside a piece, to that edge of it. Where
    /// text was removed at the position, a start maps behind it and an end before it.
    fn in_input(&self, at: usize, edge: Edge) -> usize {
        let passed = self.pieces.partition_point(|piece| match edge {
            Edge::Start => piece.now.end <= at,
            Edge::End => piece.now.end <= at && piece.now.start < at,
        });
        match self.pieces.get(passed) {
            Some(piece) if piece.now.start < at => match edge {
                Edge::Start => return piece.input.start,
                Edge::End => return piece.input.end,
            },
            _ => {}
        }
        match passed.checked_sub(1).and_then(|last| self.pieces.get(last)) {
            Some(piece) => piece.input.end + (at - piece.now.end),
            None => at,
        }
    }
}

#[derive(Clone, Copy)]
enum Edge {
    Start,
    End,
}

/// A replaced piece: where it stands now and where in the input.
struct Piece {
    now: Range<usize>,
    input: Range<usize>,
}

impl Piece {
    /// The piece after what stood at `from` has come to stand at `to`.
    fn moved(&self, from: usize, to: usize) -> Self {
        Self {
            now: self.now.start - from + to..self.now.end - from + to,
            input: self.input.clone(),
        }
    }
}

fn finding(clue: &Clue<'_>, span: Range<usize>, replacement: String) -> Finding {
    Finding {
        group: (clue.rule != invisible::RULE).then_some(clue.group),
        rule: clue.rule.to_owned(),
        kind: clue.kind.to_owned(),
        span,
        replacement,
    }
}

/// Replaces every non-blank line of `found`, so that the number of lines and their indent stay.
fn line_by_line(found: &str, replacement: &str) -> String {
    if !found.contains('\n') {
        return replacement.to_owned();
    }
    let lines: Vec<String> = found
        .split('\n')
        .map(|line| {
            let indent = line.len() - line.trim_start().len();
            match (line.trim().is_empty(), line.get(..indent)) {
                (false, Some(indent)) => format!("{indent}{replacement}"),
                _ => line.to_owned(),
            }
        })
        .collect();
    lines.join("\n")
}
