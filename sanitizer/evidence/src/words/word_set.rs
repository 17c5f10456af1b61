//! Sets of words that are asked often: no allocation, and a hash that suits short strings.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// Longest word of a set, in bytes.
const MAX_WORD: usize = 96;

/// Words in lower case.
#[derive(Debug, Default)]
pub struct WordSet {
    words: HashSet<&'static str, BuildHasherDefault<Short>>,
    longest: usize,
}

impl WordSet {
    /// Collects words.
    pub fn new(words: &[&'static str]) -> Self {
        Self {
            words: words.iter().copied().collect(),
            longest: words.iter().map(|word| word.len()).max().unwrap_or(0),
        }
    }

    /// Whether the word is in the set, to the letter.
    pub fn has(&self, word: &str) -> bool {
        word.len() <= self.longest && self.words.contains(word)
    }

    /// Whether the word is in the set, ASCII case ignored.
    pub fn has_in_any_case(&self, word: &str) -> bool {
        if word.len() > self.longest {
            return false;
        }
        if !word.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return self.has(word);
        }
        let mut room = [0; MAX_WORD];
        let Some(lower) = room.get_mut(..word.len()) else {
            return false;
        };
        lower.copy_from_slice(word.as_bytes());
        lower.make_ascii_lowercase();
        std::str::from_utf8(lower).is_ok_and(|lower| self.has(lower))
    }
}

/// FNV-1a over words of eight bytes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Short(u64);

impl Default for Short {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Short {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let word = chunk
                .iter()
                .fold(0, |word, byte| word << 8 | u64::from(*byte));
            self.0 = (self.0 ^ word).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        // The upper bits choose within the table too.
        self.0 ^ self.0.rotate_left(31).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}
