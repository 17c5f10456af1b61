//! What a store gives and takes besides records when everything moves into another database: API keys,
//! idempotency keys, files of documentation with their vectors.

use async_trait::async_trait;
use jiff::Timestamp;
use uuid::Uuid;

use crate::{ChunkContent, HashedApiKey, Result};

/// Whose submits an idempotency key stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyFamily {
    /// Experiences.
    Experiences,
    /// Entries of the knowledge base.
    Entries,
}

/// An idempotency key with what was stored under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredIdempotencyKey {
    /// The client's key.
    pub key: String,
    /// SHA-256 of the submitted content.
    pub fingerprint: [u8; 32],
    /// The record; a ULID of an entry as the UUID of its bits.
    pub record: Uuid,
    /// When it was submitted.
    pub created_at: Timestamp,
}

/// What became of an imported key, of either kind, of a user, or of a record of who did what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyImport {
    /// It was stored.
    Stored,
    /// It was there already; of an API key, its last use and its revocation are now known.
    Existing,
    /// Another one has its place: an API key its id, hash or name; an idempotency key its text; a user
    /// its id or name; a record of who did what its number.
    Conflict,
    /// The record that it stands for is missing.
    RecordMissing,
}

/// A chunk with its vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredChunk {
    /// Its place in the file, from 0; a [`crate::chunk_id`] is made of it.
    pub place: u32,
    /// What it says.
    pub content: ChunkContent,
    /// Its quantised embedding, when it has one of the model in question.
    pub vector: Option<Vec<u8>>,
}

/// What moving everything needs; see [`crate::Store`] for what every method keeps.
#[async_trait]
pub trait MoveStore: Send + Sync {
    /// Returns every API key with its hash, by id, also those that are expired or revoked.
    async fn hashed_api_keys(&self) -> Result<Vec<HashedApiKey>>;
    /// Stores API keys as they come, with last use and revocation; says for each what became of it.
    /// Of a key that is there a later use and a revocation are taken over, nothing is taken back.
    async fn import_api_keys(&self, keys: &[HashedApiKey]) -> Result<Vec<KeyImport>>;
    /// Returns up to `limit` idempotency keys after this one that are not older than `since`, by key.
    async fn idempotency_keys(
        &self,
        family: KeyFamily,
        (since, after): (Timestamp, &str),
        limit: u32,
    ) -> Result<Vec<StoredIdempotencyKey>>;
    /// Stores idempotency keys as they come; says for each what became of it. What is there stays.
    async fn import_idempotency_keys(
        &self,
        family: KeyFamily,
        keys: &[StoredIdempotencyKey],
    ) -> Result<Vec<KeyImport>>;
    /// Returns the chunks of the file with this hash by their places, with their vectors of `model`.
    async fn stored_chunks(&self, hash: [u8; 32], model: Option<&str>) -> Result<Vec<StoredChunk>>;
}

/// Returns the place that a [`crate::chunk_id`] was made of.
pub(crate) fn place_of(id: Uuid) -> u32 {
    let (_, low) = id.as_u64_pair();
    u32::try_from((low >> 32) & 0x7fff_ffff).unwrap_or(u32::MAX)
}

/// Returns table and column of a family's keys.
pub(crate) const fn table_of(family: KeyFamily) -> (&'static str, &'static str, &'static str) {
    match family {
        KeyFamily::Experiences => ("idempotency_keys", "experience_id", "experiences"),
        KeyFamily::Entries => ("entry_idempotency_keys", "entry_id", "entries"),
    }
}

/// Returns how a family writes the id of a record.
pub(crate) fn record_text(family: KeyFamily, record: Uuid) -> String {
    match family {
        KeyFamily::Experiences => record.to_string(),
        KeyFamily::Entries => ulid::Ulid::from(record).to_string(),
    }
}

/// Reads the id of a record as a family writes it.
pub(crate) fn record_of(family: KeyFamily, text: &str) -> Result<Uuid> {
    match family {
        KeyFamily::Experiences => crate::database::columns::id_of(text),
        KeyFamily::Entries => crate::database::columns::ulid_of(text).map(Uuid::from),
    }
}

/// Whether two records are of one API key: everything but last use and revocation.
pub(crate) fn same_key(one: &HashedApiKey, other: &HashedApiKey) -> bool {
    let (a, b) = (&one.record, &other.record);
    one.hash == other.hash
        && (a.id, &a.name, &a.prefix, a.scope) == (b.id, &b.name, &b.prefix, b.scope)
        && (a.created_at, a.expires_at, &a.projects) == (b.created_at, b.expires_at, &b.projects)
}
