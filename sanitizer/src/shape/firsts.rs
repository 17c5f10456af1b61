//! Where in a match the first of some bytes may stand.

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use super::set::Bytes;

/// Places of a match, as bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places {
    /// Where nothing beyond ASCII stands before.
    pub(super) ascii: u32,
    pub(super) any: u32,
}

/// The places where the first wanted byte of a match may stand; nothing where it may stand further on
/// than there are bits, or not at all.
pub(super) fn of(hir: &Hir, wanted: Bytes) -> Option<Places> {
    let firsts = |longest| {
        let mut walk = Walk {
            wanted,
            longest,
            firsts: 0,
        };
        let without = walk.over(hir, 1)?;
        (without == 0 && walk.firsts != 0).then_some(walk.firsts)
    };
    Some(Places {
        ascii: firsts(1)?,
        any: firsts(char::MAX.len_utf8())?,
    })
}

struct Walk {
    wanted: Bytes,
    /// Most bytes of a character.
    longest: usize,
    firsts: u32,
}

impl Walk {
    /// Notes the first wanted bytes of an expression that begins at any of `begins`; returns where it
    /// ends without one. Nothing where that is too far.
    fn over(&mut self, hir: &Hir, begins: u32) -> Option<u32> {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Some(begins),
            HirKind::Literal(literal) => literal.0.iter().try_fold(begins, |begins, byte| {
                self.step(&[*byte].into_iter().collect(), begins)
            }),
            HirKind::Class(Class::Unicode(class)) => {
                let ends = self.step(&Bytes::of(class), begins)?;
                let longest = if class.is_ascii() { 1 } else { self.longest };
                (1..longest).try_fold(ends, |ends, _| Some(ends | further(ends)?))
            }
            HirKind::Class(Class::Bytes(_)) => None,
            HirKind::Repetition(repetition) => self.repeat(repetition, begins),
            HirKind::Capture(capture) => self.over(&capture.sub, begins),
            HirKind::Concat(parts) => parts
                .iter()
                .try_fold(begins, |begins, part| self.over(part, begins)),
            HirKind::Alternation(ways) => ways
                .iter()
                .try_fold(0, |ends, way| Some(ends | self.over(way, begins)?)),
        }
    }

    fn repeat(&mut self, repetition: &Repetition, begins: u32) -> Option<u32> {
        let mut ends = begins;
        for time in 0..repetition.max.unwrap_or(u32::MAX) {
            let before = ends;
            let more = self.over(&repetition.sub, ends)?;
            ends = if time < repetition.min {
                more
            } else {
                ends | more
            };
            if ends == before || ends == 0 {
                break;
            }
        }
        Some(ends)
    }

    fn step(&mut self, bytes: &Bytes, begins: u32) -> Option<u32> {
        if !bytes.is_disjoint(&self.wanted) {
            self.firsts |= begins;
        }
        match bytes.is_within(&self.wanted) {
            true => Some(0),
            false => further(begins),
        }
    }
}

fn further(places: u32) -> Option<u32> {
    let further = places << 1;
    (further >> 1 == places).then_some(further)
}
