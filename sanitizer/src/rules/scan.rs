//! Runs the rules: one pass over all anchors, then each woken rule where its anchor stands.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;

use recall_kit_evidence::text::floor;
use regex::Regex;

use crate::RuleGroup;
use crate::clues::{Clue, Evidence};
use crate::rules::anchors::{Found, Hit};
use crate::rules::check::holds;
use crate::rules::rule::Rule;
use crate::rules::rule_set::{Compiled, RuleSet};
use crate::rules::shape::{Outcome, Turns};

/// What scanning needs besides the text, kept from text to text.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    pub(crate) hits: Vec<Hit>,
    /// What was read around each hit, where that is noted. Hits of which it is known are passed over:
    /// their rules match nothing.
    pub(crate) reads: Vec<Reads>,
    /// For each rule where its next match may begin; zero but for those that matched.
    next: Vec<usize>,
    /// The rules that matched.
    matched: Vec<usize>,
    turns: Turns,
}

/// How far around a hit its rules have read a text in vain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reads {
    /// In bytes before the beginning of the hit.
    before: u32,
    /// In bytes behind it.
    behind: u32,
}

impl Reads {
    /// The rules of a hit have not been tried, or found something.
    pub(crate) const UNKNOWN: Self = Self {
        before: u32::MAX,
        behind: u32::MAX,
    };

    /// How much is read beside what the matchers note: the characters and places next to it.
    const BESIDE: usize = 48;

    fn new(hit: usize, read: &Range<usize>) -> Self {
        let bytes = |length: usize| u32::try_from(length + Self::BESIDE).unwrap_or(u32::MAX);
        Self {
            before: bytes(hit.saturating_sub(read.start)),
            behind: bytes(read.end.saturating_sub(hit)),
        }
    }

    /// Whether all that was read around a hit stands in a part of the text.
    pub(crate) fn are_in(self, hit: usize, part: &Range<usize>) -> bool {
        let before = part.start.saturating_add(self.before as usize);
        let behind = hit.saturating_add(self.behind as usize);
        self != Self::UNKNOWN && before <= hit && behind <= part.end
    }
}

/// Most hits for which there is room kept.
const ROOM: usize = 1 << 16;

thread_local! {
    static SCRATCH: Cell<Scratch> = Cell::default();
}

impl Scratch {
    /// Takes what the last scan of the thread left.
    pub(crate) fn taken() -> Self {
        let mut scratch = SCRATCH.take();
        scratch.hits.clear();
        scratch.reads.clear();
        scratch
    }

    /// Leaves the room to the next scan of the thread.
    pub(crate) fn leave(mut self) {
        self.hits.clear();
        self.hits.shrink_to(ROOM);
        self.reads.clear();
        self.reads.shrink_to(ROOM);
        SCRATCH.set(self);
    }
}

/// Steps that the matchers of all rules may take together, for each byte of a text and besides: far
/// more than any text but one made to be slow.
const STEPS_A_BYTE: usize = 64;
const SPARE_STEPS: usize = 100_000;

/// The steps that the matchers may take in a text of `length` bytes, after which the linear-time
/// engine does the rest.
pub(crate) const fn budget(length: usize) -> usize {
    SPARE_STEPS + STEPS_A_BYTE * length
}

/// Finds every span that a rule of the given groups matches, by rules alone.
pub(crate) fn alone<'r>(set: &'r RuleSet, text: &str, groups: &[RuleGroup]) -> Vec<Clue<'r>> {
    let mut scratch = Scratch::default();
    set.anchors.find(text, &mut scratch.hits);
    clues(set, text, groups, &mut scratch)
}

/// The steps that all rules together take in a text.
#[cfg(test)]
pub(crate) fn steps(set: &RuleSet, text: &str) -> usize {
    let mut scratch = Scratch::default();
    set.anchors.find(text, &mut scratch.hits);
    clues(set, text, &RuleGroup::REMOVAL, &mut scratch);
    scratch.turns.spent
}

/// Finds every span that a rule of the given groups matches, at the hits of `scratch`.
pub(crate) fn clues<'r>(
    set: &'r RuleSet,
    text: &str,
    groups: &[RuleGroup],
    scratch: &mut Scratch,
) -> Vec<Clue<'r>> {
    let Scratch {
        hits,
        reads,
        next,
        matched,
        turns,
    } = scratch;
    turns.spent = 0;
    for index in matched.drain(..) {
        next.get_mut(index).into_iter().for_each(|next| *next = 0);
    }
    next.resize(set.rules.len(), 0);
    let mut scan = Scan {
        set,
        text,
        groups: groups
            .iter()
            .fold(0, |bits, group| bits | 1 << *group as u8),
        budget: budget(text.len()),
        next,
        matched,
        turns,
        is_vain: true,
        windows: BTreeMap::new(),
        clues: Vec::new(),
    };
    let mut reads = reads.iter_mut();
    for hit in hits {
        match reads.next() {
            None => scan.try_at(hit),
            Some(reads) if *reads == Reads::UNKNOWN => *reads = scan.noted_at(hit),
            Some(_) => {}
        }
    }
    scan.search_windows();
    scan.clues
}

