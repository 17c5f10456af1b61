//! Creating, listing and revoking keys, for administrators.

use std::{fmt, str::FromStr};

use jiff::Timestamp;
use recall_kit_settings::Secret;
use recall_kit_store::{ApiKey, HashedApiKey, Projects, Scope, Store, StoreError};
use uuid::Uuid;

use super::{format, lifetime::Lifetime, lifetime::LifetimeError};
use crate::access::{
    Caller, Forbidden,
    audit::{Action, PendingEvent, Subject},
};

/// The most characters of a key's name.
const NAME_MAX: usize = 100;
/// The most keys that an error lists.
const CANDIDATES_MAX: usize = 10;

/// A key to be created.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// Its name.
    pub name: KeyName,
    /// Its scope.
    pub scope: Scope,
    /// How long it is valid; forever when unset.
    pub expires: Option<Lifetime>,
    /// The projects that it is limited to.
    pub projects: Projects,
    /// Whether outcomes that are reported with it count in full from the beginning.
    pub is_trusted: bool,
}

/// A name for a key: 1–100 characters without control characters, without white space at its ends, and
/// not beginning like a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyName(String);

/// Why a text cannot be a key's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyNameError {
    /// The length in characters is out of range.
    #[error("a key's name must have 1 to {NAME_MAX} characters, this one has {0}")]
    Length(usize),
    /// It has control characters, or white space at its ends.
    #[error("a key's name must have no control characters and no blanks at its ends")]
    Unshowable,
    /// It begins like a key: one that was entered by mistake must not appear in every list.
    #[error("a key's name must not begin with {}, as keys do", format::MARK)]
    LikeKey,
}

impl FromStr for KeyName {
    type Err = KeyNameError;

    fn from_str(text: &str) -> Result<Self, KeyNameError> {
        let length = text.chars().count();
        if !(1..=NAME_MAX).contains(&length) {
            Err(KeyNameError::Length(length))
        } else if text.trim() != text || text.chars().any(char::is_control) {
            Err(KeyNameError::Unshowable)
        } else if text.starts_with(format::MARK) {
            Err(KeyNameError::LikeKey)
        } else {
            Ok(Self(text.to_owned()))
        }
    }
}

/// The result of revoking a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Revocation {
    /// The key was not revoked before.
    Done(ApiKey),
    /// The key had been revoked before; nothing changed.
    Before(ApiKey),
}

/// Why a key could not be created or revoked.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The key would never be valid.
    #[error(transparent)]
    Lifetime(#[from] LifetimeError),
    /// The caller lacks the scope.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// A limited administrator could create an unlimited key.
    #[error(
        "a key of scope admin cannot be limited to projects; choose another scope, or no project"
    )]
    LimitedAdmin,
    /// The name is in use.
    #[error("there is a key called {0:?} already; choose another name, or revoke that key first")]
    NameTaken(String),
    /// The system's random source failed.
    #[error("the system's random source failed: {0}")]
    Random(getrandom::Error),
    /// No key matches.
    #[error(
        "no key has the name, the id or the beginning {0:?}; `recall-kit-server keys list --all` shows all keys"
    )]
    Unknown(String),
    /// Several keys match.
    #[error(
        "{beginning:?} is the beginning of {}; give more of it, or a name",
        Candidates(candidates)
    )]
    Ambiguous {
        /// The text that was passed.
        beginning: String,
        /// The keys that begin with it.
        candidates: Vec<ApiKey>,
    },
    /// The database failed.
    #[error(transparent)]
    Store(StoreError),
}

impl From<StoreError> for KeyError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::KeyNameTaken(name) => Self::NameTaken(name),
            other => Self::Store(other),
        }
    }
}

/// Keys by prefix and name, for a message.
struct Candidates<'a>(&'a [ApiKey]);

impl fmt::Display for Candidates<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} keys: ", self.0.len())?;
        for (at, key) in self.0.iter().take(CANDIDATES_MAX).enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{} ({})", key.prefix, key.name)?;
        }
        if self.0.len() > CANDIDATES_MAX {
            f.write_str(", …")?;
        }
        Ok(())
    }
}

