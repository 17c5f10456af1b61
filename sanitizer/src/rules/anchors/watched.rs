//! Places that are watched for by their first two bytes.

use crate::rules::shape::Bytes;

/// Places that are watched for by their first two bytes.
#[derive(Debug)]
pub(super) struct Watched {
    /// For each of the two bytes which places allow it, as bits.
    places: Box<[[u32; 256]; 2]>,
    /// Those that are only where a word begins.
    at_word: u32,
    count: u32,
}

impl Watched {
    pub(super) fn new() -> Self {
        Self {
            places: Box::new([[0; 256]; 2]),
            at_word: 0,
            count: 0,
        }
    }

    pub(super) fn add(&mut self, places: &[Bytes; 2], at_word: bool) {
        let bit = 1_u32.checked_shl(self.count).unwrap_or(0);
        for (allowed, table) in places.iter().zip(self.places.iter_mut()) {
            for (byte, places) in (0..=u8::MAX).zip(table) {
                *places |= if allowed.contains(byte) { bit } else { 0 };
            }
        }
        self.at_word |= if at_word { bit } else { 0 };
        self.count += 1;
    }

    /// Whether a place begins with the last two of these bytes.
    #[inline]
    pub(super) fn begins(&self, [_, before, first, second]: [u8; 4]) -> bool {
        let [firsts, seconds] = &*self.places;
        let both = firsts.get(usize::from(first)).copied().unwrap_or(0)
            & seconds.get(usize::from(second)).copied().unwrap_or(0);
        both != 0 && both & self.allowed(before) != 0
    }

    /// The same where the text ends behind the first byte.
    pub(super) fn begins_at_end(&self, [_, _, before, first]: [u8; 4]) -> bool {
        let [firsts, _] = &*self.places;
        let first = firsts.get(usize::from(first)).copied().unwrap_or(0);
        first & self.allowed(before) != 0
    }

    /// The places that may stand behind a byte.
    #[inline]
    pub(super) fn allowed(&self, before: u8) -> u32 {
        match before.is_ascii_alphanumeric() || before == b'_' {
            true => !self.at_word,
            false => u32::MAX,
        }
    }
}
