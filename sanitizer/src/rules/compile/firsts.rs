//! Where in a match the first of some bytes may stand, and what may stand behind it.

use regex_syntax::hir::{Class, Hir, HirKind, Repetition};

use super::super::shape::{AHEAD, Bytes, Places};

/// The place behind those.
const PAST: u32 = 1 << AHEAD;

/// This far or further from the beginning.
const FAR: u32 = 1 << (u32::BITS - 1);

/// Where the first wanted byte of a match stands.
#[derive(Debug, Clone)]
pub(super) struct Firsts {
    /// Its places, as bits; nothing where it may stand further on than there are bits.
    pub(super) places: Option<Places>,
    /// What may stand right behind it.
    pub(super) ahead: [Bytes; AHEAD],
}

impl Firsts {
    /// Reads an expression whose matches hold one of the wanted bytes; nothing where they may not.
    pub(super) fn of(hir: &Hir, wanted: Bytes) -> Option<Self> {
        let walk = |longest| {
            let mut walk = Walk {
                wanted,
                longest,
                far: false,
                firsts: 0,
                ahead: [Bytes::NONE; AHEAD],
            };
            let ends = walk.over(
                hir,
                Ends {
                    before: 1,
                    after: 0,
                },
            );
            for behind in walk
                .ahead
                .iter_mut()
                .skip(ends.after.trailing_zeros() as usize)
            {
                *behind = Bytes::ALL;
            }
            (ends.before == 0 && walk.firsts != 0).then_some(walk)
        };
        let (ascii, any) = (walk(1)?, walk(char::MAX.len_utf8())?);
        let places = Places {
            ascii: ascii.firsts,
            any: any.firsts,
        };
        Some(Self {
            places: (!any.far).then_some(places),
            ahead: any.ahead,
        })
    }
}

/// Where a part of an expression may begin or end, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ends {
    /// Counted from the beginning of the match; no wanted byte has come.
    before: u32,
    /// Counted from behind the first wanted byte.
    after: u32,
}

impl Ends {
    fn or(self, other: Self) -> Self {
        Self {
            before: self.before | other.before,
            after: self.after | other.after,
        }
    }
}

struct Walk {
    wanted: Bytes,
    /// Most bytes of a character.
    longest: usize,
    /// The first wanted byte may stand further on than there are bits.
    far: bool,
    firsts: u32,
    ahead: [Bytes; AHEAD],
}

impl Walk {
    /// Goes over an expression that begins at any of `begins`; returns where it ends.
    fn over(&mut self, hir: &Hir, begins: Ends) -> Ends {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => begins,
            HirKind::Literal(literal) => literal.0.iter().fold(begins, |begins, byte| {
                self.step(&[*byte].into_iter().collect(), begins)
            }),
            HirKind::Class(class) => self.one(&OneChar::of(class), begins),
            HirKind::Repetition(repetition) => match repetition.sub.kind() {
                HirKind::Class(class) => {
                    let one = OneChar::of(class);
                    repeat(repetition, begins, |begins| self.one(&one, begins))
                }
                _ => repeat(repetition, begins, |begins| {
                    self.over(&repetition.sub, begins)
                }),
            },
            HirKind::Capture(capture) => self.over(&capture.sub, begins),
            HirKind::Concat(parts) => parts
                .iter()
                .fold(begins, |begins, part| self.over(part, begins)),
            HirKind::Alternation(ways) => ways
                .iter()
                .map(|way| self.over(way, begins))
                .reduce(Ends::or)
                .unwrap_or(begins),
        }
    }

    fn one(&mut self, one: &OneChar, begins: Ends) -> Ends {
        let longest = if one.ascii { 1 } else { self.longest };
        let ends = self.step(&one.bytes, begins);
        (1..longest).fold(ends, |ends, _| ends.or(self.step(&Bytes::INNER, ends)))
    }

    fn step(&mut self, bytes: &Bytes, begins: Ends) -> Ends {
        for (place, behind) in self.ahead.iter_mut().enumerate() {
            if begins.after >> place & 1 == 1 {
                behind.unite(bytes);
            }
        }
        // Past the last place nothing is told apart.
        let mut ends = Ends {
            before: 0,
            after: ((begins.after << 1) & (PAST | (PAST - 1))) | (begins.after & PAST),
        };
        if begins.before != 0 && !bytes.is_disjoint(&self.wanted) {
            self.firsts |= begins.before;
            ends.after |= 1;
        }
        if !bytes.is_within(&self.wanted) {
            self.far |= begins.before & FAR != 0;
            ends.before = (begins.before << 1) | (begins.before & FAR);
        }
        ends
    }
}

/// Where a repetition ends; `once` goes over what is repeated.
fn repeat(repetition: &Repetition, begins: Ends, mut once: impl FnMut(Ends) -> Ends) -> Ends {
    let mut ends = begins;
    for time in 0..repetition.max.unwrap_or(u32::MAX) {
        let before = ends;
        let more = once(ends);
        ends = if time < repetition.min {
            more
        } else {
            ends.or(more)
        };
        if ends == before {
            break;
        }
    }
    ends
}

/// A class, one character of which may be several bytes.
struct OneChar {
    bytes: Bytes,
    ascii: bool,
}

impl OneChar {
    fn of(class: &Class) -> Self {
        match class {
            Class::Unicode(class) => Self {
                bytes: Bytes::of(class),
                ascii: class.is_ascii(),
            },
            Class::Bytes(_) => Self {
                bytes: Bytes::ALL,
                ascii: false,
            },
        }
    }
}
