//! A rule's expression as a small matcher that starts at an anchor: where a match may begin is
//! derived from the expression, and nothing else is tried.
//!
//! It finds what `regex` finds from the same place (a test compares them); what takes it too many
//! steps is left to that linear-time engine.

#[cfg(any(test, fuzzing))]
pub(crate) mod differential;
mod edges;
mod firsts;
mod matcher;
mod neighbours;
mod program;
mod regex;
mod set;

use std::ops::Range;

use regex_syntax::hir::literal::Extractor;
use regex_syntax::hir::{Hir, HirKind, Look};

use firsts::{AHEAD, Firsts, Places};
pub(crate) use matcher::{Outcome, Turns};
use program::Step;
pub(crate) use regex::Regex;
pub(crate) use set::Bytes;

/// How many bytes of a match's beginning are looked at before it is tried.
pub(crate) const PLACES: usize = 12;

/// The matcher of one expression.
#[derive(Debug)]
pub(crate) struct Shape {
    steps: Vec<Step>,
    origin: Origin,
    /// What may stand right before and after an anchor inside a match.
    before: Bytes,
    after: Bytes,
    /// What may stand behind the first anchor of a match, where anchors are of one byte.
    ahead: Option<Box<[Bytes; AHEAD]>>,
    /// Matches begin at the beginning of a line.
    by_line: bool,
    /// What may stand at the first places of a match.
    places: [Bytes; PLACES],
    /// That is said of matches that begin inside a line only.
    inside: bool,
    /// What any match may begin with.
    first: Bytes,
    /// Matches begin where a word does.
    by_word: bool,
}

/// Where matches begin, seen from an anchor.
#[derive(Debug)]
enum Origin {
    /// There.
    Anchor,
    /// There, or one character before.
    Lead,
    /// As many bytes before as one of these bits says.
    Among(Places),
    /// Before it, with nothing but these bytes between, and one character more where a match has a
    /// `lead`.
    Back {
        through: Bytes,
        lead: bool,
        least: usize,
        most: usize,
    },
}

impl Shape {
    /// Reads an expression whose matches contain one of `anchors`, all in lower case, at most `most`
    /// bytes after their beginning. Nothing where the expression needs another engine.
    pub(crate) fn new(pattern: &str, anchors: &[String], most: usize) -> Option<Self> {
        let hir = regex_syntax::parse(pattern).ok()?;
        let steps = program::program(&hir)?;
        let mut parts = Vec::new();
        flatten(&hir, &mut parts);
        let look = parts.first().and_then(|part| match part.kind() {
            HirKind::Look(look) => Some(*look),
            _ => None,
        });
        let by_line = look == Some(Look::StartLF);
        let inside = !anchors.is_empty() && !by_line;
        let place = place_of_anchor(&parts, anchors);
        let through = match place {
            Some(_) => Bytes::NONE,
            None => edges::all(&hir),
        };
        let mut shape = Self {
            first: program::first(&steps, 0),
            steps,
            origin: Origin::Back {
                through,
                lead: false,
                least: 0,
                most,
            },
            before: Bytes::ALL,
            after: Bytes::ALL,
            ahead: None,
            by_line,
            by_word: look == Some(Look::WordUnicode),
            places: edges::places(&hir, inside),
            inside,
        };
        if let Some((part, offset)) = place {
            shape.narrow(&parts, part, offset, anchors);
        }
        if let Some((before, after)) = neighbours::of_first(&shape.steps, anchors) {
            (shape.before, shape.after) = (before, after);
            shape.come_closer(&hir, anchors);
        }
        Some(shape)
    }

