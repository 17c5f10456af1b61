//! Cache of API keys, valid as long as the database does not change.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

use recall_kit_store::HashedApiKey;

/// The most keys in the cache; a server with more active keys queries its database more often.
const CAPACITY: usize = 1_024;

/// The keys as they were at one revision of the database.
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

    /// Caches a key that was read at this revision or later, and drops those of any other revision.
    pub(super) fn put(&self, revision: u64, key: Arc<HashedApiKey>) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.revision != revision || known.by_hash.len() >= CAPACITY {
            known.by_hash.clear();
            known.revision = revision;
        }
        known.by_hash.insert(key.hash, key);
    }
}
