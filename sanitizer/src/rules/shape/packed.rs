//! Reads matchers from the bytes that the build script wrote (`compile/pack.rs`): that takes a small part of
//! what reading an expression does.

use super::set::{Bytes, Set};
use super::step::{Place, Step, widest};
use super::{Origin, Places, Shape};

/// What matchers have in common, each once.
#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) sets: &'static [Set],
    pub(crate) bytes: &'static [Bytes],
}

impl Shape {
    /// Reads a matcher; nothing where the bytes are none.
    pub(crate) fn read(packed: &'static [u8], pool: &'static Pool) -> Option<Self> {
        let mut reader = Reader { packed, pool };
        let origin = reader.origin()?;
        let [before, after, first] = reader.places()?;
        let places = reader.places()?;
        let (by_line, inside, by_word) = (reader.flag()?, reader.flag()?, reader.flag()?);
        let ahead = match reader.flag()? {
            true => Some(Box::new(reader.places()?)),
            false => None,
        };
        let count = reader.number()?;
        let mut steps = Vec::with_capacity(count);
        for _ in 0..count {
            steps.push(reader.step()?);
        }
        Some(Self {
            widest: widest(&steps),
            steps,
            origin,
            before,
            after,
            ahead,
            by_line,
            places,
            inside,
            first,
            by_word,
        })
    }
}

/// What is left to read.
struct Reader {
    packed: &'static [u8],
    pool: &'static Pool,
}

impl Reader {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.packed.split_first()?;
        self.packed = rest;
        Some(*first)
    }

    fn flag(&mut self) -> Option<bool> {
        self.byte().map(|byte| byte != 0)
    }

    /// A number, seven bits a byte, the lowest first.
    fn number(&mut self) -> Option<usize> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            number |= usize::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte < 0x80 {
                return Some(number);
            }
        }
    }

    fn set(&mut self) -> Option<&'static Set> {
        let number = self.number()?;
        self.pool.sets.get(number)
    }

    fn bytes(&mut self) -> Option<&'static Bytes> {
        let number = self.number()?;
        self.pool.bytes.get(number)
    }

    fn places<const N: usize>(&mut self) -> Option<[Bytes; N]> {
        let mut places = [Bytes::NONE; N];
        for place in &mut places {
            *place = *self.bytes()?;
        }
        Some(places)
    }

    fn origin(&mut self) -> Option<Origin> {
        Some(match self.byte()? {
            0 => Origin::Anchor,
            1 => Origin::Lead,
            2 => Origin::Among(Places {
                ascii: self.number()? as u32,
                any: self.number()? as u32,
            }),
            3 => Origin::Back {
                through: *self.bytes()?,
                lead: self.flag()?,
                least: self.number()?,
                most: self.number()?,
            },
            _ => return None,
        })
    }

    fn step(&mut self) -> Option<Step> {
        Some(match self.byte()? {
            0 => {
                let length = self.number()?;
                let (literal, rest) = self.packed.split_at_checked(length)?;
                self.packed = rest;
                Step::Literal(literal)
            }
            1 => Step::One(self.set()?),
            2 => {
                let count = self.number()?;
                let sets: Option<Box<[&Set]>> = (0..count).map(|_| self.set()).collect();
                Step::Word(sets?)
            }
            3 => Step::Run {
                set: self.set()?,
                min: self.number()? as u32,
                max: self.number()? as u32,
                settled: self.flag()?,
                next: self.bytes()?,
            },
            4 => Step::Lazy {
                set: self.set()?,
                min: self.number()? as u32,
                max: self.number()? as u32,
                next: [self.bytes()?, self.bytes()?],
            },
            5 => Step::Split(
                [self.number()?, self.number()?],
                [self.bytes()?, self.bytes()?],
            ),
            6 => Step::Jump(self.number()?),
            7 => Step::Mark(self.flag()?),
            8 => Step::Place(self.place()?),
            9 => Step::Done,
            _ => return None,
        })
    }

    fn place(&mut self) -> Option<Place> {
        Some(match self.byte()? {
            0 => Place::TextStart,
            1 => Place::TextEnd,
            2 => Place::LineStart,
            3 => Place::LineEnd,
            4 => Place::WordEdge,
            5 => Place::NoWordEdge,
            _ => return None,
        })
    }
}
