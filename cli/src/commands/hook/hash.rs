//! Hashes that stand for texts in the state of a session.

use sha2::{Digest as _, Sha256};
use uuid::Uuid;

/// A hash that stands for a text.
pub(super) type Hash = u64;

/// The number of bytes of a hash: enough to tell the few thousand texts of a session apart.
const HASH_BYTES: usize = 5;
/// The number of bytes of a salt.
pub(super) const SALT_BYTES: usize = 32;

/// Makes hashes. Their salt is random, so that nobody can look up in a table what the texts were.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hasher {
    salt: [u8; SALT_BYTES],
}

impl Hasher {
    pub(super) fn new(salt: [u8; SALT_BYTES]) -> Self {
        Self { salt }
    }

    /// Creates one with a new salt.
    pub(super) fn random() -> Self {
        let halves = [Uuid::new_v4(), Uuid::new_v4()].map(Uuid::into_bytes);
        let mut salt = [0; SALT_BYTES];
        let bytes = halves.iter().flatten();
        salt.iter_mut()
            .zip(bytes)
            .for_each(|(to, from)| *to = *from);
        Self { salt }
    }

    pub(super) fn salt(&self) -> &[u8; SALT_BYTES] {
        &self.salt
    }

    /// Returns the hash of a text.
    pub(super) fn hash(&self, text: &str) -> Hash {
        let digest = Sha256::new()
            .chain_update(self.salt)
            .chain_update(text)
            .finalize();
        let first = digest.iter().take(HASH_BYTES);
        first.fold(0, |hash, byte| hash << 8 | Hash::from(*byte))
    }
}