/// The scan of one text.
struct Scan<'r, 's> {
    set: &'r RuleSet,
    text: &'s str,
    /// The groups that are asked for, as bits.
    groups: u8,
    /// Steps after which the linear-time engine does the rest.
    budget: usize,
    next: &'s mut [usize],
    matched: &'s mut Vec<usize>,
    turns: &'s mut Turns,
    /// No rule has found anything, or has anything left to do, since that was asked last.
    is_vain: bool,
    /// For each rule without a shape the parts of the text that it may match in.
    windows: BTreeMap<usize, Vec<Range<usize>>>,
    clues: Vec<Clue<'r>>,
}

impl<'r> Scan<'r, '_> {
    /// Runs the rules of a hit.
    fn try_at(&mut self, hit: &Hit) {
        match hit.anchor {
            Found::Anchor(anchor) => {
                let length = self.set.anchors.length(hit.anchor);
                self.wake(anchor, hit.start..hit.start + length);
            }
            Found::Watched => self.start(hit.start),
        }
    }

    /// The same; returns how much of the text they read where they find nothing.
    fn noted_at(&mut self, hit: &Hit) -> Reads {
        let end = hit.start + self.set.anchors.length(hit.anchor);
        self.turns.note(hit.start..end);
        self.is_vain = true;
        self.try_at(hit);
        match self.is_vain {
            true => Reads::new(hit.start, self.turns.read()),
            false => Reads::UNKNOWN,
        }
    }

    /// Runs the rules that an anchor wakes.
    fn wake(&mut self, anchor: u32, span: Range<usize>) {
        for waking in self.set.woken(anchor) {
            let in_budget = self.turns.spent < self.budget;
            if in_budget && !waking.may_match(self.text.as_bytes(), span.end) {
                continue;
            }
            let index = waking.rule;
            let Some((compiled, from)) = self.wanted(index) else {
                continue;
            };
            match compiled.shape().filter(|_| in_budget) {
                Some(shape) if span.start >= from && shape.may_stand(self.text, &span) => {
                    let found = shape.around(self.text, span.start, from, self.turns);
                    self.is_vain &= found == Outcome::Nothing && from <= self.turns.read().start;
                    self.take(index, found, &span);
                }
                Some(_) => self.is_vain &= from <= span.start,
                None => {
                    self.is_vain = false;
                    self.open_window(index, &span);
                }
            }
        }
    }

    /// Runs the rules without anchors that may match at `at`.
    fn start(&mut self, at: usize) {
        let mut bits = self.set.starters.at(self.text.as_bytes(), at);
        while bits != 0 {
            let starter = bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let Some(&index) = self.set.starters.rules.get(starter) else {
                continue;
            };
            let Some((compiled, from)) = self.wanted(index) else {
                continue;
            };
            if self.turns.spent >= self.budget {
                self.is_vain = false;
                self.open_window(index, &(at..at));
            } else if let Some(shape) = compiled.shape()
                && at >= from
            {
                let found = shape.at(self.text, at, self.turns);
                self.is_vain &= found == Outcome::Nothing;
                self.take(index, found, &(at..at));
            } else {
                self.is_vain = false;
            }
        }
    }

    /// The rule of a number when its group is asked for, and where its next match may begin.
    fn wanted(&self, index: usize) -> Option<(&'r Compiled, usize)> {
        let compiled = self.set.rules.get(index)?;
        let from = *self.next.get(index)?;
        (self.groups >> compiled.rule.group as u8 & 1 == 1).then_some((compiled, from))
    }

    /// Takes what a search around `anchor` came to.
    fn take(&mut self, index: usize, found: Outcome, anchor: &Range<usize>) {
        let Some((compiled, from)) = self.wanted(index) else {
            return;
        };
        let (whole, secret) = match found {
            Outcome::Nothing => return,
            Outcome::Found { whole, secret } => (whole, secret),
            Outcome::GivenUp => match self.search_linearly(compiled, anchor, from) {
                Some(found) => found,
                None => return,
            },
        };
        let span = whole_token(self.text, secret, &compiled.rule);
        if let Some(next) = self.next.get_mut(index) {
            self.matched.push(index);
            *next = span.end.max(self.text.ceil_char_boundary(whole.start + 1));
        }
        self.clues.extend(clue(self.text, compiled, span));
    }

    /// The next match of a rule whose matcher gave up, by the engine that never does.
    fn search_linearly(
        &mut self,
        compiled: &Compiled,
        anchor: &Range<usize>,
        from: usize,
    ) -> Option<(Range<usize>, Range<usize>)> {
        let [before, after] = compiled.rule.reach;
        let start = floor(self.text, anchor.start.saturating_sub(before)).max(from);
        let end = window_end(self.text, anchor.end + after, &compiled.rule);
        self.turns.spent += end.saturating_sub(start);
        found_by(compiled.regex(), self.text.get(..end)?, start)
    }

    /// Notes where a rule without a shape is to search. Windows that overlap become one, so that no
    /// byte is searched twice by a rule however many anchors stand close together.
    fn open_window(&mut self, index: usize, anchor: &Range<usize>) {
        let Some(compiled) = self.set.rules.get(index) else {
            return;
        };
        let [before, after] = compiled.rule.reach;
        let start = floor(self.text, anchor.start.saturating_sub(before));
        let windows = self.windows.entry(index).or_default();
        let reached = floor(self.text, anchor.end + after);
        if windows.last().is_some_and(|last| reached <= last.end) {
            return;
        }
        let end = window_end(self.text, reached, &compiled.rule);
        match windows.last_mut() {
            Some(last) if start <= last.end => {
                last.start = last.start.min(start);
                last.end = last.end.max(end);
            }
            _ => windows.push(start..end),
        }
    }

    /// Takes every match in the noted windows. The next one may begin where the secret ends: what
    /// stands behind it is often what has to stand before the next.
    fn search_windows(&mut self) {
        for &index in &self.set.unanchored {
            if self.wanted(index).is_some() {
                let whole = 0..self.text.len();
                self.windows.insert(index, vec![whole]);
            }
        }
        for (index, windows) in std::mem::take(&mut self.windows) {
            let Some(compiled) = self.set.rules.get(index) else {
                continue;
            };
            for window in windows {
                let mut at = window.start;
                while let Some(haystack) = self.text.get(..window.end)
                    && at <= haystack.len()
                    && let Some((_, secret)) = found_by(compiled.regex(), haystack, at)
                {
                    let span = whole_token(self.text, secret, &compiled.rule);
                    at = span.end.max(self.text.ceil_char_boundary(at + 1));
                    self.clues.extend(clue(self.text, compiled, span));
                }
            }
        }
    }
}

