//! Sets of characters and of bytes, as classes of expressions say them.

use regex_syntax::hir::{Class, ClassUnicode};

use super::super::shape::{Bytes, Set};

impl Set {
    /// Reads a class; nothing when it is not one of characters.
    pub(super) fn of(class: &Class) -> Option<Self> {
        match class {
            Class::Unicode(class) => Some(Self::of_unicode(class)),
            Class::Bytes(class) if class.is_ascii() => {
                let mut bytes = Bytes::default();
                for range in class.ranges() {
                    (range.start()..=range.end()).for_each(|byte| bytes.insert(byte));
                }
                Some(Self { bytes, wide: &[] })
            }
            Class::Bytes(_) => None,
        }
    }

    fn of_unicode(class: &ClassUnicode) -> Self {
        let wide = class
            .ranges()
            .iter()
            .filter(|range| !range.end().is_ascii())
            .map(|range| (range.start().max('\u{80}'), range.end()))
            .collect::<Vec<_>>();
        Self {
            bytes: Bytes::of(class),
            wide: wide.leak(),
        }
    }

    /// The set of one character.
    pub(super) fn single(c: char) -> Self {
        Self::of_unicode(&ClassUnicode::new([
            regex_syntax::hir::ClassUnicodeRange::new(c, c),
        ]))
    }

    /// The bytes that may follow the first one inside a member.
    pub(super) fn inner(&self) -> Bytes {
        match self.wide.is_empty() {
            true => Bytes::NONE,
            false => Bytes::INNER,
        }
    }
}

/// The first byte of a character in UTF-8.
const fn first_byte(c: char) -> u8 {
    match c as u32 {
        c @ ..0x80 => c as u8,
        c @ ..0x800 => 0xc0 | (c >> 6) as u8,
        c @ ..0x1_0000 => 0xe0 | (c >> 12) as u8,
        c => 0xf0 | (c >> 18) as u8,
    }
}

/// The last number of a character with the same first byte in UTF-8.
const fn last_of_first_byte(c: char) -> u32 {
    match c as u32 {
        c @ ..0x80 => c,
        c @ ..0x800 => c | 0x3f,
        c @ ..0x1_0000 => c | 0xfff,
        c => c | 0x3_ffff,
    }
}

impl Bytes {
    /// The bytes of ASCII.
    pub(super) const ASCII: Self = Self([u32::MAX, u32::MAX, u32::MAX, u32::MAX, 0, 0, 0, 0]);

    /// The ASCII characters of words.
    pub(super) const WORD: Self = Self([0, 0x03ff_0000, 0x87ff_fffe, 0x07ff_fffe, 0, 0, 0, 0]);

    /// The bytes of a character in UTF-8 but for its first one.
    pub(super) const INNER: Self = Self([0, 0, 0, 0, u32::MAX, u32::MAX, 0, 0]);

    /// The bytes that the characters of a class consist of.
    pub(super) fn of(class: &ClassUnicode) -> Self {
        let mut bytes = Self::NONE;
        let mut ranges = class.ranges();
        while let Some((range, more)) = ranges.split_first() {
            ranges = more;
            if range.start().is_ascii() {
                let end = range.end().min('\u{7f}');
                bytes.insert_range(range.start() as u8, end as u8);
            }
            if !range.end().is_ascii() {
                let first = range.start().max('\u{80}');
                bytes.insert_range(first_byte(first), first_byte(range.end()));
                // Ranges are in order, and many begin and end with the same byte.
                let known = last_of_first_byte(range.end());
                let passed = more.partition_point(|range| u32::from(range.end()) <= known);
                ranges = more.get(passed..).unwrap_or_default();
            }
        }
        if class
            .ranges()
            .last()
            .is_some_and(|range| !range.end().is_ascii())
        {
            bytes.unite(&Self::INNER);
        }
        bytes
    }

    /// Adds the bytes from one to another.
    fn insert_range(&mut self, first: u8, last: u8) {
        let (from, to) = (usize::from(first >> 5), usize::from(last >> 5));
        for (index, word) in (0..).zip(&mut self.0).take(to + 1).skip(from) {
            let low = if index == from { first & 31 } else { 0 };
            let high = if index == to { last & 31 } else { 31 };
            if low <= high {
                *word |= u32::MAX << low & u32::MAX >> (31 - high);
            }
        }
    }

    /// The members but for those of another set.
    pub(crate) fn without(mut self, other: &Self) -> Self {
        for (word, others) in self.0.iter_mut().zip(other.0) {
            *word &= !others;
        }
        self
    }

    /// Whether no byte is a member of both.
    pub(crate) fn is_disjoint(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).all(|(one, two)| one & two == 0)
    }

    /// Whether every member is one of `other`.
    pub(crate) fn is_within(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).all(|(one, two)| one & !two == 0)
    }
}