    /// Uses that a match is found from the first of its anchors, all of one byte: that stands only at
    /// some places of a match, and not before anything.
    fn come_closer(&mut self, hir: &Hir, anchors: &[String]) {
        let bytes = anchors.iter().flat_map(|anchor| anchor.bytes());
        let wanted: Bytes = bytes
            .flat_map(|byte| [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()])
            .collect();
        let Some(firsts) = Firsts::of(hir, wanted) else {
            return;
        };
        self.ahead = Some(Box::new(firsts.ahead));
        if let (Origin::Back { .. }, Some(places)) = (&self.origin, firsts.places) {
            self.origin = Origin::Among(places);
        }
    }

    /// Uses that every match holds an anchor in one of its parts.
    fn narrow(&mut self, parts: &[&Hir], part: usize, offset: usize, anchors: &[String]) {
        let (head, tail) = parts.split_at(part);
        let longest: Option<usize> = head
            .iter()
            .map(|part| part.properties().maximum_len())
            .sum::<Option<usize>>();
        let one_char = offset == 0 && is_one_char(head);
        self.origin = match longest {
            Some(0) if offset == 0 => Origin::Anchor,
            _ if one_char => Origin::Lead,
            _ => {
                let Origin::Back { most, .. } = self.origin else {
                    return;
                };
                let longest = longest.map_or(usize::MAX, |longest| longest + offset);
                let lead = head.split_first();
                let lead = lead.filter(|(first, _)| is_one_char(&[first]));
                let body = lead.map_or(head, |(_, body)| body);
                let mut inside = Bytes::NONE;
                body.iter().for_each(|part| inside.unite(&edges::all(part)));
                if let Some(HirKind::Literal(literal)) = tail.first().map(|part| part.kind()) {
                    literal
                        .0
                        .iter()
                        .take(offset)
                        .for_each(|b| inside.insert(*b));
                }
                let shortest = head
                    .iter()
                    .map(|part| part.properties().minimum_len())
                    .sum::<Option<usize>>();
                Origin::Back {
                    through: inside,
                    lead: lead.is_some(),
                    least: shortest.unwrap_or(0) + offset,
                    most: longest.min(most),
                }
            }
        };
        if let Origin::Back { least, most, .. } = self.origin
            && least == most
            && let Some(place) = 1_u32.checked_shl(most as u32)
        {
            self.origin = Origin::Among(Places {
                ascii: place,
                any: place,
            });
        }
        self.before = self.before_anchor(head, tail, offset, anchors);
        self.after = after_anchor(tail, offset, anchors);
    }

    fn before_anchor(
        &self,
        head: &[&Hir],
        tail: &[&Hir],
        offset: usize,
        anchors: &[String],
    ) -> Bytes {
        if let (Some(HirKind::Literal(literal)), Some(before)) =
            (tail.first().map(|part| part.kind()), offset.checked_sub(1))
        {
            return literal.0.get(before).copied().into_iter().collect();
        }
        let mut bytes = Bytes::NONE;
        for next in anchors.iter().filter_map(|anchor| anchor.bytes().next()) {
            bytes.unite(&edges::last(head, next).known());
        }
        bytes
    }

    /// What may stand right before and right after an anchor inside a match.
    pub(crate) fn neighbours(&self) -> (&Bytes, &Bytes) {
        (&self.before, &self.after)
    }

    /// Whether a match may stand around the anchor at `anchor`, by the bytes beside it.
    #[inline]
    pub(crate) fn may_stand(&self, text: &str, anchor: &Range<usize>) -> bool {
        let bytes = text.as_bytes();
        let before = anchor.start.checked_sub(1).and_then(|at| bytes.get(at));
        before.is_none_or(|byte| self.before.contains(*byte))
            && bytes
                .get(anchor.end)
                .is_none_or(|byte| self.after.contains(*byte))
            && self.ahead.as_ref().is_none_or(|ahead| {
                let behind = bytes.get(anchor.end..).unwrap_or_default();
                ahead
                    .iter()
                    .zip(behind)
                    .all(|(one, byte)| one.contains(*byte))
            })
    }

