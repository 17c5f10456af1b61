//! The store: persistent data of experiences, the knowledge base and documentation libraries, and the
//! API keys and users that may access them.
//!
//! The SQL database is the source of truth; the search index is derived from it. All SQL is in this crate: in `sql` what
//! both databases take, in a folder for each what they do differently. Ranking and validation happen elsewhere.

mod access;
#[cfg(test)]
mod contract;
mod database;
mod experiences;
mod knowledge;
mod libraries;
mod outcomes;
mod postgres;
mod questions;
mod recalls;
mod search;
mod sql;
mod sqlite;
mod transfer;

use std::{path::PathBuf, sync::Arc, time::Duration};

use async_trait::async_trait;
use jiff::Timestamp;
use recall_kit_shared_types::applicability::Applies;
use tokio::sync::watch;
use ulid::Ulid;
use uuid::Uuid;

pub use self::{
    experiences::{
        ChangedExperience, ExperienceBrief, ExperienceChange, ExperienceListing, ExperienceOrder,
        ExperienceState, ExperienceStore, ExperienceVector, Page, Standing, Unembedded,
        applicability::{
            ApplicabilityStore, ReadTexts, StoredApplicability, UnreadExperience, UnreadExperiences,
        },
    },
    knowledge::{
        Cluster, EXCERPT_CHARS, Edge, Entry, EntryBatch, EntryBrief, EntryContent, EntryLabels,
        EntryStatusChange, EntryUpdate, EntryVectors, IndexedEntry, KnowledgeStore, Link, NewEntry,
        NewEntryVectors, NewLink, NewSuggestion, Note, Promotion, Suggestion, SuggestionStatus,
        changed_after,
    },
    libraries::{
        Chunk, ChunkContent, ExampleText, IndexedChunk, Library, LibrarySnapshot, LibraryStore,
        LibraryVersion, NewDocsFile, NewVersion, chunk_id, file_and_kind,
    },
    outcomes::{
        GroupWeights, LastVerdicts, NewOutcome, OUTCOMES_OF_VOICE_MAX, OUTCOMES_OF_VOICE_PERIOD,
        OUTCOMES_WITHOUT_WEIGHT_MAX, OutcomeImport, OutcomeStanding, OutcomeStore, Report,
        ReportedOutcome, SOLUTION_CHANGED, StoredOutcome, VoiceWeights, standing::standing_of,
    },
    questions::{
        AskedQuestion, Day, Growth, LATENCY_BOUNDS_MS, LATENCY_BUCKETS, NewQuestion, QuestionDay,
        QuestionFamily, QuestionOrder, QuestionStore, ReturnedRecord,
    },
    recalls::{Episode, EpisodeCounts, Recall, RecallStore, Recovery},
    search::{
        SearchCandidate, SearchDocument, SearchFor, SearchState, SearchStore, SearchUnavailable,
    },
    sqlite::{FileError, HeldFile, Holdings, check_file, copy_file},
    transfer::{
        Import, KnowledgeCounts, KnowledgeImport, KnowledgeRecord, StoredEntry, StoredExperience,
        StoredNote, StoredSuggestion,
    },
};
pub use crate::{
    access::{
        api_keys::{ApiKey, HashedApiKey, Scope, UnknownScope},
        people::{
            Actor, ActorKind, AuditEvent, AuditRecord, DETAILS_MAX, EventOf, HashedUser,
            NewSession, PasswordHash, PeopleStore, Session, SessionOf, SessionOwner, User,
            UserChange,
        },
        projects::{ProjectSet, Projects},
    },
    database::{
        columns::rounded_time,
        encryption::{Encryption, EncryptionError},
        options::{DatabaseUrl, StoreOptions},
        write_fault::WriteFault,
    },
    experiences::{
        group_commit::SubmittedExperience,
        idempotency::{IDEMPOTENCY_KEY_LIFETIME, IdempotencyKey},
    },
    knowledge::short_text::{SHORT_CHARS, ShortText},
    transfer::moving::{KeyFamily, KeyImport, MoveStore, StoredChunk, StoredIdempotencyKey},
};