/// The next match from `at` on, and the part of it to be replaced.
fn found_by(regex: &Regex, haystack: &str, at: usize) -> Option<(Range<usize>, Range<usize>)> {
    let captures = regex.captures_at(haystack, at)?;
    let whole = captures.get(0)?.range();
    let secret = captures
        .name("secret")
        .map_or(whole.clone(), |secret| secret.range());
    Some((whole, secret))
}

/// No window cuts a secret: where its reach ends inside a run of visible characters, it goes on to
/// the end of the run and to the character behind, which a rule may ask for.
fn window_end(text: &str, end: usize, rule: &Rule) -> usize {
    let end = floor(text, end);
    let visible = |b: u8| b.is_ascii_graphic() && !matches!(b, b'"' | b'\'' | b'`' | b'<' | b'>');
    match rule.group {
        RuleGroup::RemoveApiKeys => text.ceil_char_boundary(run_end(text, end, visible) + 1),
        _ => end,
    }
}

/// The whole secret: a token longer than its rule knows goes to its last character.
fn whole_token(text: &str, span: Range<usize>, rule: &Rule) -> Range<usize> {
    let token = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let ends_in_token = text
        .as_bytes()
        .get(..span.end)
        .and_then(<[u8]>::last)
        .is_some_and(|last| token(*last) || *last == b'=');
    match rule.group {
        RuleGroup::RemoveApiKeys if ends_in_token => span.start..run_end(text, span.end, token),
        _ => span,
    }
}

/// Where the run of bytes that `belongs` accepts, all of them ASCII, ends from `at` on.
fn run_end(text: &str, at: usize, belongs: impl Fn(u8) -> bool) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    at + rest.iter().take_while(|b| belongs(**b)).count()
}

fn clue<'r>(text: &str, compiled: &'r Compiled, span: Range<usize>) -> Option<Clue<'r>> {
    let rule = &compiled.rule;
    let matched = text.get(span.clone())?;
    if matched.is_empty() || matched == rule.replacement || !holds(rule.check, text, &span, matched)
    {
        return None;
    }
    Some(Clue {
        span,
        group: rule.group,
        rule: &rule.id,
        kind: &rule.kind,
        replacement: Cow::Borrowed(&*rule.replacement),
        evidence: evidence(rule, matched),
    })
}

/// Returns `Shape` if the whole match is the secret or the secret contains an anchor, otherwise
/// `Frame`.
fn evidence(rule: &Rule, matched: &str) -> Evidence {
    let starts_from = |anchor: &str| {
        let mut windows = matched.as_bytes().windows(anchor.len().max(1));
        windows.any(|window| window.eq_ignore_ascii_case(anchor.as_bytes()))
    };
    let is_whole = !rule.pattern.contains("(?P<secret>");
    match is_whole || rule.anchors.iter().any(|anchor| starts_from(anchor)) {
        true => Evidence::Shape,
        false => Evidence::Frame,
    }
}
