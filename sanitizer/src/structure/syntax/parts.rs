//! What stands between a key and its value, tried only where it may begin. The expressions are in
//! `../patterns.rs`.

use std::ops::Range;
use std::sync::OnceLock;

use crate::rules::pool::POOL;
use crate::rules::shape::Regex;

/// What may stand between a key and its value, or open a value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    ValueField,
    DefaultField,
    Call,
    Option,
    NextElement,
    Typed,
    TypedAfter,
    Operator,
    Comma,
    Cell,
    Element,
    Flag,
    Prose,
    Opener,
}

/// The matchers of the parts, in their order.
const PARTS: &[&[u8]] = include!(concat!(env!("OUT_DIR"), "/parts.rs"));

/// How many bytes tell which parts may stand there.
const TOLD: usize = 6;

/// The parts, and which of them may have a byte at each of their first places, as bits.
pub(super) struct Separators {
    parts: Vec<Regex>,
    begin: [[u16; 256]; TOLD],
}

impl Separators {
    fn new() -> Self {
        let regex = |packed: &&'static [u8]| Regex::read(packed, &POOL);
        let parts: Option<Vec<Regex>> = PARTS.iter().map(regex).collect();
        let parts = parts.expect("the build script writes matchers");
        let mut begin = [[0; 256]; TOLD];
        for (part, regex) in parts.iter().enumerate() {
            for (place, table) in regex.places().iter().zip(&mut begin) {
                for (byte, parts) in (0..=u8::MAX).zip(table) {
                    *parts |= u16::from(place.contains(byte)) << part;
                }
            }
        }
        Self { parts, begin }
    }

    /// The parts that a text may begin with, by its first bytes.
    pub(super) fn beginning(&'static self, text: &str) -> Beginning {
        let mut open = u16::MAX;
        for (table, byte) in self.begin.iter().zip(text.bytes()) {
            open &= table.get(usize::from(byte)).copied().unwrap_or(0);
        }
        Beginning {
            parts: &self.parts,
            open,
        }
    }
}

/// The parts that a text may begin with.
pub(super) struct Beginning {
    parts: &'static [Regex],
    open: u16,
}

impl Beginning {
    /// Whether any part but an opening quote may stand there.
    pub(super) fn is_possible(&self) -> bool {
        self.open & !(1 << Part::Opener as u16) != 0
    }

    /// Finds the part where the text begins: all of it, and its group `secret`.
    pub(super) fn find(&self, part: Part, text: &str) -> Option<(Range<usize>, Range<usize>)> {
        let open = self.open >> part as u16 & 1 == 1;
        let open = open && may_have(part, text.as_bytes());
        self.parts.get(part as usize).filter(|_| open)?.find(text)
    }
}

/// Whether a text has the sign that a part cannot do without.
fn may_have(part: Part, text: &[u8]) -> bool {
    match part {
        Part::Typed | Part::TypedAfter => memchr::memchr(b'=', text).is_some(),
        Part::ValueField => may_name_a_value(text),
        Part::Opener => memchr::memchr3(b'"', b'\'', b'`', text).is_some(),
        _ => true,
    }
}

/// Whether a field for a value may stand behind spaces: another word than its names does in prose.
fn may_name_a_value(text: &[u8]) -> bool {
    let spaces = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
    let word = text.get(spaces.count()..).unwrap_or_default();
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let behind = word.get(word.iter().take_while(is_part).count());
    let is_plain = |byte: &u8| byte.is_ascii() && *byte != b':';
    match word.first() {
        // `value`, `content`, `default`, `initial_value`, `plaintext`
        Some(b'v' | b'V' | b'c' | b'C' | b'd' | b'D' | b'i' | b'I' | b'p' | b'P') => true,
        Some(b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'-') => !behind.is_none_or(is_plain),
        _ => true,
    }
}

pub(super) fn separators() -> &'static Separators {
    static CELL: OnceLock<Separators> = OnceLock::new();
    CELL.get_or_init(Separators::new)
}