    /// Finds the first match around the anchor at `anchor` that begins at `from` or later.
    pub(crate) fn around(
        &self,
        text: &str,
        anchor: usize,
        from: usize,
        turns: &mut Turns,
    ) -> Outcome {
        let (earliest, latest) = match &self.origin {
            Origin::Anchor => (anchor, anchor),
            Origin::Lead => (text.floor_char_boundary(anchor.saturating_sub(1)), anchor),
            Origin::Among(places) => return self.among(*places, text, (anchor, from), turns),
            Origin::Back {
                through,
                lead,
                least,
                most,
            } => {
                let floor = anchor.saturating_sub(*most);
                let near = text.as_bytes().get(floor..anchor).unwrap_or_default();
                let back = near
                    .iter()
                    .rev()
                    .take_while(|byte| through.contains(**byte));
                let body = text.ceil_char_boundary(anchor - back.count());
                let earliest = match body.checked_sub(1) {
                    Some(before) if *lead => text.floor_char_boundary(before).max(floor),
                    _ => body,
                };
                let earliest = text.ceil_char_boundary(earliest);
                turns.count_bytes(anchor - earliest);
                match anchor.checked_sub(*least) {
                    Some(latest) => (earliest, latest),
                    None => return Outcome::Nothing,
                }
            }
        };
        turns.grant();
        let mut start = earliest.max(from);
        while start <= latest {
            if self.may_begin(text, start) {
                match matcher::run(&self.steps, text, start, turns) {
                    Outcome::Nothing => {}
                    outcome => return outcome,
                }
            }
            start = text.ceil_char_boundary(start + 1);
        }
        Outcome::Nothing
    }

    /// Finds the first match that begins some bytes before an anchor, as `places` says.
    fn among(
        &self,
        places: Places,
        text: &str,
        (anchor, from): (usize, usize),
        turns: &mut Turns,
    ) -> Outcome {
        turns.grant();
        let mut places = match places.ascii == places.any || is_ascii_before(text, anchor) {
            true => places.ascii,
            false => places.any,
        };
        while let Some(most) = places.checked_ilog2() {
            places ^= 1 << most;
            if let Some(start) = anchor.checked_sub(most as usize)
                && start >= from
                && self.may_begin(text, start)
                && text.is_char_boundary(start)
            {
                match matcher::run(&self.steps, text, start, turns) {
                    Outcome::Nothing => {}
                    outcome => return outcome,
                }
            }
        }
        Outcome::Nothing
    }

    /// Finds the match that begins at `start`.
    pub(crate) fn at(&self, text: &str, start: usize, turns: &mut Turns) -> Outcome {
        turns.grant();
        matcher::run(&self.steps, text, start, turns)
    }

    /// Whether a match may begin at `start`, by the bytes around.
    #[inline]
    fn may_begin(&self, text: &str, start: usize) -> bool {
        let bytes = text.as_bytes();
        let rest = bytes.get(start..).unwrap_or_default();
        let before = start.checked_sub(1).and_then(|before| bytes.get(before));
        let begins_a_line = before.is_none_or(|byte| *byte == b'\n');
        if self.by_line && !begins_a_line {
            return false;
        }
        // Most places are told by their first byte.
        let anywhere = begins_a_line && self.inside;
        let [first, ..] = &self.places;
        let first = if anywhere { &self.first } else { first };
        if rest.first().is_some_and(|byte| !first.contains(*byte)) {
            return false;
        }
        if self.by_word && before.is_some_and(is_word) && rest.first().is_some_and(is_word) {
            return false;
        }
        let mut places = self.places.iter().zip(rest);
        anywhere || places.all(|(place, byte)| place.contains(*byte))
    }

    /// What may stand at the first places of a match.
    pub(crate) fn places(&self) -> &[Bytes; PLACES] {
        &self.places
    }

    /// Whether matches begin only where a word does.
    pub(crate) fn begins_words(&self) -> bool {
        self.by_word
    }
}