/// Why a store operation failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The address names no database that this program can open.
    #[error(
        "cannot open a database at \"{0}\", expected sqlite:PATH, without parameters, or \
         postgres://USER@HOST:PORT/DATABASE"
    )]
    Address(DatabaseUrl),
    /// The address has a parameter that this program does not know.
    #[error(
        "the address of the database has a parameter {0:?}, which this program does not know; \
         correct its name or remove it"
    )]
    Parameter(String),
    /// The connection to the database server could not be protected as the address demands.
    #[error(transparent)]
    Encryption(#[from] EncryptionError),
    /// The requested feature exists for PostgreSQL only.
    #[error("{0} works with PostgreSQL only; this database is a SQLite file")]
    PostgresOnly(&'static str),
    /// The database lacks what it needs to search.
    #[error(transparent)]
    SearchUnavailable(#[from] SearchUnavailable),
    /// The folder of the database file could not be created.
    #[error("cannot create the folder {path}")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// The stored vectors were made by another model than the configured one.
    #[error(
        "the vectors of this database were made with {stored}, but the server runs with {configured}"
    )]
    OtherModel {
        /// The model that made the vectors.
        stored: String,
        /// The configured model.
        configured: String,
    },
    /// The vectors to be stored are of a model that is no longer the database's.
    #[error("the database's vectors are now made by another model")]
    ModelReplaced,
    /// An idempotency key was used again with other content.
    #[error("the idempotency key was used before with other content")]
    KeyReused,
    /// A link of this kind between the two entries exists already.
    #[error("the entries are already linked with this relation")]
    LinkExists,
    /// Links of the same kind already lead from the target back to the source.
    #[error("the link would create a cycle")]
    LinkCycle,
    /// An entry does not exist any more.
    #[error("the entry {0} no longer exists")]
    EntryGone(Ulid),
    /// A file of a library does not exist any more.
    #[error("the documentation file {0} no longer exists")]
    FileGone(u64),
    /// An entry was changed since the caller read it.
    #[error("the entry {0} was changed meanwhile")]
    EntryChanged(Ulid),
    /// The record to be changed has another version than the caller expected.
    #[error("the record was changed meanwhile; it is at version {current} now")]
    VersionChanged {
        /// Its current version.
        current: u64,
    },
    /// The experience does not exist, or does not exist any more.
    #[error("there is no experience {0}")]
    NoExperience(Uuid),
    /// A deleted experience cannot be changed.
    #[error("the experience {0} is deleted; restore it first")]
    ExperienceDeleted(Uuid),
    /// A key that is not revoked already has the name.
    #[error("another API key is already named {0:?}")]
    KeyNameTaken(String),
    /// Another user has the name; upper and lower case are not distinguished.
    #[error("another user is already named {0:?}")]
    UserNameTaken(String),
    /// The change would leave no active administrator.
    #[error("{0:?} is the only administrator")]
    LastAdmin(String),
    /// A stored value does not have the shape that this program writes.
    #[error("the stored {what} of {id} is damaged")]
    Damaged {
        /// Which value.
        what: &'static str,
        /// Of which record.
        id: String,
    },
    /// A newer version of the program changed the schema in a way that this one does not know.
    #[error(
        "a newer version of recall-kit-server changed the schema of this database (this one knows \
         it up to number {known}); run the newer version"
    )]
    NewerSchema {
        /// The last migration that this program has.
        known: i64,
    },
    /// The schema is outdated, and opening the database must not change it.
    #[error(
        "the schema of this database is at number {found}, this version needs {needed}; bring it up to \
         date with `recall-kit-server migrate`"
    )]
    OlderSchema {
        /// The last migration that was applied.
        found: i64,
        /// The last migration that this program has.
        needed: i64,
    },
    /// The read address leads to another database than a standby of this one.
    #[error("the database to read from is not a standby of this one; correct its address")]
    NoCopy,
    /// No server of the cluster takes writes.
    #[error("no server of the database cluster takes writes; all of them are standbys")]
    NoPrimary,
    /// The database did not answer in time.
    #[error("the database did not answer within {} s", .0.as_secs())]
    NoAnswer(Duration),
    /// The schema could not be brought up to date.
    #[error("cannot migrate the database")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// Several writes failed together with the same error.
    #[error(transparent)]
    Shared(Arc<StoreError>),
    /// A write was interrupted; whether anything was stored is unknown.
    #[error("the write was interrupted")]
    BrokenOff,
    /// The database itself failed.
    #[error(transparent)]
    Database(sqlx::Error),
}

