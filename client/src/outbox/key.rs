//! The key that encrypts the files of the outbox. [`super::keyring`] provides it.

use ring::{
    aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    rand::{SecureRandom as _, SystemRandom},
};
use uuid::Uuid;

/// The first bytes of an encrypted file; JSON begins differently.
const MARK: &[u8] = b"recall-kit sealed 1\n";
pub(super) const KEY_BYTES: usize = 32;

/// Encrypts and decrypts files.
pub(super) struct Key(LessSafeKey);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(redacted)")
    }
}

/// Returns whether a file is encrypted.
pub(super) fn is_sealed(bytes: &[u8]) -> bool {
    bytes.starts_with(MARK)
}

impl Key {
    /// Creates a key from bytes; `None` if their number is wrong.
    pub(super) fn new(bytes: &[u8]) -> Option<Self> {
        let key = UnboundKey::new(&CHACHA20_POLY1305, bytes).ok()?;
        Some(Self(LessSafeKey::new(key)))
    }

    /// Encrypts a file and binds it to its id.
    pub(super) fn seal(&self, plain: &[u8], id: Uuid) -> Option<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).ok()?;
        let mut sealed = plain.to_vec();
        let unique = Nonce::assume_unique_for_key(nonce);
        let bound = Aad::from(id.into_bytes());
        self.0
            .seal_in_place_append_tag(unique, bound, &mut sealed)
            .ok()?;
        Some([MARK, &nonce, &sealed].concat())
    }

    /// Decrypts a file; `None` if it is damaged, or was encrypted with another id or another key.
    pub(super) fn open(&self, bytes: &[u8], id: Uuid) -> Option<Vec<u8>> {
        let (nonce, sealed) = bytes.strip_prefix(MARK)?.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut sealed = sealed.to_vec();
        let bound = Aad::from(id.into_bytes());
        let plain = self.0.open_in_place(nonce, bound, &mut sealed).ok()?;
        Some(plain.to_vec())
    }
}