/// Creates a key. The second part of the result is the key itself, which cannot be retrieved again.
///
/// *Errors*: [`KeyError::Forbidden`], [`KeyError::LimitedAdmin`], [`KeyError::NameTaken`],
/// [`KeyError::Lifetime`], or an error of the database or the random source.
pub async fn create(
    store: &dyn Store,
    by: &Caller,
    new: NewKey,
    now: Timestamp,
) -> Result<(ApiKey, Secret), KeyError> {
    by.require(Scope::Admin)?;
    if new.scope == Scope::Admin && !new.projects.is_all() {
        return Err(KeyError::LimitedAdmin);
    }
    let expires_at = new.expires.map(|lifetime| lifetime.end(now)).transpose()?;
    let key = format::generate().map_err(KeyError::Random)?;
    let hash = format::hash_of(&key).expect("a generated key has the format of one");
    let record = ApiKey {
        id: Uuid::now_v7(),
        name: new.name.0,
        prefix: format::showable(&key),
        scope: new.scope,
        created_at: now,
        expires_at,
        last_used_at: None,
        revoked_at: None,
        projects: new.projects,
        is_trusted: new.is_trusted,
    };
    let (name, scope, projects) = (&record.name, record.scope, &record.projects);
    let trusted = if record.is_trusted { ", trusted" } else { "" };
    let event = about(Action::KeyCreated, &record)
        .saying(format!(
            "{name}: scope {scope}, projects: {projects}{trusted}"
        ))
        .by(by, now);
    let hashed = HashedApiKey { record, hash };
    store.insert_api_key(&hashed, Some(&event)).await?;
    Ok((hashed.record, Secret::new(key)))
}

/// Returns every key, oldest first, including expired and revoked ones.
pub async fn list(store: &dyn Store) -> Result<Vec<ApiKey>, KeyError> {
    Ok(store.api_keys().await?)
}

/// Revokes a key, which may be named by its name, its id, its prefix or the unambiguous beginning of the
/// prefix, or by the key itself.
///
/// *Errors*: [`KeyError::Forbidden`], [`KeyError::Unknown`], [`KeyError::Ambiguous`], or an error of
/// the database.
pub async fn revoke(
    store: &dyn Store,
    by: &Caller,
    which: &str,
    now: Timestamp,
) -> Result<Revocation, KeyError> {
    by.require(Scope::Admin)?;
    let key = match format::hash_of(which) {
        Some(hash) => {
            let found = store.api_key_by_hash(&hash).await?;
            found.map(|key| key.record).ok_or_else(|| unknown(which))?
        }
        None => find(store.api_keys().await?, which)?,
    };
    let event = about(Action::KeyRevoked, &key)
        .saying(&key.name)
        .by(by, now);
    if store.revoke_api_key(key.id, now, Some(&event)).await? {
        let revoked_at = Some(now);
        Ok(Revocation::Done(ApiKey { revoked_at, ..key }))
    } else {
        Ok(Revocation::Before(key))
    }
}

fn about(action: Action, key: &ApiKey) -> PendingEvent {
    PendingEvent::new(action).to(Subject::Key, key.id)
}

/// Picks the key with a name, an id or a beginning. Of several keys with the name it prefers one that is
/// not revoked, then the newest.
fn find(keys: Vec<ApiKey>, which: &str) -> Result<ApiKey, KeyError> {
    let named = keys
        .iter()
        .filter(|key| key.name == which || key.id.to_string() == which)
        .max_by_key(|key| (key.revoked_at.is_none(), key.created_at));
    if let Some(key) = named {
        return Ok(key.clone());
    }
    let is_beginning = which.len() > format::MARK.len();
    let mut candidates: Vec<ApiKey> = keys
        .into_iter()
        .filter(|key| is_beginning && key.prefix.starts_with(which))
        .collect();
    match candidates.len() {
        0 => Err(unknown(which)),
        1 => Ok(candidates.swap_remove(0)),
        _ => Err(KeyError::Ambiguous {
            beginning: which.to_owned(),
            candidates,
        }),
    }
}

/// Returns the error for a key that was not found, without the secret part of a key.
fn unknown(which: &str) -> KeyError {
    KeyError::Unknown(format::showable(which))
}
