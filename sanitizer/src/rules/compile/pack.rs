//! Writes matchers as bytes, which `shape/packed.rs` reads, and what many of them have in common as a
//! source for the compiler.

use std::collections::HashMap;
use std::hash::Hash;

use super::super::shape::step::Place;
use super::super::shape::{Bytes, Origin, Set, Shape, Step};

/// What matchers have in common, each once and in the order in which it came.
#[derive(Debug, Default)]
pub(crate) struct Packer {
    sets: Numbered<Set>,
    bytes: Numbered<Bytes>,
}

/// Values, each with its number.
#[derive(Debug)]
struct Numbered<T> {
    numbers: HashMap<T, usize>,
    values: Vec<T>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Self {
            numbers: HashMap::new(),
            values: Vec::new(),
        }
    }
}

impl<T: Copy + Eq + Hash> Numbered<T> {
    fn number(&mut self, value: T) -> usize {
        *self.numbers.entry(value).or_insert_with(|| {
            self.values.push(value);
            self.values.len() - 1
        })
    }
}

impl Packer {
    /// Returns the numbers of sets of bytes.
    pub(crate) fn numbers(&mut self, all: &[Bytes]) -> Vec<usize> {
        all.iter().map(|bytes| self.bytes.number(*bytes)).collect()
    }

    /// Writes a matcher.
    pub(crate) fn pack(&mut self, shape: &Shape) -> Vec<u8> {
        let mut out = Vec::new();
        self.origin(&shape.origin, &mut out);
        self.bytes(&shape.before, &mut out);
        self.bytes(&shape.after, &mut out);
        self.bytes(&shape.first, &mut out);
        for place in &shape.places {
            self.bytes(place, &mut out);
        }
        for flag in [
            shape.by_line,
            shape.inside,
            shape.by_word,
            shape.ahead.is_some(),
        ] {
            out.push(u8::from(flag));
        }
        for place in shape.ahead.iter().flat_map(|ahead| ahead.iter()) {
            self.bytes(place, &mut out);
        }
        number(shape.steps.len(), &mut out);
        for step in &shape.steps {
            self.step(step, &mut out);
        }
        out
    }

    fn origin(&mut self, origin: &Origin, out: &mut Vec<u8>) {
        match origin {
            Origin::Anchor => out.push(0),
            Origin::Lead => out.push(1),
            Origin::Among(places) => {
                out.push(2);
                number(places.ascii as usize, out);
                number(places.any as usize, out);
            }
            Origin::Back {
                through,
                lead,
                least,
                most,
            } => {
                out.push(3);
                self.bytes(through, out);
                out.push(u8::from(*lead));
                number(*least, out);
                number(*most, out);
            }
        }
    }

    fn step(&mut self, step: &Step, out: &mut Vec<u8>) {
        match step {
            Step::Literal(literal) => {
                out.push(0);
                number(literal.len(), out);
                out.extend_from_slice(literal);
            }
            Step::One(set) => {
                out.push(1);
                self.set(set, out);
            }
            Step::Word(sets) => {
                out.push(2);
                number(sets.len(), out);
                sets.iter().for_each(|set| self.set(set, out));
            }
            Step::Run {
                set,
                min,
                max,
                settled,
                next,
            } => {
                out.push(3);
                self.counted(set, *min, *max, out);
                out.push(u8::from(*settled));
                self.bytes(next, out);
            }
            Step::Lazy {
                set,
                min,
                max,
                next,
            } => {
                out.push(4);
                self.counted(set, *min, *max, out);
                next.iter().for_each(|next| self.bytes(next, out));
            }
            Step::Split(ways, begin) => {
                out.push(5);
                ways.iter().for_each(|way| number(*way, out));
                begin.iter().for_each(|begin| self.bytes(begin, out));
            }
            Step::Jump(to) => {
                out.push(6);
                number(*to, out);
            }
            Step::Mark(end) => out.extend([7, u8::from(*end)]),
            Step::Place(place) => out.extend([8, place_number(*place)]),
            Step::Done => out.push(9),
        }
    }

    fn counted(&mut self, set: &Set, min: u32, max: u32, out: &mut Vec<u8>) {
        self.set(set, out);
        number(min as usize, out);
        number(max as usize, out);
    }

    fn set(&mut self, set: &Set, out: &mut Vec<u8>) {
        number(self.sets.number(*set), out);
    }

    fn bytes(&mut self, bytes: &Bytes, out: &mut Vec<u8>) {
        number(self.bytes.number(*bytes), out);
    }

    /// The sets and bytes of all matchers so far, as the compiler reads them.
    pub(crate) fn pool(&self) -> String {
        let sets: Vec<String> = self
            .sets
            .values
            .iter()
            .map(|set| format!("Set {{ bytes: {:?}, wide: &{:?} }}", set.bytes, set.wide))
            .collect();
        format!(
            "Pool {{ sets: &[{}], bytes: &{:?} }}",
            sets.join(",\n"),
            self.bytes.values
        )
    }
}

/// Writes a number, seven bits a byte, the lowest first.
fn number(mut number: usize, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn place_number(place: Place) -> u8 {
    match place {
        Place::TextStart => 0,
        Place::TextEnd => 1,
        Place::LineStart => 2,
        Place::LineEnd => 3,
        Place::WordEdge => 4,
        Place::NoWordEdge => 5,
    }
}
