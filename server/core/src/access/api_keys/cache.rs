//! Keys remembered from the database, for as long as it does not change.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use recall_kit_store::HashedApiKey;

/// The most keys remembered; a server with more active ones asks its database more often.
const CAPACITY: usize = 1_024;

/// Keys as they were at one revision of the database.
#[derive(Debug, Default)]
pub(super) struct Cache {
    known: RwLock<Known>,
}

#[derive(Debug, Default)]
struct Known {
    revision: u64,
    by_hash: HashMap<[u8; 32], Arc<HashedApiKey>>,
}

impl Cache {
    /// Returns a key that was read when the database had this revision.
    pub(super) fn get(&self, revision: u64, hash: &[u8; 32]) -> Option<Arc<HashedApiKey>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if known.revision != revision {
            return None;
        }
        known.by_hash.get(hash).cloned()
    }

    /// Remembers a key that was read at this revision or later, and forgets those of any other.
    pub(super) fn put(&self, revision: u64, key: Arc<HashedApiKey>) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.revision != revision || known.by_hash.len() >= CAPACITY {
            known.by_hash.clear();
            known.revision = revision;
        }
        known.by_hash.insert(key.hash, key);
    }
}
