//! Passwords: which ones are allowed, and how they are hashed and verified.

use std::sync::OnceLock;

use argon2::{Argon2, PasswordHasher as _, PasswordVerifier as _};
use recall_kit_settings::Secret;
use recall_kit_store::PasswordHash;
use tokio::sync::Semaphore;
use unicode_normalization::UnicodeNormalization as _;

use super::PeopleError;
use crate::error::ServiceError;

/// The fewest and the most characters. NIST SP 800-63B requires at least 8 for passwords without a
/// second factor, and no rules of composition.
const LEAST: usize = 12;
const MOST: usize = 200;

/// The most characters of a typed password that are read.
const INPUT_MAX: usize = 1_000;

/// Limits how many hashes are computed at once, each in 19 MiB.
static TURNS: Semaphore = Semaphore::const_new(2);

/// A new password that passed the rules; never shown.
#[derive(Debug, Clone)]
pub struct Password(Secret);

/// Why a text cannot be a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PasswordError {
    /// Too short or too long.
    #[error("a password must have {LEAST} to {MOST} characters, this one has {0}")]
    Length(usize),
    /// It is the user's name.
    #[error("a password must not be the user's name")]
    Name,
}

impl Password {
    /// Checks a text as the new password of a user with this name.
    ///
    /// *Errors*: [`PasswordError`], without the text.
    pub fn new(text: &str, name: &str) -> Result<Self, PasswordError> {
        let text = normal(text);
        let length = text.chars().count();
        if !(LEAST..=MOST).contains(&length) {
            return Err(PasswordError::Length(length));
        }
        if text.trim().to_lowercase() == normal(name).to_lowercase() {
            return Err(PasswordError::Name);
        }
        Ok(Self(Secret::new(text)))
    }

    /// Computes its hash.
    ///
    /// *Errors*: [`PeopleError::Broken`].
    pub(super) async fn hash(self) -> Result<PasswordHash, PeopleError> {
        let hash = in_turn(move || hash_of(self.0.expose())).await?;
        hash.ok_or(PeopleError::Broken(ServiceError::Broken(
            "hashing a password",
        )))
    }
}

/// Returns whether a text is the password with this hash. Without a hash it takes as long, and
/// returns `false`.
///
/// *Errors*: [`PeopleError::Broken`].
pub(super) async fn is_password(
    hash: Option<&PasswordHash>,
    text: &Secret,
) -> Result<bool, PeopleError> {
    let (hash, text) = (hash.cloned(), text.clone());
    in_turn(move || {
        // Bounds the work for a text that is too long to be a password; what is left of it is still
        // too long, however its characters are composed.
        let text: String = text.expose().chars().take(INPUT_MAX).nfc().collect();
        let known = hash
            .as_ref()
            .map_or_else(|| dummy_hash(), PasswordHash::expose);
        let verified = Argon2::default().verify_password(text.as_bytes(), known);
        hash.is_some() && verified.is_ok()
    })
    .await
}

/// Runs expensive work on a blocking thread, within the limit of [`TURNS`].
async fn in_turn<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, PeopleError> {
    let broken = || PeopleError::Broken(ServiceError::Broken("hashing a password"));
    let turn = TURNS.acquire().await.map_err(|_| broken())?;
    let done = tokio::task::spawn_blocking(move || {
        // Held here because the caller may be gone, and the memory is used until the work is done.
        let _turn = turn;
        work()
    });
    done.await.map_err(|_| broken())
}

/// Returns a hash that no user's password has, to verify against when a name is unknown.
fn dummy_hash() -> &'static str {
    static HASH: OnceLock<String> = OnceLock::new();
    HASH.get_or_init(|| {
        let hash = hash_of("nobody's").map(|hash| hash.expose().to_owned());
        hash.unwrap_or_default()
    })
}

/// Hashes with OWASP's parameters for argon2id (19 MiB, two passes, one lane), which are the defaults.
fn hash_of(text: &str) -> Option<PasswordHash> {
    let hash = Argon2::default().hash_password(text.as_bytes()).ok()?;
    Some(PasswordHash::new(hash.to_string()))
}

/// Returns a text in Unicode normalization form C, so that it does not depend on the keyboard.
fn normal(text: &str) -> String {
    text.nfc().collect()
}
