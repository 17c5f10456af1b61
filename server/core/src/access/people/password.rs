//! Passwords: what may be one, and how one is recognised.

use std::sync::OnceLock;

use argon2::{Argon2, PasswordHasher as _, PasswordVerifier as _};
use recall_kit_settings::Secret;
use recall_kit_store::PasswordHash;
use tokio::sync::Semaphore;
use unicode_normalization::UnicodeNormalization as _;

use super::PeopleError;
use crate::error::ServiceError;

/// The fewest and the most characters. Source: NIST SP 800-63B asks for 8 at least where there is
/// nothing else, and for no rules of composition.
const LEAST: usize = 12;
const MOST: usize = 200;

/// The most characters that are looked at where a password was typed.
const TYPED_MAX: usize = 1_000;

/// Hashes worked out at once, each in 19 MiB.
static TURNS: Semaphore = Semaphore::const_new(2);

/// A password that may be used from now on; never shown.
#[derive(Debug, Clone)]
pub struct Password(Secret);

/// Why a text cannot be a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PasswordError {
    /// Too short or too long.
    #[error("a password has {LEAST} to {MOST} characters, this has {0}")]
    Length(usize),
    /// It is what everybody knows.
    #[error("a password is not the user's name")]
    Name,
}

impl Password {
    /// Takes a text as the password of a user with this name.
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

    /// Works its hash out.
    ///
    /// *Errors*: [`PeopleError::Broken`].
    pub(super) async fn hash(self) -> Result<PasswordHash, PeopleError> {
        let hash = in_turn(move || hash_of(self.0.expose())).await?;
        hash.ok_or(PeopleError::Broken(ServiceError::Broken(
            "hashing a password",
        )))
    }
}

/// Tells whether a text is the password with this hash. Where there is no hash it takes as long, and
/// is not.
///
/// *Errors*: [`PeopleError::Broken`].
pub(super) async fn is_password(
    hash: Option<&PasswordHash>,
    text: &Secret,
) -> Result<bool, PeopleError> {
    let (hash, text) = (hash.cloned(), text.clone());
    in_turn(move || {
        // Of what is too long to be one nothing is worked out that grows with it; what is left of it
        // is too long still, however its characters are written.
        let text: String = text.expose().chars().take(TYPED_MAX).nfc().collect();
        let known = hash
            .as_ref()
            .map_or_else(|| nobodys(), PasswordHash::expose);
        let is_it = Argon2::default().verify_password(text.as_bytes(), known);
        hash.is_some() && is_it.is_ok()
    })
    .await
}

/// Runs work that takes memory and time where it holds nothing up.
async fn in_turn<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, PeopleError> {
    let broken = || PeopleError::Broken(ServiceError::Broken("hashing a password"));
    let turn = TURNS.acquire().await.map_err(|_| broken())?;
    let done = tokio::task::spawn_blocking(move || {
        // Whoever asked may be gone; the memory is taken until the work is done.
        let _turn = turn;
        work()
    });
    done.await.map_err(|_| broken())
}

/// A hash that no password of anybody has, for names that nobody has.
fn nobodys() -> &'static str {
    static HASH: OnceLock<String> = OnceLock::new();
    HASH.get_or_init(|| {
        let hash = hash_of("nobody's").map(|hash| hash.expose().to_owned());
        hash.unwrap_or_default()
    })
}

/// Source: OWASP's parameters for argon2id (19 MiB, two passes, one lane), which are the defaults.
fn hash_of(text: &str) -> Option<PasswordHash> {
    let hash = Argon2::default().hash_password(text.as_bytes()).ok()?;
    Some(PasswordHash::new(hash.to_string()))
}

/// Returns a text as every keyboard writes it.
fn normal(text: &str) -> String {
    text.nfc().collect()
}
