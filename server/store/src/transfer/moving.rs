//! Data that is transferred in addition to records when everything moves to another database: API keys,
//! idempotency keys, documentation files with their vectors.

use async_trait::async_trait;
use jiff::Timestamp;
use uuid::Uuid;

use crate::{ChunkContent, HashedApiKey, Result};

/// The family of records to whose submissions an idempotency key belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyFamily {
    /// Experiences.
    Experiences,
    /// Entries of the knowledge base.
    Entries,
    /// Outcomes of experiences. Their keys have no fingerprint, and do not expire.
    Outcomes,
}

/// An idempotency key with the record that was stored under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredIdempotencyKey {
    /// The client's key.
    pub key: String,
    /// SHA-256 of the submitted content; zeros for an outcome.
    pub fingerprint: [u8; 32],
    /// The record's id; for an entry the bits of its ULID as a UUID.
    pub record: Uuid,
    /// When it was submitted.
    pub created_at: Timestamp,
}

/// The outcome of importing an API key, an idempotency key, a user or an audit record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyImport {
    /// It was stored.
    Stored,
    /// It existed already. The last use and revocation of an API key, and the last use of a user, were
    /// taken over.
    Existing,
    /// A different one exists with the same identity: the id, hash or name of an API key; the text of an
    /// idempotency key; the id or name of a user; the number of an audit record.
    Conflict,
    /// The record of the idempotency key is missing.
    RecordMissing,
}

/// A chunk with its vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredChunk {
    /// Its position in the file, from 0; its [`crate::chunk_id`] contains it.
    pub place: u32,
    /// Its content.
    pub content: ChunkContent,
    /// Its quantised embedding, if it has one of the requested model.
    pub vector: Option<Vec<u8>>,
}

/// Reads and writes for moving everything to another database; see [`crate::Store`] for what every
/// method guarantees.
#[async_trait]
pub trait MoveStore: Send + Sync {
    /// Returns every API key with its hash, ordered by id, including expired and revoked keys.
    async fn hashed_api_keys(&self) -> Result<Vec<HashedApiKey>>;
    /// Stores API keys unchanged, with last use and revocation; returns the outcome of each. For a key
    /// that exists already only a later use and a revocation are taken over.
    async fn import_api_keys(&self, keys: &[HashedApiKey]) -> Result<Vec<KeyImport>>;
    /// Returns up to `limit` idempotency keys after the key `after` that are not older than `since`,
    /// ordered by key.
    async fn idempotency_keys(
        &self,
        family: KeyFamily,
        (since, after): (Timestamp, &str),
        limit: u32,
    ) -> Result<Vec<StoredIdempotencyKey>>;
    /// Stores idempotency keys unchanged; returns the outcome of each. Existing keys are not changed.
    async fn import_idempotency_keys(
        &self,
        family: KeyFamily,
        keys: &[StoredIdempotencyKey],
    ) -> Result<Vec<KeyImport>>;
    /// Returns the chunks of the file with this hash, ordered by position, with their vectors of `model`.
    async fn stored_chunks(&self, hash: [u8; 32], model: Option<&str>) -> Result<Vec<StoredChunk>>;
}

/// Returns the position in the file that a [`crate::chunk_id`] contains.
pub(crate) fn place_of(id: Uuid) -> u32 {
    let (_, low) = id.as_u64_pair();
    u32::try_from((low >> 32) & 0x7fff_ffff).unwrap_or(u32::MAX)
}

/// Returns the table of a family's idempotency keys, its column with the record's id, and the table of
/// the records; `None` if the keys stand in the records' own rows.
pub(crate) const fn table_of(
    family: KeyFamily,
) -> Option<(&'static str, &'static str, &'static str)> {
    match family {
        KeyFamily::Experiences => Some(("idempotency_keys", "experience_id", "experiences")),
        KeyFamily::Entries => Some(("entry_idempotency_keys", "entry_id", "entries")),
        KeyFamily::Outcomes => None,
    }
}

/// Formats the id of a record as the family's tables store it.
pub(crate) fn record_text(family: KeyFamily, record: Uuid) -> String {
    match family {
        KeyFamily::Experiences | KeyFamily::Outcomes => record.to_string(),
        KeyFamily::Entries => ulid::Ulid::from(record).to_string(),
    }
}

/// Parses the id of a record as the family's tables store it.
pub(crate) fn record_of(family: KeyFamily, text: &str) -> Result<Uuid> {
    match family {
        KeyFamily::Experiences | KeyFamily::Outcomes => crate::database::columns::id_of(text),
        KeyFamily::Entries => crate::database::columns::ulid_of(text).map(Uuid::from),
    }
}

/// Whether two API key records are equal apart from last use and revocation.
pub(crate) fn same_key(one: &HashedApiKey, other: &HashedApiKey) -> bool {
    let (a, b) = (&one.record, &other.record);
    one.hash == other.hash
        && (a.id, &a.name, &a.prefix, a.scope) == (b.id, &b.name, &b.prefix, b.scope)
        && (a.created_at, a.expires_at, &a.projects) == (b.created_at, b.expires_at, &b.projects)
        && a.is_trusted == b.is_trusted
}