/// Whether nothing beyond ASCII stands near before a place: as near as there are bits for.
fn is_ascii_before(text: &str, at: usize) -> bool {
    let near = text
        .as_bytes()
        .get(at.saturating_sub(u32::BITS as usize)..at);
    near.is_some_and(<[u8]>::is_ascii)
}

/// Whether a byte is an ASCII character of words.
fn is_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

/// The parts of an expression that follow each other, groups opened.
fn flatten<'h>(hir: &'h Hir, parts: &mut Vec<&'h Hir>) {
    match hir.kind() {
        HirKind::Concat(subs) => subs.iter().for_each(|sub| flatten(sub, parts)),
        HirKind::Capture(capture) => flatten(&capture.sub, parts),
        _ => parts.push(hir),
    }
}

/// The first part that begins with an anchor whatever way it is read, or the literal that has one
/// inside; and where in it the anchor stands.
fn place_of_anchor(parts: &[&Hir], anchors: &[String]) -> Option<(usize, usize)> {
    if anchors.is_empty() {
        return None;
    }
    let begins = |bytes: &[u8]| {
        anchors.iter().any(|anchor| {
            bytes
                .get(..anchor.len())
                .is_some_and(|head| head.eq_ignore_ascii_case(anchor.as_bytes()))
        })
    };
    let beginnings: Bytes = anchors
        .iter()
        .filter_map(|anchor| anchor.bytes().next())
        .flat_map(|byte| [byte.to_ascii_lowercase(), byte.to_ascii_uppercase()])
        .collect();
    for (index, part) in parts.iter().enumerate() {
        if let HirKind::Literal(literal) = part.kind()
            && let Some(offset) =
                (0..literal.0.len()).find(|offset| literal.0.get(*offset..).is_some_and(begins))
        {
            return Some((index, offset));
        }
        let following = parts.get(index..).unwrap_or_default();
        let first = edges::first(following).known();
        if matches!(part.kind(), HirKind::Look(_)) || !first.is_within(&beginnings) {
            continue;
        }
        let rest = Hir::concat(
            parts
                .iter()
                .skip(index)
                .take(3)
                .map(|part| (*part).clone())
                .collect(),
        );
        let literals = Extractor::new().extract(&rest);
        let all = literals
            .literals()
            .is_some_and(|all| !all.is_empty() && all.iter().all(|one| begins(one.as_bytes())));
        if all {
            return Some((index, 0));
        }
    }
    None
}

/// Whether parts in a row are at most one character.
fn is_one_char(parts: &[&Hir]) -> bool {
    let chars = |hir: &&Hir| match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(0),
        HirKind::Class(_) => Some(1),
        HirKind::Alternation(ways) => ways
            .iter()
            .all(|way| {
                matches!(
                    way.kind(),
                    HirKind::Empty | HirKind::Look(_) | HirKind::Class(_)
                )
            })
            .then_some(1),
        _ => None,
    };
    parts
        .iter()
        .map(chars)
        .sum::<Option<usize>>()
        .is_some_and(|sum| sum <= 1)
}

/// The bytes that may follow an anchor which stands in the first of `tail`.
fn after_anchor(tail: &[&Hir], offset: usize, anchors: &[String]) -> Bytes {
    let Some((part, rest)) = tail.split_first() else {
        return Bytes::ALL;
    };
    let HirKind::Literal(literal) = part.kind() else {
        return Bytes::ALL;
    };
    let mut bytes = Bytes::NONE;
    let from = literal.0.get(offset..).unwrap_or_default();
    for anchor in anchors {
        match from.get(..anchor.len()) {
            Some(head) if head.eq_ignore_ascii_case(anchor.as_bytes()) => {}
            Some(_) => continue,
            // The anchor goes on in the next part.
            None => return Bytes::ALL,
        }
        match from.get(anchor.len()) {
            Some(next) => bytes.insert(*next),
            None => bytes.unite(&edges::first(rest).known()),
        }
    }
    bytes
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
