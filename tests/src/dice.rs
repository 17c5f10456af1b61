//! Pseudo-random numbers, which are the same in every run.

/// A random number generator (xorshift64*).
#[derive(Debug)]
pub struct Dice(u64);

impl Dice {
    /// Starts a sequence; `seed` must not be 0.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let random = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(random).expect("31 bits") % limit
    }
}