impl StoreError {
    /// Whether the error says that the data is damaged: the database reports corruption (in PostgreSQL
    /// `data_corrupted` or `index_corrupted`), or a stored value cannot be decoded.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Damaged { .. } => true,
            Self::Database(sqlx::Error::ColumnDecode { .. } | sqlx::Error::Decode(_)) => true,
            Self::Database(sqlx::Error::Database(error)) => {
                sqlite::is_damage(error.as_ref())
                    || matches!(error.code().as_deref(), Some("XX001" | "XX002"))
            }
            Self::Shared(error) => error.is_damage(),
            _ => false,
        }
    }
}

/// The result of a store call.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// An experience about to be stored; `core` has validated, checked and, if possible, embedded it.
#[derive(Debug, Clone, PartialEq)]
pub struct NewExperience {
    /// The new record's id.
    pub id: Uuid,
    /// The texts of the record.
    pub content: ExperienceContent,
    /// The model and the quantised embedding that it made; `None` when embeddings are off or failed.
    pub vector: Option<(String, Vec<u8>)>,
    /// When it was submitted.
    pub created_at: Timestamp,
    /// The client's key and the SHA-256 of what it submitted.
    pub idempotency: Option<IdempotencyKey>,
    /// The user or the key that submitted it.
    pub author: Option<Uuid>,
}

/// The texts of an experience, as the contract names them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExperienceContent {
    /// 1–500 characters.
    pub title: String,
    /// Not blank.
    pub problem_description: String,
    /// Not blank when given.
    pub root_cause: Option<String>,
    /// Not blank.
    pub solution: String,
    /// Free of secrets and personal data.
    pub context: Option<String>,
    /// Lower case, trimmed, without duplicates.
    pub keywords: Vec<String>,
    /// Where it applies, as its author stated it; `None`: as the texts say.
    pub applies: Option<Vec<Applies>>,
}

/// A stored experience.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Experience {
    /// Its id.
    pub id: Uuid,
    /// Its texts.
    pub content: ExperienceContent,
    /// How often queries returned it.
    pub query_count: u64,
    /// What ranking uses, see [`NewCount::popularity`].
    pub popularity: u64,
    /// When it was submitted.
    pub created_at: Timestamp,
}

/// What the index needs of a record besides its text.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexRow {
    /// The record's place in commit order.
    pub seq: u64,
    /// The record's id.
    pub id: Uuid,
    /// When it was submitted.
    pub created_at: Timestamp,
    /// How often queries returned it.
    pub query_count: u64,
    /// What ranking uses, see [`NewCount::popularity`].
    pub popularity: u64,
    /// Its quantised embedding, when it has one of the database's model.
    pub vector: Option<Vec<u8>>,
    /// Whether searches must not find it, because it is hidden or deleted.
    pub is_gone: bool,
}

/// A record as it is indexed: its row and its texts.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedExperience {
    /// Everything but the texts.
    pub row: IndexRow,
    /// The texts; `None` for a record that is hidden or deleted.
    pub content: Option<ExperienceContent>,
}

/// How often a record was returned in total, and how popular it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueryCount {
    /// The record.
    pub id: Uuid,
    /// How often queries returned it; for an entry, how often it was shown.
    pub query_count: u64,
    /// What ranking uses, see [`NewCount::popularity`].
    pub popularity: u64,
}

/// What to add to the counts of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewCount {
    /// The record.
    pub id: Uuid,
    /// How often it was returned or shown.
    pub count: u64,
    /// By how much its popularity grows: less than `count` if one caller repeated a query many times,
    /// more if the record was opened.
    pub popularity: u64,
}

