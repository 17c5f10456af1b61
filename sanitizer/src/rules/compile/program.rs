//! Turns a parsed expression into the steps of a matcher.

use regex_syntax::hir::{Capture, Hir, HirKind, Look, Repetition};

use super::super::shape::step::Place;
use super::super::shape::{Bytes, Set, Step};
use super::kept;

/// Longest program, in steps: counted groups are written out.
const MAX_STEPS: usize = 2000;

/// How many steps in a row that take no byte are passed to see what may come.
const MAX_JUMPS: usize = 8;

impl Place {
    fn of(look: Look) -> Option<Self> {
        Some(match look {
            Look::Start => Self::TextStart,
            Look::End => Self::TextEnd,
            Look::StartLF => Self::LineStart,
            Look::EndLF => Self::LineEnd,
            Look::WordUnicode => Self::WordEdge,
            Look::WordUnicodeNegate => Self::NoWordEdge,
            _ => return None,
        })
    }
}

/// Writes the program of an expression; nothing where it needs more than steps can say.
pub(super) fn program(hir: &Hir) -> Option<Vec<Step>> {
    let mut writer = Writer { steps: Vec::new() };
    writer.write(hir)?;
    writer.push(Step::Done)?;
    let settled: Vec<usize> = (0..writer.steps.len())
        .filter(|at| is_settled(&writer.steps, *at))
        .collect();
    for at in settled {
        if let Some(Step::Run { settled, .. }) = writer.steps.get_mut(at) {
            *settled = true;
        }
    }
    for at in 0..writer.steps.len() {
        let ways = match writer.steps.get(at) {
            Some(Step::Split(ways, _)) => *ways,
            Some(Step::Run { .. } | Step::Lazy { .. }) => [at + 1; 2],
            _ => continue,
        };
        let second = match writer.steps.get(at) {
            Some(Step::Lazy { .. }) => second(&writer.steps, at + 1, MAX_JUMPS),
            _ => Bytes::ALL,
        };
        let bytes = ways.map(|way| kept(first(&writer.steps, way)));
        match writer.steps.get_mut(at) {
            Some(Step::Split(_, begin)) => *begin = bytes,
            Some(Step::Run { next, .. }) => [*next, _] = bytes,
            Some(Step::Lazy { next, .. }) => {
                let [first, _] = bytes;
                *next = [first, kept(second)];
            }
            _ => {}
        }
    }
    Some(writer.steps)
}

struct Writer {
    steps: Vec<Step>,
}

impl Writer {
    fn push(&mut self, step: Step) -> Option<()> {
        self.steps.push(step);
        (self.steps.len() <= MAX_STEPS).then_some(())
    }

    fn write(&mut self, hir: &Hir) -> Option<()> {
        match hir.kind() {
            HirKind::Empty => Some(()),
            HirKind::Literal(literal) => self.push(match literal.0.as_ref() {
                [byte] => Step::One(kept(Set::single(char::from(*byte)))),
                _ => Step::Literal(literal.0.to_vec().leak()),
            }),
            HirKind::Class(class) => self.push(Step::One(kept(Set::of(class)?))),
            HirKind::Look(look) => self.push(Step::Place(Place::of(*look)?)),
            HirKind::Repetition(repetition) => self.repeat(repetition),
            HirKind::Capture(Capture { name, sub, .. }) => {
                let secret = name.as_deref() == Some("secret");
                if secret {
                    self.push(Step::Mark(false))?;
                }
                self.write(sub)?;
                match secret {
                    true => self.push(Step::Mark(true)),
                    false => Some(()),
                }
            }
            HirKind::Concat(parts) => self.write_all(parts),
            HirKind::Alternation(ways) => self.alternate(ways),
        }
    }

    /// Writes parts that follow each other; characters in a row are one step.
    fn write_all(&mut self, parts: &[Hir]) -> Option<()> {
        let is_char = |part: &Hir| match part.kind() {
            HirKind::Class(_) => true,
            HirKind::Literal(literal) => literal.0.len() == 1,
            _ => false,
        };
        for parts in parts.chunk_by(|one, two| is_char(one) && is_char(two)) {
            match parts {
                [part] => self.write(part)?,
                _ => {
                    let sets = parts.iter().map(|part| single(part).map(kept));
                    let sets: Option<Box<[&Set]>> = sets.collect();
                    self.push(Step::Word(sets?))?;
                }
            }
        }
        Some(())
    }

