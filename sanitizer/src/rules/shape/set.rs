//! A set of characters that is asked about bytes first: nearly all text that rules look at is ASCII.

/// The characters that one place of an expression accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Set {
    /// The ASCII members, and the bytes that other members may consist of.
    pub(crate) bytes: Bytes,
    /// The members beyond ASCII, in order.
    pub(crate) wide: &'static [(char, char)],
}

impl Set {
    /// Where the character at `at` ends when it is a member.
    #[inline]
    pub(super) fn step(&self, text: &str, at: usize) -> Option<usize> {
        let byte = *text.as_bytes().get(at)?;
        if !self.bytes.contains(byte) {
            return None;
        }
        if byte < 0x80 {
            return Some(at + 1);
        }
        let c = text.get(at..)?.chars().next()?;
        self.holds_wide(c).then(|| at + c.len_utf8())
    }

    fn holds_wide(&self, c: char) -> bool {
        let passed = self.wide.partition_point(|(_, last)| *last < c);
        self.wide.get(passed).is_some_and(|(first, _)| *first <= c)
    }
}

/// A set of bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Bytes(pub(crate) [u32; 8]);

impl Bytes {
    /// Every byte.
    pub(crate) const ALL: Self = Self([u32::MAX; 8]);

    /// No byte.
    pub(crate) const NONE: Self = Self([0; 8]);

    /// Adds a byte.
    pub(crate) fn insert(&mut self, byte: u8) {
        if let Some(word) = self.0.get_mut(usize::from(byte >> 5)) {
            *word |= 1 << (byte & 31);
        }
    }

    /// Whether the byte is a member.
    #[inline]
    pub(crate) fn contains(&self, byte: u8) -> bool {
        self.0
            .get(usize::from(byte >> 5))
            .is_some_and(|word| word >> (byte & 31) & 1 == 1)
    }

    /// Whether the byte is a member and of ASCII.
    #[inline]
    pub(super) fn contains_ascii(&self, byte: u8) -> bool {
        let [ascii @ .., _, _, _, _] = &self.0;
        ascii
            .get(usize::from(byte >> 5))
            .is_some_and(|word| word >> (byte & 31) & 1 == 1)
    }

    /// Adds the members of another set.
    pub(crate) fn unite(&mut self, other: &Self) {
        for (word, more) in self.0.iter_mut().zip(other.0) {
            *word |= more;
        }
    }
}

impl FromIterator<u8> for Bytes {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Self {
        let mut set = Self::default();
        bytes.into_iter().for_each(|byte| set.insert(byte));
        set
    }
}
