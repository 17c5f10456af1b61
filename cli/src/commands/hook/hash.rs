//! Hashes that stand for texts in the state of a session.

use sha2::{Digest as _, Sha256};

/// A hash that stands for a text.
pub(super) type Hash = u64;

/// The number of bytes of a hash: enough to tell the few thousand texts of a session apart.
const HASH_BYTES: usize = 5;

/// Returns the hash of a text.
pub(super) fn hash(text: &str) -> Hash {
    let digest = Sha256::digest(text.as_bytes());
    let first = digest.iter().take(HASH_BYTES);
    first.fold(0, |hash, byte| hash << 8 | Hash::from(*byte))
}
