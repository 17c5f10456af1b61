//! API keys: who comes in, and with what scope. What a transport does with that is its own matter.
//!
//! # Security properties
//!
//! - A key has 256 bits from the system's random source. It is shown once, when it is made; the
//!   database holds its SHA-256, from which it cannot be had back. Neither key nor hash is logged,
//!   put into an error, or part of an [`ApiKey`].
//! - A key is recognised by its hash, never by comparing the key itself. What a look-up's time could
//!   tell is about hashes, which nobody can choose; the hash found is still compared in full and in
//!   constant time, so that nothing hangs on how database or cache compare.
//! - A revocation counts from the moment it is committed, also when another process committed it:
//!   what is remembered is used only while the database is known not to have changed.
//! - What is refused costs no memory: only keys of the database are remembered, and a bounded number
//!   of them. What does not look like a key costs no look-up either.
//! - Whether a key is expired or revoked learns only who holds it: every other key is unknown.

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

/// Who a presented key let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The key's id; the same for the key's whole life, so that sessions can be bound to it.
    pub id: Uuid,
    /// The key's name, for logs and the audit list.
    pub name: String,
    /// What the key allows.
    pub scope: Scope,
    /// The projects that it is limited to.
    pub projects: Projects,
}

/// Why a presented key lets nobody in.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It is no key of this program at all.
    #[error("this is no API key: a key is `rk_`, 8 characters, `_` and 43 characters")]
    Malformed,
    /// The database has no such key.
    #[error("this API key is unknown here")]
    Unknown,
    /// Its time is over.
    #[error("this API key has expired; ask for a new one")]
    Expired,
    /// It was revoked.
    #[error("this API key was revoked; ask for a new one")]
    Revoked,
    /// The database could not be asked; not the key's fault.
    #[error("the API key could not be checked")]
    Unchecked(#[from] StoreError),
}

/// Returns whether a text has the form of a key; whether it is one, [`ApiKeys::verify`] tells.
pub fn is_key(text: &str) -> bool {
    format::hash_of(text).is_some()
}

/// Verifies presented keys, and remembers when each was used.
pub struct ApiKeys {
    store: Arc<dyn Store>,
    cache: Cache,
    uses: Uses,
}

impl ApiKeys {
    /// Verifies against the keys of a database.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            cache: Cache::default(),
            uses: Uses::default(),
        }
    }

    /// Tells whom a presented key lets in, and notes the use.
    ///
    /// *Errors*: a [`Refusal`]; its words may be sent to whoever presented the key.
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

    /// Finds a key by its hash: among those remembered while the database has not changed, else in
    /// the database.
    async fn find(&self, hash: &[u8; 32]) -> Result<Option<Arc<HashedApiKey>>, StoreError> {
        // Read before the key is: a change in between makes what is remembered useless, never wrong.
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

    /// Stores when keys were last used, at most once a minute; what fails is kept for the next try.
    pub async fn flush_due_uses(&self, now: Timestamp) -> Result<(), StoreError> {
        if self.uses.are_due(now) {
            self.flush_uses(now).await?;
        }
        Ok(())
    }

    /// Stores when keys were last used, for the end of the program.
    pub async fn flush_uses(&self, now: Timestamp) -> Result<(), StoreError> {
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
