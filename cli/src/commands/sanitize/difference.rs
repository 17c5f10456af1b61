//! Shows the removed and the new text of each changed line, for a person at a terminal.
//!
//! It shows the removed secrets, so it may be written only to the terminal of the person who has the text, and not to
//! anything that is stored.

use std::ops::Range;

use recall_kit_sanitizer::{Finding, Sanitized};

use crate::terminal::{
    controls::visible,
    printer::{DIM, GREEN, RED, styled},
};

/// The number of unchanged lines around a changed one.
const CONTEXT: usize = 2;
/// The maximum number of changed lines that are shown.
const MAX_CHANGED: usize = 100;
/// The length to which unchanged text beside a change is cut. *Unit*: characters.
const BESIDE: usize = 48;
/// The length to which removed text, and unchanged lines, are cut. *Unit*: characters.
const WIDTH: usize = 96;

/// A part of a changed line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece<'a> {
    Same(&'a str),
    Changed { old: &'a str, new: &'a str },
}

/// A line before and after.
struct Line<'a> {
    old: &'a str,
    new: &'a str,
    /// The position in the old text. *Unit*: bytes.
    span: Range<usize>,
}

/// Formats the changed lines of a text with some lines around them. The result does not end with a line break.
pub(super) fn show(text: &str, clean: &Sanitized) -> String {
    let lines = lines(text, &clean.text);
    let is_changed = |line: &Line<'_>| line.old != line.new;
    let changed: Vec<usize> = (0..)
        .zip(&lines)
        .filter_map(|(at, line)| is_changed(line).then_some(at))
        .collect();
    let digits = lines.len().to_string().len();
    let mut shown = Vec::new();
    let mut next = 0;
    for (nth, at) in changed.iter().copied().take(MAX_CHANGED).enumerate() {
        let from = at.saturating_sub(CONTEXT).max(next);
        let until = match changed.get(nth + 1) {
            Some(following) => (at + CONTEXT + 1).min(*following),
            None => at + CONTEXT + 1,
        };
        if from > next && next > 0 {
            shown.push(styled(DIM, format!("{:>digits$} ⋯", "")));
        }
        for (number, line) in (1..).zip(&lines).skip(from).take(until - from) {
            let number = styled(DIM, format!("{number:>digits$}"));
            match is_changed(line) {
                true => {
                    let pieces = pieces(line, &clean.findings);
                    shown.push(format!("{number} {}", removed(&pieces)));
                    shown.push(format!("{number} {}", added(&pieces)));
                }
                false => shown.push(format!(
                    "{number}   {}",
                    styled(DIM, start(line.old, WIDTH))
                )),
            }
        }
        next = until;
    }
    if let Some(more) = changed
        .len()
        .checked_sub(MAX_CHANGED)
        .filter(|more| *more > 0)
    {
        let more = format!("… and {more} more changed lines; --report lists all findings");
        shown.push(styled(DIM, more));
    }
    shown.join("\n")
}

/// Pairs the lines of both texts: sanitizing does not change their number.
fn lines<'a>(old: &'a str, new: &'a str) -> Vec<Line<'a>> {
    let mut at = 0;
    // There is no line after the last line break.
    let without_end = |text: &'a str| text.strip_suffix('\n').unwrap_or(text);
    let pairs = without_end(old)
        .split('\n')
        .zip(without_end(new).split('\n'));
    pairs
        .map(|(old, new)| {
            let start = at;
            at += old.len() + 1;
            // The carriage return of Windows line breaks is not shown.
            let [old, new] = [old, new].map(|line| line.strip_suffix('\r').unwrap_or(line));
            let span = start..start + old.len();
            Line { old, new, span }
        })
        .collect()
}

/// Splits a changed line at its findings.
fn pieces<'a>(line: &Line<'a>, findings: &'a [Finding]) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let mut rebuilt = String::new();
    let mut at = line.span.start;
    let first = findings.partition_point(|finding| finding.span.end <= line.span.start);
    let inside = findings.iter().skip(first);
    for finding in inside.take_while(|finding| finding.span.start < line.span.end) {
        let within = |range: Range<usize>| {
            let start = range.start.checked_sub(line.span.start)?;
            line.old.get(start..range.end.checked_sub(line.span.start)?)
        };
        let (Some(same), Some(old)) =
            (within(at..finding.span.start), within(finding.span.clone()))
        else {
            return by_edges(line);
        };
        let new = finding.replacement.as_str();
        rebuilt = rebuilt + same + new;
        pieces.extend([Piece::Same(same), Piece::Changed { old, new }]);
        at = finding.span.end;
    }
    let rest = line.old.get(at - line.span.start..).unwrap_or_default();
    pieces.push(Piece::Same(rest));
    match rebuilt + rest == line.new {
        true => pieces,
        false => by_edges(line),
    }
}

/// Splits a changed line into the common start, the difference, and the common end. This is used if a finding spans
/// several lines.
fn by_edges<'a>(line: &Line<'a>) -> Vec<Piece<'a>> {
    let (old, new) = (line.old, line.new);
    let pairs = old.char_indices().zip(new.chars());
    let head = pairs
        .take_while(|((_, old), new)| old == new)
        .last()
        .map_or(0, |((at, c), _)| at + c.len_utf8());
    let (same, old) = old.split_at(head);
    let new = new.split_at(head).1;
    let ends = old.chars().rev().zip(new.chars().rev());
    let tail: usize = ends
        .take_while(|(old, new)| old == new)
        .map(|(c, _)| c.len_utf8())
        .sum();
    let (old, end) = old.split_at(old.len() - tail);
    let new = new.split_at(new.len() - tail).0;
    vec![
        Piece::Same(same),
        Piece::Changed { old, new },
        Piece::Same(end),
    ]
}

fn removed(pieces: &[Piece<'_>]) -> String {
    marked("-", RED, pieces, |old, _| start(old, WIDTH))
}

fn added(pieces: &[Piece<'_>]) -> String {
    marked("+", GREEN, pieces, |_, new| visible(new))
}

fn marked(
    mark: &str,
    style: &str,
    pieces: &[Piece<'_>],
    side: impl Fn(&str, &str) -> String,
) -> String {
    let last = pieces.len().saturating_sub(1);
    let mut line = styled(style, mark) + " ";
    for (nth, piece) in pieces.iter().enumerate() {
        line.push_str(&match *piece {
            Piece::Same(text) if nth == 0 => end(text),
            Piece::Same(text) if nth == last => start(text, BESIDE),
            Piece::Same(text) => middle(text),
            Piece::Changed { old, new } => styled(style, side(old, new)),
        });
    }
    line
}

/// Returns the first `width` characters, with `…` if there are more.
fn start(text: &str, width: usize) -> String {
    match text.char_indices().nth(width) {
        Some((at, _)) => visible(text.split_at(at).0) + "…",
        None => visible(text),
    }
}

/// Returns the last characters, with `…` if there are more.
fn end(text: &str) -> String {
    match text.char_indices().rev().nth(BESIDE) {
        Some((at, c)) => "…".to_owned() + &visible(text.split_at(at + c.len_utf8()).1),
        None => visible(text),
    }
}

/// Returns a text, or only its two ends if it is long.
fn middle(text: &str) -> String {
    match text.chars().nth(BESIDE * 2) {
        Some(_) => {
            let (from, to) = (start(text, BESIDE), end(text));
            from + to.strip_prefix('…').unwrap_or(&to)
        }
        None => visible(text),
    }
}
