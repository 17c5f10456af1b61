//! Keys and chunks for moving to another database; see [`MoveStore`].

use async_trait::async_trait;
use jiff::Timestamp;

use crate::{
    HashedApiKey, KeyFamily, KeyImport, MoveStore, Result, StoredChunk, StoredIdempotencyKey,
    postgres::{PostgresStore, fresh, write},
    sql::{access::api_keys, moving},
};

#[async_trait]
impl MoveStore for PostgresStore {
    async fn hashed_api_keys(&self) -> Result<Vec<HashedApiKey>> {
        fresh!(self, connection => api_keys::hashed(connection))
    }

    async fn import_api_keys(&self, keys: &[HashedApiKey]) -> Result<Vec<KeyImport>> {
        write!(self, transaction => api_keys::import(transaction, keys))
    }

    async fn idempotency_keys(
        &self,
        family: KeyFamily,
        (since, after): (Timestamp, &str),
        limit: u32,
    ) -> Result<Vec<StoredIdempotencyKey>> {
        fresh!(self, connection => moving::keys(connection, family, (since, after), limit))
    }

    async fn import_idempotency_keys(
        &self,
        family: KeyFamily,
        keys: &[StoredIdempotencyKey],
    ) -> Result<Vec<KeyImport>> {
        write!(self, transaction => moving::import_keys(transaction, family, keys))
    }

    async fn stored_chunks(&self, hash: [u8; 32], model: Option<&str>) -> Result<Vec<StoredChunk>> {
        fresh!(self, connection => moving::chunks(connection, hash, model))
    }
}
