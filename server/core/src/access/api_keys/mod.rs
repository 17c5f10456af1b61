//! API keys: verifies a key and returns its scope and projects. How transports use this is up to them.
//!
//! # Security properties
//!
//! - A key has 256 bits from the system's random source. It is shown once, when it is created; the
//!   database holds its SHA-256, from which the key cannot be recovered. Neither key nor hash is logged,
//!   put into an error, or part of an [`ApiKey`].
//! - A key is looked up by its hash; the key itself is never compared. The time of a look-up could only
//!   reveal something about hashes, which nobody can choose. The hash that was found is still compared in
//!   full and in constant time, so that nothing depends on how the database or the cache compares.
//! - A revocation takes effect when it is committed, even by another process: the cache is used only
//!   while the database is known not to have changed.
//! - A rejected key costs no memory: only keys of the database are cached, and a bounded number of them.
//!   A text without the format of a key does not even cost a look-up.
//! - Only the holder of a key learns that it is expired or revoked: every other key is unknown.

mod cache;
mod format;
mod issue;
mod lifetime;
mod uses;

use std::sync::Arc;

use jiff::Timestamp;
use recall_kit_store::{HashedApiKey, Store, StoreError};
use subtle::ConstantTimeEq as _;
use uuid::Uuid;

use self::{cache::Cache, uses::Uses};
pub use self::{
    issue::{KeyError, KeyName, KeyNameError, NewKey, Revocation, create, list, revoke},
    lifetime::{Lifetime, LifetimeError},
};
pub use recall_kit_store::{ApiKey, Projects, Scope};

/// A verified key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The key's id. It never changes, so that sessions can be bound to it.
    pub id: Uuid,
    /// The key's name, for logs and the audit list.
    pub name: String,
    /// The key's scope.
    pub scope: Scope,
    /// The projects that it is limited to.
    pub projects: Projects,
}

/// Why a presented key is rejected.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It does not have the format of a key.
    #[error("this is not an API key: a key is `rk_`, 8 characters, `_` and 43 characters")]
    Malformed,
    /// The database has no such key.
    #[error("this API key is unknown to this server")]
    Unknown,
    /// It has expired.
    #[error("this API key has expired; ask for a new one")]
    Expired,
    /// It was revoked.
    #[error("this API key was revoked; ask for a new one")]
    Revoked,
    /// The database could not be queried; the key may be valid.
    #[error("the API key could not be checked")]
    Unchecked(#[from] StoreError),
}

/// Returns whether a text has the format of a key; [`ApiKeys::verify`] checks whether the key exists.
pub fn is_key(text: &str) -> bool {
    format::hash_of(text).is_some()
}

/// Verifies presented keys, and records when each was used.
pub struct ApiKeys {
    store: Arc<dyn Store>,
    cache: Cache,
    uses: Uses,
}

impl ApiKeys {
    /// Creates a verifier for the keys of a database.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            cache: Cache::default(),
            uses: Uses::default(),
        }
    }

    /// Verifies a presented key, and records the use.
    ///
    /// *Errors*: a [`Refusal`]; its message may be sent to the client that presented the key.
    pub async fn verify(&self, presented: &str, now: Timestamp) -> Result<Verified, Refusal> {
        let hash = format::hash_of(presented).ok_or(Refusal::Malformed)?;
        let found = self.find(&hash).await?.ok_or(Refusal::Unknown)?;
        if !bool::from(found.hash.ct_eq(&hash)) {
            return Err(Refusal::Unknown);
        }
        let key = &found.record;
        if key.revoked_at.is_some() {
            return Err(Refusal::Revoked);
        }
        if key.is_expired(now) {
            return Err(Refusal::Expired);
        }
        self.uses.note(key.id, now);
        Ok(Verified {
            id: key.id,
            name: key.name.clone(),
            scope: key.scope,
            projects: key.projects.clone(),
        })
    }

    /// Finds a key by its hash, in the cache if the database has not changed, else in the database.
    async fn find(&self, hash: &[u8; 32]) -> Result<Option<Arc<HashedApiKey>>, StoreError> {
        // Read before the key: a change in between makes the cached key useless, but never wrong.
        let revision = self.store.revision();
        if let Some(known) = revision.and_then(|revision| self.cache.get(revision, hash)) {
            return Ok(Some(known));
        }
        let found = self.store.api_key_by_hash(hash).await?.map(Arc::new);
        if let (Some(revision), Some(key)) = (revision, &found) {
            self.cache.put(revision, Arc::clone(key));
        }
        Ok(found)
    }

    /// Stores when keys were last used, at most once a minute. What could not be stored is kept for
    /// the next try.
    pub(crate) async fn flush_due_uses(&self, now: Timestamp) -> Result<(), StoreError> {
        if self.uses.are_due(now) {
            self.flush_uses(now).await?;
        }
        Ok(())
    }

    /// Stores when keys were last used, whether or not a batch is due; also called when the program ends.
    pub(crate) async fn flush_uses(&self, now: Timestamp) -> Result<(), StoreError> {
        let uses = self.uses.take();
        let stored = self.store.note_api_key_uses(&uses).await;
        match &stored {
            Ok(()) => self.uses.stored(now),
            Err(_) => self.uses.put_back(uses),
        }
        stored
    }
}

#[cfg(test)]
mod tests;
