//! What a key looks like: `rk_`, a public part that lists show, `_`, and the secret part.
//!
//! Letters and digits only: a double click selects the whole key, and no shell, URL or header has to
//! quote it. The beginning lets scanners for leaked secrets recognise a key.

use sha2::{Digest as _, Sha256};

/// What every key begins with.
pub(super) const MARK: &str = "rk_";
/// Length of the public part: enough to tell any number of keys apart.
const PUBLIC_LEN: usize = 8;
/// Length of the secret part: 62^43 is more than 2^256, so that 32 bytes always fit.
const SECRET_LEN: usize = 43;
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Makes a new key of 32 random bytes, besides those of the public part.
///
/// *Errors*: the system's random source failed.
pub(super) fn generate() -> Result<String, getrandom::Error> {
    let (mut public, mut secret) = ([0; 8], [0; 32]);
    getrandom::fill(&mut public)?;
    getrandom::fill(&mut secret)?;
    Ok(format!(
        "{MARK}{}_{}",
        base62::<PUBLIC_LEN>(&mut public),
        base62::<SECRET_LEN>(&mut secret)
    ))
}

/// Returns the part of a text that may be shown: all of it, unless it could be more of a key than
/// its public part.
pub(super) fn showable(text: &str) -> String {
    let shown = if text.starts_with(MARK) {
        MARK.len() + PUBLIC_LEN
    } else {
        usize::MAX
    };
    text.chars().take(shown).collect()
}

/// Returns the SHA-256 of a key; `None` when the text has not the shape of one.
///
/// A slow hash with a salt protects secrets that people think up. Of 2^256 equally likely keys none
/// is guessed, however fast the hash; and a slow one would let anybody keep the server busy with
/// wrong keys.
pub(super) fn hash_of(text: &str) -> Option<[u8; 32]> {
    let (public, secret) = text.strip_prefix(MARK)?.split_once('_')?;
    let is_key = public.len() == PUBLIC_LEN
        && secret.len() == SECRET_LEN
        && (public.bytes().chain(secret.bytes())).all(|byte| byte.is_ascii_alphanumeric());
    is_key.then(|| Sha256::digest(text).into())
}

/// Writes a big-endian number with its last `LEN` digits to the base 62; uses the number up.
fn base62<const LEN: usize>(number: &mut [u8]) -> String {
    let mut digits = [0; LEN];
    for digit in digits.iter_mut().rev() {
        let mut rest = 0;
        for byte in number.iter_mut() {
            let value = rest << 8 | usize::from(*byte);
            *byte = u8::try_from(value / 62).expect("rest and so value / 62 fit a byte");
            rest = value % 62;
        }
        *digit = *DIGITS.get(rest).expect("a rest is below 62");
    }
    digits.into_iter().map(char::from).collect()
}
