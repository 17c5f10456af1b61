//! The format of API keys: `rk_`, a public part that lists show, `_`, and the secret part.
//!
//! The parts have only letters and digits: a double click selects the whole key, and no shell, URL or
//! header has to quote it. The prefix lets scanners for leaked secrets recognise a key.

use sha2::{Digest as _, Sha256};

/// The prefix of every key.
pub(super) const MARK: &str = "rk_";
/// Length of the public part: enough to tell any number of keys apart.
const PUBLIC_LEN: usize = 8;
/// Length of the secret part: 62^43 is more than 2^256, so that 32 bytes always fit.
const SECRET_LEN: usize = 43;
const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Creates a new key with 32 random bytes in its secret part.
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

/// Returns the part of a text that may be shown: the public part if the text begins like a key, else
/// all of it.
pub(super) fn showable(text: &str) -> String {
    let shown = if text.starts_with(MARK) {
        MARK.len() + PUBLIC_LEN
    } else {
        usize::MAX
    };
    text.chars().take(shown).collect()
}

/// Returns the SHA-256 of a key; `None` if the text does not have the format of one.
///
/// A slow hash with a salt protects secrets that people choose. One of 2^256 equally likely keys cannot
/// be guessed, however fast the hash is, and a slow hash would let anybody keep the server busy with
/// wrong keys.
pub(super) fn hash_of(text: &str) -> Option<[u8; 32]> {
    let (public, secret) = text.strip_prefix(MARK)?.split_once('_')?;
    let is_key = public.len() == PUBLIC_LEN
        && secret.len() == SECRET_LEN
        && (public.bytes().chain(secret.bytes())).all(|byte| byte.is_ascii_alphanumeric());
    is_key.then(|| Sha256::digest(text).into())
}

/// Returns the last `LEN` base-62 digits of a big-endian number; overwrites the number.
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
