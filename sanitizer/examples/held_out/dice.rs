//! Chance that is the same in every run.

/// A generator of numbers from a seed (splitmix64).
pub(crate) struct Dice(u64);

/// Characters that values are thrown from.
pub(crate) const DIGITS: &str = "0123456789";
pub(crate) const HEX: &str = "0123456789abcdef";
pub(crate) const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
pub(crate) const BASE32: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
pub(crate) const BASE62: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
pub(crate) const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 16) as usize % end
    }

    pub(crate) fn one_of<'o, T: ?Sized>(&mut self, options: &[&'o T]) -> &'o T {
        options[self.below(options.len())]
    }

    /// So many characters, none decided by the others.
    pub(crate) fn run(&mut self, characters: &str, length: usize) -> String {
        (0..length)
            .map(|_| char::from(characters.as_bytes()[self.below(characters.len())]))
            .collect()
    }

    pub(crate) fn uuid(&mut self) -> String {
        let groups = [8, 4, 4, 4, 12].map(|length| self.run(HEX, length));
        groups.join("-")
    }
}