    fn alternate(&mut self, ways: &[Hir]) -> Option<()> {
        let Some((last, others)) = ways.split_last() else {
            return Some(());
        };
        let mut exits = Vec::new();
        for way in others {
            let split = self.steps.len();
            self.push(split_to(split + 1, 0))?;
            self.write(way)?;
            exits.push(self.steps.len());
            self.push(Step::Jump(0))?;
            self.set(split, split_to(split + 1, self.steps.len()));
        }
        self.write(last)?;
        let end = self.steps.len();
        exits
            .into_iter()
            .for_each(|exit| self.set(exit, Step::Jump(end)));
        Some(())
    }

    fn set(&mut self, at: usize, step: Step) {
        if let Some(place) = self.steps.get_mut(at) {
            *place = step;
        }
    }

    fn repeat(&mut self, repetition: &Repetition) -> Option<()> {
        let Repetition {
            min,
            max,
            greedy,
            sub,
        } = repetition;
        if let Some(set) = single(sub).map(kept) {
            let (min, max) = (*min, max.unwrap_or(u32::MAX));
            return self.push(match greedy {
                true => Step::Run {
                    set,
                    min,
                    max,
                    settled: false,
                    next: &Bytes::ALL,
                },
                false => Step::Lazy {
                    set,
                    min,
                    max,
                    next: [&Bytes::ALL; 2],
                },
            });
        }
        for _ in 0..*min {
            self.write(sub)?;
        }
        match max {
            Some(max) => self.up_to(sub, max - min, *greedy),
            None => self.for_ever(sub, *greedy),
        }
    }

    /// `(x(x(x)?)?)?`
    fn up_to(&mut self, sub: &Hir, times: u32, greedy: bool) -> Option<()> {
        let mut splits = Vec::new();
        for _ in 0..times {
            splits.push(self.steps.len());
            self.push(split_to(0, 0))?;
            self.write(sub)?;
        }
        let end = self.steps.len();
        for split in splits {
            self.set(split, choice(split + 1, end, greedy));
        }
        Some(())
    }

    fn for_ever(&mut self, sub: &Hir, greedy: bool) -> Option<()> {
        if sub.properties().minimum_len() == Some(0) {
            return None;
        }
        let split = self.steps.len();
        self.push(split_to(0, 0))?;
        self.write(sub)?;
        self.push(Step::Jump(split))?;
        self.set(split, choice(split + 1, self.steps.len(), greedy));
        Some(())
    }
}

fn choice(inside: usize, outside: usize, greedy: bool) -> Step {
    match greedy {
        true => split_to(inside, outside),
        false => split_to(outside, inside),
    }
}

fn split_to(first: usize, second: usize) -> Step {
    Step::Split([first, second], [&Bytes::ALL; 2])
}

/// The set of an expression that is one character.
fn single(hir: &Hir) -> Option<Set> {
    match hir.kind() {
        HirKind::Class(class) => Set::of(class),
        HirKind::Literal(literal) => {
            let mut chars = std::str::from_utf8(&literal.0).ok()?.chars();
            let c = chars.next()?;
            chars.next().is_none().then(|| Set::single(c))
        }
        HirKind::Capture(capture) if capture.name.is_none() => single(&capture.sub),
        _ => None,
    }
}

