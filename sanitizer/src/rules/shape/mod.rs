//! A rule's expression as a small matcher that starts at an anchor: where a match may begin is
//! derived from the expression (`compile/`), and nothing else is tried.
//!
//! It finds what `regex` finds from the same place (a test compares them); what takes it too many
//! steps is left to that linear-time engine.

mod matcher;
mod packed;
mod regex;
mod set;
pub(crate) mod step;

use std::ops::Range;

pub(crate) use matcher::{Outcome, Turns};
pub(crate) use packed::Pool;
pub(crate) use regex::Regex;
pub(crate) use set::{Bytes, Set};
pub(crate) use step::Step;

/// How many bytes behind the first anchor of a match are looked at before it is tried.
pub(crate) const AHEAD: usize = 8;

/// How many bytes of a match's beginning are looked at before it is tried.
pub(crate) const PLACES: usize = 12;

/// The matcher of one expression.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) steps: Vec<Step>,
    /// How many bytes a step may read behind the place that was reached.
    pub(crate) widest: usize,
    pub(crate) origin: Origin,
    /// What may stand right before and after an anchor inside a match.
    pub(crate) before: Bytes,
    pub(crate) after: Bytes,
    /// What may stand behind the first anchor of a match, where anchors are of one byte.
    pub(crate) ahead: Option<Box<[Bytes; AHEAD]>>,
    /// Matches begin at the beginning of a line.
    pub(crate) by_line: bool,
    /// What may stand at the first places of a match.
    pub(crate) places: [Bytes; PLACES],
    /// That is said of matches that begin inside a line only.
    pub(crate) inside: bool,
    /// What any match may begin with.
    pub(crate) first: Bytes,
    /// Matches begin where a word does.
    pub(crate) by_word: bool,
}

/// Where matches begin, seen from an anchor.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Origin {
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

/// Places of a match, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Places {
    /// Where nothing beyond ASCII stands before.
    pub(crate) ascii: u32,
    pub(crate) any: u32,
}

impl Shape {
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
                turns.read_from(earliest);
                match anchor.checked_sub(*least) {
                    Some(latest) => (earliest, latest),
                    None => return Outcome::Nothing,
                }
            }
        };
        turns.grant();
        turns.read_from(earliest);
        let mut start = earliest.max(from);
        let [mut first, ..] = self.places;
        first.unite(&self.first);
        while let Some(places) = text.as_bytes().get(start..=latest)
            && let Some(passed) = places.iter().position(|byte| first.contains(*byte))
        {
            start += passed;
            if self.may_begin(text, start) && text.is_char_boundary(start) {
                match self.run(text, start, turns) {
                    Outcome::Nothing => {}
                    outcome => return outcome,
                }
            }
            start += 1;
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
        turns.read_from(anchor.saturating_sub(u32::BITS as usize));
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
                match self.run(text, start, turns) {
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
        self.run(text, start, turns)
    }

    fn run(&self, text: &str, start: usize, turns: &mut Turns) -> Outcome {
        let outcome = matcher::run(&self.steps, text, start, turns);
        turns.read_to(self.widest);
        outcome
    }

    /// Whether a match may begin at `start`, by the bytes around.
    #[inline]
    pub(crate) fn may_begin(&self, text: &str, start: usize) -> bool {
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
