//! Keys and chunks for moving to another database; see [`MoveStore`].

use async_trait::async_trait;
use jiff::Timestamp;

use crate::{
    HashedApiKey, KeyFamily, KeyImport, MoveStore, Result, StoredChunk, StoredIdempotencyKey,
    sql::{access::api_keys, moving},
    sqlite::{SqliteStore, connection::writer::write, read},
};

#[async_trait]
impl MoveStore for SqliteStore {
    async fn hashed_api_keys(&self) -> Result<Vec<HashedApiKey>> {
        read!(self, connection => api_keys::hashed(connection))
    }

    async fn import_api_keys(&self, keys: &[HashedApiKey]) -> Result<Vec<KeyImport>> {
        write!(self, write, [keys] => api_keys::import(write, &keys))
    }

    async fn idempotency_keys(
        &self,
        family: KeyFamily,
        (since, after): (Timestamp, &str),
        limit: u32,
    ) -> Result<Vec<StoredIdempotencyKey>> {
        read!(self, connection => moving::keys(connection, family, (since, after), limit))
    }

    async fn import_idempotency_keys(
        &self,
        family: KeyFamily,
        keys: &[StoredIdempotencyKey],
    ) -> Result<Vec<KeyImport>> {
        write!(self, write, [keys] => moving::import_keys(write, family, &keys))
    }

    async fn stored_chunks(&self, hash: [u8; 32], model: Option<&str>) -> Result<Vec<StoredChunk>> {
        read!(self, connection => moving::chunks(connection, hash, model))
    }
}