/// A vector for a chunk that is already stored; the text of a chunk never changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewVector {
    /// The chunk.
    pub id: Uuid,
    /// The quantised embedding.
    pub vector: Vec<u8>,
}

/// A database. Every method is one transaction; an acknowledged write survives a crash of the process
/// and is visible to every other process on the same database.
///
/// *Errors*: [`StoreError::Database`] when the database is locked, full, read-only or broken.
#[async_trait]
pub trait Store:
    ExperienceStore
    + KnowledgeStore
    + LibraryStore
    + MoveStore
    + OutcomeStore
    + ApplicabilityStore
    + PeopleStore
    + QuestionStore
    + RecallStore
    + SearchStore
{
    /// Returns the database's own id, generated when it was created.
    async fn database_id(&self) -> Result<Uuid>;
    /// Returns a number that changes with every commit of any process on the database, without a query:
    /// if two calls return the same number, nothing was committed in between. `None` if it is not
    /// supported or cannot be determined at the moment.
    fn revision(&self) -> Option<u64>;
    /// Returns a number that changes soon after another process wrote, if the database sends
    /// notifications. It is only a hint to check for changes. `None` without notifications.
    fn written_by_others(&self) -> Option<watch::Receiver<u64>> {
        None
    }
    /// Returns the `seq` of the last committed write; 0 in an empty database.
    async fn head_seq(&self) -> Result<u64>;
    /// Returns the `seq` of the last committed write and the number of visible records, read
    /// consistently.
    async fn head_seq_and_size(&self) -> Result<(u64, u64)>;
    /// Stores a record, unless its idempotency key was used before with the same content
    /// ([`StoreError::KeyReused`] with other content) or a visible record has the same content.
    async fn insert_experience(&self, new: NewExperience) -> Result<SubmittedExperience>;
    /// Returns the records with these ids, in no particular order; unknown ids and records that are
    /// hidden or deleted are left out.
    async fn experiences(&self, ids: &[Uuid]) -> Result<Vec<Experience>>;
    /// Returns the ids of up to `limit` visible records whose ids begin with `prefix`, ordered by id.
    async fn experiences_with_prefix(&self, prefix: &str, limit: u32) -> Result<Vec<Uuid>>;
    /// Like [`Store::experiences_with_prefix`], but includes hidden and deleted records.
    async fn all_experiences_with_prefix(&self, prefix: &str, limit: u32) -> Result<Vec<Uuid>>;
    /// Returns up to `limit` records written after `seq`, in commit order. Hidden and deleted records
    /// are included with [`IndexRow::is_gone`] set, so that every index removes them.
    async fn experiences_after(&self, seq: u64, limit: u32) -> Result<Vec<IndexedExperience>>;
    /// Returns up to `limit` rows with `after < seq ≤ up_to`, in commit order, without texts.
    async fn index_rows(&self, after: u64, up_to: u64, limit: u32) -> Result<Vec<IndexRow>>;
    /// Adds to the counts of records, and sets their `updated_at`.
    async fn add_query_counts(&self, counts: &[NewCount], now: Timestamp) -> Result<()>;
    /// Returns the counts that were written at or after a point in time.
    async fn query_counts_since(&self, moment: Timestamp) -> Result<Vec<QueryCount>>;
    /// Returns the model that made the vectors, if there is one.
    async fn embedding_model(&self) -> Result<Option<String>>;
    /// Makes `model` the database's model if it has none ([`StoreError::OtherModel`] otherwise).
    async fn claim_embedding_model(&self, model: &str) -> Result<()>;
    /// Returns up to `limit` records after the id that have no vector of `model`, ordered by id.
    async fn without_vector(&self, model: &str, after: Uuid, limit: u32)
    -> Result<Vec<Unembedded>>;
    /// Returns how many records have no vector of `model`; reads the whole table.
    async fn count_without_vector(&self, model: &str) -> Result<u64>;
    /// Returns the vector of `model` of an arbitrary record, if any record has one.
    async fn any_vector(&self, model: &str) -> Result<Option<Vec<u8>>>;
    /// Stores vectors for records that have none of the model and still have the version that was
    /// embedded; returns how many were stored. Every index sees those records as new writes
    /// ([`StoreError::ModelReplaced`] if the database's model was replaced meanwhile).
    async fn put_vectors(&self, model: &str, vectors: &[ExperienceVector]) -> Result<u64>;
    /// Replaces all vectors and the database's model in one step; returns how many vectors were
    /// stored. A record that was changed since it was embedded is left without a vector.
    async fn replace_vectors(&self, model: &str, vectors: &[ExperienceVector]) -> Result<u64>;
    /// Returns how many visible experiences were written up to a `seq`.
    async fn experience_count(&self, up_to: u64) -> Result<u64>;
    /// Returns up to `limit` records after the id, ordered by id, each with its vector of `model`;
    /// includes hidden and deleted records.
    async fn experiences_by_id(
        &self,
        after: Uuid,
        model: Option<&str>,
        limit: u32,
    ) -> Result<Vec<StoredExperience>>;
    /// Stores records unchanged, with their ids, counts and times, and their vectors as vectors of
    /// `model` (no vectors if `None`); returns the outcome of each. Existing records are not changed.
    async fn import_experiences(
        &self,
        model: Option<&str>,
        records: &[StoredExperience],
    ) -> Result<Vec<Import>>;
    /// Stores a new key, with its event in the same transaction ([`StoreError::KeyNameTaken`] if a
    /// key that is not revoked has its name).
    async fn insert_api_key(&self, key: &HashedApiKey, event: Option<&AuditEvent>) -> Result<()>;
    /// Returns the key with this hash, even if it is expired or revoked.
    async fn api_key_by_hash(&self, hash: &[u8; 32]) -> Result<Option<HashedApiKey>>;
    /// Returns the key with this id, even if it is expired or revoked.
    async fn api_key(&self, id: Uuid) -> Result<Option<ApiKey>>;
    /// Returns every key, oldest first, including expired and revoked ones.
    async fn api_keys(&self) -> Result<Vec<ApiKey>>;
    /// Returns whether there is a key that is neither expired nor revoked.
    async fn has_active_api_key(&self, now: Timestamp) -> Result<bool>;
    /// Revokes a key for good, with its event in the same transaction; `false` if the key is unknown
    /// or already revoked.
    async fn revoke_api_key(
        &self,
        id: Uuid,
        now: Timestamp,
        event: Option<&AuditEvent>,
    ) -> Result<bool>;
    /// Stores when keys were last used; a later time that is already stored is kept.
    async fn note_api_key_uses(&self, uses: &[(Uuid, Timestamp)]) -> Result<()>;
    /// Checks the whole database for damage, and that it can be written: `None` if it is sound,
    /// otherwise what is wrong.
    async fn integrity(&self) -> Result<Option<String>>;
    /// Returns why the database accepts no writes. If the latest write failed because of the database
    /// and not because of its content, a test write is tried first. `None` if writes work, or if the
    /// back end does not keep track.
    async fn write_fault(&self) -> Option<WriteFault> {
        None
    }
    /// Returns how the connection to each server is protected, starting with the primary; empty if the
    /// database is a file.
    async fn encryption(&self) -> Result<Vec<Encryption>>;
    /// Waits for running writes and closes every connection.
    async fn close(&self);
}

/// Opens a database, creates a missing SQLite file, and brings the schema up to date.
///
/// *Errors*: [`StoreError::Address`] for an address of neither kind, otherwise the database's error.
pub async fn open(options: &StoreOptions) -> Result<Arc<dyn Store>> {
    let url = options.url.expose();
    if url.starts_with("postgres://") || url.starts_with("postgresql://") {
        return Ok(Arc::new(postgres::PostgresStore::open(options).await?));
    }
    match options.url.sqlite_path() {
        Some(_) if options.read_url.is_some() => {
            Err(StoreError::PostgresOnly("a database to read from"))
        }
        Some(path) => Ok(Arc::new(
            sqlite::SqliteStore::open(path, options.patience).await?,
        )),
        None => Err(StoreError::Address(options.url.clone())),
    }
}
