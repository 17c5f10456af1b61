//! Making, listing and revoking keys: what an administrator does.

use std::{fmt, str::FromStr};

use jiff::Timestamp;
use recall_kit_settings::Secret;
use recall_kit_store::{ApiKey, HashedApiKey, Projects, Scope, Store, StoreError};
use uuid::Uuid;

use super::{format, lifetime::Lifetime, lifetime::LifetimeError};
use crate::access::{
    Caller, Forbidden,
    audit::{Action, Deed, Subject},
};

/// The most characters of a key's name.
const NAME_MAX: usize = 100;
/// The most keys that an error lists.
const CANDIDATES_MAX: usize = 10;

/// A key about to be made.
#[derive(Debug, Clone)]
pub struct NewKey {
    /// What to call it.
    pub name: KeyName,
    /// What it allows.
    pub scope: Scope,
    /// How long it is good; for ever when unset.
    pub expires: Option<Lifetime>,
    /// The projects that it is limited to.
    pub projects: Projects,
}

/// A name for a key: 1–100 characters that can be shown, not blank at the ends, not beginning as keys
/// do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyName(String);

/// Why a text cannot be a key's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyNameError {
    /// Nothing, or too much.
    #[error("a key's name has 1 to {NAME_MAX} characters, this has {0}")]
    Length(usize),
    /// It would not be seen as it is.
    #[error("a key's name has no control characters and no blanks at its ends")]
    Unshowable,
    /// Who puts a key there by mistake must not find it in every list.
    #[error("a key's name does not begin with {}, as keys do", format::MARK)]
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

/// What came of a revocation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Revocation {
    /// The key let somebody in until now.
    Done(ApiKey),
    /// The key was revoked before; nothing changed.
    Before(ApiKey),
}

/// Why a key could not be made or revoked.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The key would never be good.
    #[error(transparent)]
    Lifetime(#[from] LifetimeError),
    /// Who asks may not.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// Who administers could lift any limit.
    #[error(
        "a key of scope admin cannot be limited to projects; choose another scope, or no project"
    )]
    LimitedAdmin,
    /// The name is in use.
    #[error("there is a key called {0:?} already; choose another name, or revoke that key first")]
    NameTaken(String),
    /// There is no randomness to make a key of.
    #[error("the system's random source failed: {0}")]
    Random(getrandom::Error),
    /// No key is meant.
    #[error(
        "no key has the name, the id or the beginning {0:?}; `recall-kit-server keys list --all` shows all keys"
    )]
    Unknown(String),
    /// Several keys may be meant.
    #[error(
        "{beginning:?} is the beginning of {}; give more of it, or a name",
        Candidates(candidates)
    )]
    Ambiguous {
        /// What was given.
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

/// Makes a key. The second part of the answer is the key itself: nobody can have it again.
///
/// *Errors*: [`KeyError::Forbidden`], [`KeyError::LimitedAdmin`], [`KeyError::NameTaken`],
/// [`KeyError::Lifetime`], or what database or system said.
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
    let hash = format::hash_of(&key).expect("a made key has the shape of one");
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
    };
    let (name, scope, projects) = (&record.name, record.scope, &record.projects);
    let event = about(Action::KeyCreated, &record)
        .saying(format!("{name}: scope {scope}, projects: {projects}"))
        .by(by, now);
    let hashed = HashedApiKey { record, hash };
    store.insert_api_key(&hashed, Some(&event)).await?;
    Ok((hashed.record, Secret::new(key)))
}

/// Returns every key, oldest first, also those that are expired or revoked.
pub async fn list(store: &dyn Store) -> Result<Vec<ApiKey>, KeyError> {
    Ok(store.api_keys().await?)
}

/// Revokes the key with a name, an id, a prefix or its unambiguous beginning, or the key itself.
///
/// *Errors*: [`KeyError::Forbidden`], [`KeyError::Unknown`], [`KeyError::Ambiguous`], or what the
/// database said.
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
        None => meant(store.api_keys().await?, which)?,
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

fn about(action: Action, key: &ApiKey) -> Deed {
    Deed::new(action).to(Subject::Key, key.id)
}

/// Picks the key that is meant. Of keys with one name the one that is not revoked, else the newest.
fn meant(keys: Vec<ApiKey>, which: &str) -> Result<ApiKey, KeyError> {
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

/// Says what was not found, without the secret part of a key.
fn unknown(which: &str) -> KeyError {
    KeyError::Unknown(format::showable(which))
}
