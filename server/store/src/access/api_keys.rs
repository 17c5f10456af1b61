//! API keys as they are stored. The format of a key and the access rules are in
//! `access::api_keys` in `core`.

use std::{fmt, str::FromStr};

use jiff::Timestamp;
use uuid::Uuid;

use crate::Projects;

/// What a key allows; each scope includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Searching and reading.
    Read,
    /// Reading, and storing records.
    Write,
    /// Everything, including the administration of the server.
    Admin,
}

/// A word that names no scope.
#[derive(Debug, thiserror::Error)]
#[error("{0:?} is not a scope; expected read, write or admin")]
pub struct UnknownScope(String);

impl Scope {
    /// Every scope, the least first.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Admin];

    /// Returns the scope's word: `read`, `write` or `admin`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(word: &str) -> Result<Self, UnknownScope> {
        let scope = Self::ALL.into_iter().find(|scope| scope.as_str() == word);
        scope.ok_or_else(|| UnknownScope(word.to_owned()))
    }
}

/// A key's record, without its secret and its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// Its id.
    pub id: Uuid,
    /// Its name; unique among keys that are not revoked. 1–100 characters.
    pub name: String,
    /// The key's beginning, up to its secret part.
    pub prefix: String,
    /// What it allows.
    pub scope: Scope,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires; `None` means never.
    pub expires_at: Option<Timestamp>,
    /// When it was last used, to the minute; `None` means never.
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// The projects that it may see and write.
    pub projects: Projects,
    /// Whether outcomes that are reported with it count in full from the beginning.
    pub is_trusted: bool,
}

impl ApiKey {
    /// Returns whether the key has expired.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|end| end <= now)
    }

    /// Returns whether the key is accepted: it is neither revoked nor expired.
    pub fn is_active(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && !self.is_expired(now)
    }
}

/// A key's record with the key's hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HashedApiKey {
    /// The record.
    pub record: ApiKey,
    /// SHA-256 of the whole key.
    pub hash: [u8; 32],
}
