//! What an expression may begin and end with, byte by byte: reasons not to try it at a place.

use regex_syntax::hir::{Class, Hir, HirKind, Look, Repetition};

use super::super::shape::Bytes;

/// The bytes at one edge of an expression.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) bytes: Bytes,
    /// The expression may be empty, so that the edge is its neighbour's.
    pub(super) open: bool,
}

impl Edge {
    const OPEN: Self = Self {
        bytes: Bytes::NONE,
        open: true,
    };

    fn closed(bytes: Bytes) -> Self {
        let open = false;
        Self { bytes, open }
    }

    /// The bytes, or all where the neighbour's count too.
    pub(super) fn known(self) -> Bytes {
        if self.open { Bytes::ALL } else { self.bytes }
    }
}

fn class_bytes(class: &Class) -> Bytes {
    match class {
        Class::Unicode(class) => Bytes::of(class),
        Class::Bytes(_) => Bytes::ALL,
    }
}

/// The bytes that parts in a row may begin with.
pub(super) fn first(parts: &[&Hir]) -> Edge {
    chained(parts.iter().copied(), first_of)
}

/// The bytes that parts in a row may end with, when `next` stands behind them.
pub(super) fn last(parts: &[&Hir], next: u8) -> Edge {
    chained(parts.iter().rev().copied(), |hir| last_of(hir, next))
}

fn chained<'h>(parts: impl Iterator<Item = &'h Hir>, edge: impl Fn(&Hir) -> Edge) -> Edge {
    let mut all = Edge::OPEN;
    for part in parts {
        let part = edge(part);
        all.bytes.unite(&part.bytes);
        if !part.open {
            return Edge::closed(all.bytes);
        }
    }
    all
}

fn first_of(hir: &Hir) -> Edge {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Edge::OPEN,
        HirKind::Literal(literal) => Edge::closed(literal.0.first().copied().into_iter().collect()),
        HirKind::Class(class) => Edge::closed(class_bytes(class)),
        HirKind::Repetition(repetition) => repeated(first_of(&repetition.sub), repetition.min),
        HirKind::Capture(capture) => first_of(&capture.sub),
        HirKind::Concat(parts) => chained(parts.iter(), first_of),
        HirKind::Alternation(ways) => either(ways.iter().map(first_of)),
    }
}

fn last_of(hir: &Hir, next: u8) -> Edge {
    match hir.kind() {
        HirKind::Look(Look::Start) => Edge::closed(Bytes::NONE),
        HirKind::Look(Look::StartLF) => Edge::closed([b'\n'].into_iter().collect()),
        HirKind::Look(Look::WordUnicode) if Bytes::WORD.contains(next) => {
            Edge::closed(Bytes::ALL.without(&Bytes::WORD))
        }
        HirKind::Empty | HirKind::Look(_) => Edge::OPEN,
        HirKind::Literal(literal) => Edge::closed(literal.0.last().copied().into_iter().collect()),
        HirKind::Class(class) => Edge::closed(class_bytes(class)),
        HirKind::Repetition(repetition) => repeated(last_of(&repetition.sub, next), repetition.min),
        HirKind::Capture(capture) => last_of(&capture.sub, next),
        HirKind::Concat(parts) => chained(parts.iter().rev(), |part| last_of(part, next)),
        HirKind::Alternation(ways) => either(ways.iter().map(|way| last_of(way, next))),
    }
}

fn repeated(edge: Edge, min: u32) -> Edge {
    Edge {
        bytes: edge.bytes,
        open: edge.open || min == 0,
    }
}

fn either(ways: impl Iterator<Item = Edge>) -> Edge {
    let mut all = Edge::closed(Bytes::NONE);
    for way in ways {
        all.bytes.unite(&way.bytes);
        all.open |= way.open;
    }
    all
}

/// Every byte that a match may hold.
pub(super) fn all(hir: &Hir) -> Bytes {
    let mut bytes = Bytes::NONE;
    match hir.kind() {
        HirKind::Literal(literal) => literal.0.iter().for_each(|byte| bytes.insert(*byte)),
        HirKind::Class(class) => bytes = class_bytes(class),
        kind => kind.subs().iter().for_each(|sub| bytes.unite(&all(sub))),
    }
    bytes
}

/// The bytes that may stand at each of the first places of a match, of one that begins `inside` a
/// line where so asked; all where that is unknown.
pub(super) fn places<const N: usize>(hir: &Hir, inside: bool) -> [Bytes; N] {
    let mut places = [Bytes::NONE; N];
    let ends = walk(hir, 1, inside, &mut places);
    let shortest = ends.trailing_zeros() as usize;
    for place in places.iter_mut().skip(shortest) {
        *place = Bytes::ALL;
    }
    places
}

/// Places between characters, as bits: the lowest is where a match begins.
type Ends = u32;

/// Notes what may stand where when an expression begins at any of `begins`; returns where it ends.
/// Past the last place nothing is told apart.
fn walk(hir: &Hir, begins: Ends, inside: bool, places: &mut [Bytes]) -> Ends {
    match hir.kind() {
        HirKind::Look(Look::Start | Look::StartLF) if inside => begins & !1,
        HirKind::Empty | HirKind::Look(_) => begins,
        HirKind::Literal(literal) => literal.0.iter().fold(begins, |begins, byte| {
            step(begins, &[*byte].into_iter().collect(), places)
        }),
        HirKind::Class(class) => OneChar::of(class).step(begins, places),
        HirKind::Repetition(repetition) => match repetition.sub.kind() {
            HirKind::Class(class) => {
                let one = OneChar::of(class);
                repeat(repetition, begins, |begins| one.step(begins, places))
            }
            _ => repeat(repetition, begins, |begins| {
                walk(&repetition.sub, begins, inside, places)
            }),
        },
        HirKind::Capture(capture) => walk(&capture.sub, begins, inside, places),
        HirKind::Concat(parts) => parts
            .iter()
            .fold(begins, |begins, part| walk(part, begins, inside, places)),
        HirKind::Alternation(ways) => ways
            .iter()
            .fold(0, |ends, way| ends | walk(way, begins, inside, places)),
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
            ends | more
        };
        if ends == before || ends == 0 {
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
        let bytes = class_bytes(class);
        let ascii = bytes.is_within(&Bytes::ASCII);
        Self { bytes, ascii }
    }

    fn step(&self, begins: Ends, places: &mut [Bytes]) -> Ends {
        let mut ends = step(begins, &self.bytes, places);
        for _ in 0..if self.ascii { 0 } else { 3 } {
            ends |= step(ends, &Bytes::INNER, places);
        }
        ends
    }
}

fn step(begins: Ends, bytes: &Bytes, places: &mut [Bytes]) -> Ends {
    for (place, allowed) in places.iter_mut().enumerate() {
        if begins >> place & 1 == 1 {
            allowed.unite(bytes);
        }
    }
    let all = (1 << (places.len() + 1)) - 1;
    begins << 1 & all
}