/// Whether the run at `at` never has to give a character back: at every place inside it, what
/// follows would have to begin with a character of the run, and cannot.
fn is_settled(steps: &[Step], at: usize) -> bool {
    let Some(Step::Run { set, min, .. }) = steps.get(at) else {
        return false;
    };
    let mut open = vec![at + 1];
    let mut seen = vec![false; steps.len()];
    while let Some(next) = open.pop() {
        match seen.get_mut(next) {
            Some(seen) if !*seen => *seen = true,
            _ => continue,
        }
        let settled = match steps.get(next) {
            Some(Step::Literal(literal)) => literal
                .first()
                .is_some_and(|byte| !set.bytes.contains(*byte)),
            Some(Step::One(other)) => other.bytes.is_disjoint(&set.bytes),
            Some(Step::Word(sets)) => sets
                .first()
                .is_some_and(|other| other.bytes.is_disjoint(&set.bytes)),
            Some(
                Step::Run {
                    set: other, min, ..
                }
                | Step::Lazy {
                    set: other, min, ..
                },
            ) => {
                if *min == 0 {
                    open.push(next + 1);
                }
                other.bytes.is_disjoint(&set.bytes)
            }
            Some(Step::Split(ways, _)) => {
                open.extend(ways);
                true
            }
            Some(Step::Jump(to)) => {
                open.push(*to);
                true
            }
            Some(Step::Mark(_)) => {
                open.push(next + 1);
                true
            }
            Some(Step::Place(place)) => never_inside(*place, set, *min),
            Some(Step::Done) | None => true,
        };
        if !settled {
            return false;
        }
    }
    true
}

/// Whether a condition fails everywhere between the characters of a run.
fn never_inside(place: Place, run: &Set, min: u32) -> bool {
    match place {
        Place::TextEnd => true,
        Place::LineEnd => !run.bytes.contains(b'\n'),
        Place::WordEdge => min > 0 && run.bytes.is_within(&Bytes::WORD),
        _ => false,
    }
}

/// The bytes that may come at a step; all where the match may be over.
pub(super) fn first(steps: &[Step], from: usize) -> Bytes {
    let mut bytes = Bytes::NONE;
    let mut seen = vec![false; steps.len()];
    let mut open = vec![from];
    while let Some(step) = open.pop() {
        match seen.get_mut(step) {
            Some(seen) if !*seen => *seen = true,
            _ => continue,
        }
        match steps.get(step) {
            Some(Step::Literal(literal)) => {
                literal
                    .first()
                    .into_iter()
                    .for_each(|byte| bytes.insert(*byte));
            }
            Some(Step::One(set)) => bytes.unite(&set.bytes),
            Some(Step::Word(sets)) => {
                sets.first()
                    .into_iter()
                    .for_each(|set| bytes.unite(&set.bytes));
            }
            Some(Step::Run { set, min, .. } | Step::Lazy { set, min, .. }) => {
                bytes.unite(&set.bytes);
                if *min == 0 {
                    open.push(step + 1);
                }
            }
            Some(Step::Split(ways, _)) => open.extend(ways),
            Some(Step::Jump(to)) => open.push(*to),
            Some(Step::Mark(_) | Step::Place(_)) => open.push(step + 1),
            Some(Step::Done) | None => return Bytes::ALL,
        }
    }
    bytes
}

/// The bytes that may come behind the first one from a step on; all where that is hard to say.
fn second(steps: &[Step], from: usize, jumps: usize) -> Bytes {
    let Some(jumps) = jumps.checked_sub(1) else {
        return Bytes::ALL;
    };
    let behind = |set: &Set| {
        let mut bytes = first(steps, from + 1);
        bytes.unite(&set.inner());
        bytes
    };
    match steps.get(from) {
        Some(Step::Literal(literal)) => match literal.get(1) {
            Some(byte) => [*byte].into_iter().collect(),
            None => first(steps, from + 1),
        },
        Some(Step::One(set)) => behind(set),
        Some(Step::Word(sets)) => match sets.as_ref() {
            [set, next, ..] => {
                let mut bytes = next.bytes;
                bytes.unite(&set.inner());
                bytes
            }
            _ => Bytes::ALL,
        },
        Some(Step::Run { set, min, max, .. } | Step::Lazy { set, min, max, .. }) => {
            let mut bytes = behind(set);
            if *max > 1 {
                bytes.unite(&set.bytes);
            }
            if *min == 0 {
                bytes.unite(&second(steps, from + 1, jumps));
            }
            bytes
        }
        Some(Step::Split([one, two], _)) => {
            let mut bytes = second(steps, *one, jumps);
            bytes.unite(&second(steps, *two, jumps));
            bytes
        }
        Some(Step::Jump(to)) => second(steps, *to, jumps),
        Some(Step::Mark(_) | Step::Place(_)) => second(steps, from + 1, jumps),
        Some(Step::Done) | None => Bytes::ALL,
    }
}
