//! The store: experiences, the knowledge base, documentation libraries, everything about them that must
//! survive, and who may come in: API keys and users.
//!
//! The SQL database is the truth; the search index is derived from it. SQL stands only below this
//! folder, one folder per database. Ranking and validation happen elsewhere.

mod access;
#[cfg(test)]
mod contract;
mod database;
mod experiences;
mod knowledge;
mod libraries;
mod postgres;
mod questions;
mod search;
mod sqlite;
mod transfer;

use std::{path::PathBuf, sync::Arc, time::Duration};

use async_trait::async_trait;
use jiff::Timestamp;
use tokio::sync::watch;
use ulid::Ulid;
use uuid::Uuid;

pub use self::{
    experiences::{
        ChangedExperience, ExperienceBrief, ExperienceChange, ExperienceListing, ExperienceOrder,
        ExperienceState, ExperienceStore, ExperienceVector, Page, Standing, Unembedded,
    },
    knowledge::{
        Cluster, EXCERPT_CHARS, Edge, Entry, EntryBatch, EntryBrief, EntryContent, EntryLabels,
        EntryStatusChange, EntryUpdate, EntryVectors, IndexedEntry, KnowledgeStore, Link, NewEntry,
        NewEntryVectors, NewLink, NewSuggestion, Note, Promotion, Suggestion, SuggestionStatus,
        changed_after,
    },
    libraries::{
        Chunk, ChunkContent, ExampleText, IndexedChunk, Library, LibraryStore, LibraryVersion,
        NewDocsFile, NewVersion, Shelf, chunk_id, file_and_kind,
    },
    questions::{
        AskedQuestion, Day, Growth, LATENCY_BOUNDS_MS, LATENCY_BUCKETS, NewQuestion, QuestionDay,
        QuestionFamily, QuestionOrder, QuestionStore, ReturnedRecord,
    },
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

/// Why the store could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The address names no database that this program can open.
    #[error(
        "cannot open a database at \"{0}\", expected sqlite:PATH, without parameters, or \
         postgres://USER@HOST:PORT/DATABASE"
    )]
    Address(DatabaseUrl),
    /// The address has a parameter that would do nothing.
    #[error(
        "the address of the database has a parameter {0:?}, which this program does not know; \
         correct its name or leave it out"
    )]
    Parameter(String),
    /// The way to the database's server could not be protected as it should be.
    #[error(transparent)]
    Encryption(#[from] EncryptionError),
    /// What was asked of the database can only be had of another kind.
    #[error("{0} works with PostgreSQL only; this database is a SQLite file")]
    PostgresOnly(&'static str),
    /// The database lacks what it is to search with.
    #[error(transparent)]
    SearchUnavailable(#[from] SearchUnavailable),
    /// The folder of the database file could not be made.
    #[error("cannot create the folder {path}")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The vectors were made by another model than the one now configured.
    #[error(
        "the vectors of this database were made with {stored}, but the server runs with {configured}"
    )]
    OtherModel {
        /// The model that made the vectors.
        stored: String,
        /// The configured model.
        configured: String,
    },
    /// Vectors came for a model that is not the database's any more.
    #[error("the database's vectors are now made by another model")]
    ModelReplaced,
    /// An idempotency key came back with other content.
    #[error("the idempotency key was used before with other content")]
    KeyReused,
    /// The two entries are linked like that already.
    #[error("the entries are linked like that already")]
    LinkExists,
    /// The source is superseded by its target, or derived from it the other way round.
    #[error("the link would close a circle")]
    Circle,
    /// An entry is not there any more.
    #[error("the entry {0} is gone")]
    EntryGone(Ulid),
    /// A file of a library is not there any more.
    #[error("the documentation file {0} is gone")]
    FileGone(u64),
    /// An entry that is to be changed was changed meanwhile.
    #[error("the entry {0} was changed meanwhile")]
    EntryChanged(Ulid),
    /// A record that is to be changed is at another version than the one expected.
    #[error("the record was changed meanwhile; it is at version {current} now")]
    VersionChanged {
        /// The version that it is at.
        current: u64,
    },
    /// There is no such experience, or none any more.
    #[error("there is no experience {0}")]
    NoExperience(Uuid),
    /// A deleted experience is to be changed.
    #[error("the experience {0} is deleted; restore it first")]
    ExperienceDeleted(Uuid),
    /// A key that is not revoked has the name already.
    #[error("another API key is called {0:?}")]
    KeyNameTaken(String),
    /// Another user has the name, in some case.
    #[error("another user is called {0:?}")]
    UserNameTaken(String),
    /// Nobody would be left who may administer.
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
    /// The schema is behind, and is not to be changed by a start.
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
    /// What is to be read from holds something else.
    #[error(
        "the database to read from is another one, not a standby of this one; correct its address"
    )]
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
    /// Several writes failed together, for one reason.
    #[error(transparent)]
    Shared(Arc<StoreError>),
    /// A write broke off; whether anything was stored is unknown.
    #[error("the write was broken off")]
    BrokenOff,
    /// The database itself failed.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl StoreError {
    /// Whether the database found its own file damaged, in PostgreSQL's words `data_corrupted` or
    /// `index_corrupted`, or gave what nobody wrote.
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
    /// Quantised embedding and the model that made it; none when embeddings are off or failed.
    pub vector: Option<(String, Vec<u8>)>,
    /// When it was submitted.
    pub created_at: Timestamp,
    /// The client's key and the SHA-256 of what it submitted.
    pub idempotency: Option<IdempotencyKey>,
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
    /// What its rank is made of, see [`NewCount::popularity`].
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
    /// What its rank is made of, see [`NewCount::popularity`].
    pub popularity: u64,
    /// Its quantised embedding, when it has one of the database's model.
    pub vector: Option<Vec<u8>>,
    /// Whether it is not to be found: it is hidden or deleted.
    pub is_gone: bool,
}

/// A record as the index takes it in: its row and its texts.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedExperience {
    /// Everything but the texts.
    pub row: IndexRow,
    /// The texts; none of a record that is not to be found.
    pub content: Option<ExperienceContent>,
}

/// How often a record was returned in all, and how popular it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueryCount {
    /// The record.
    pub id: Uuid,
    /// How often queries returned it; of an entry, how often it was shown.
    pub query_count: u64,
    /// What its rank is made of, see [`NewCount::popularity`].
    pub popularity: u64,
}

/// What is to be added to the counts of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewCount {
    /// The record.
    pub id: Uuid,
    /// How often it was returned or shown.
    pub count: u64,
    /// How much more popular that made it: less than `count` where one caller asked again and again,
    /// more where the record was opened.
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

/// A database. Every method is one transaction; what it acknowledged survives a
/// crash of the process and is seen by every other process on the same database.
///
/// *Errors*: [`StoreError::Database`] when the database is locked, full, read-only or broken.
#[async_trait]
pub trait Store:
    ExperienceStore
    + KnowledgeStore
    + LibraryStore
    + MoveStore
    + PeopleStore
    + QuestionStore
    + SearchStore
{
    /// Returns the database's own id, made when it was created.
    async fn database_id(&self) -> Result<Uuid>;
    /// Returns a number that changes with every commit of any process on the database, known
    /// without asking it: who sees the same number twice has missed nothing between. `None` where
    /// that cannot be told, or not now.
    fn revision(&self) -> Option<u64>;
    /// Returns a number that changes soon after another process wrote, where the database tells of it:
    /// a hint to look, no more.
    fn written_by_others(&self) -> Option<watch::Receiver<u64>> {
        None
    }
    /// Returns the `seq` of the last committed write; 0 in an empty database.
    async fn head_seq(&self) -> Result<u64>;
    /// Returns the `seq` of the last committed write and how many records are to be found, as of one
    /// moment.
    async fn head_seq_and_size(&self) -> Result<(u64, u64)>;
    /// Stores a record, unless its idempotency key was used before with the same content
    /// ([`StoreError::KeyReused`] with other content) or a visible record says the same.
    async fn insert_experience(&self, new: NewExperience) -> Result<SubmittedExperience>;
    /// Returns the records with these ids, in no particular order; unknown ids are left out, and
    /// records that are hidden or deleted.
    async fn experiences(&self, ids: &[Uuid]) -> Result<Vec<Experience>>;
    /// Returns the ids of up to `limit` records whose ids begin like this, ordered by id; of those that
    /// are neither hidden nor deleted.
    async fn experiences_with_prefix(&self, prefix: &str, limit: u32) -> Result<Vec<Uuid>>;
    /// The same of all records: also those that are hidden or deleted.
    async fn all_experiences_with_prefix(&self, prefix: &str, limit: u32) -> Result<Vec<Uuid>>;
    /// Returns up to `limit` records written after `seq`, in commit order; those that are hidden or
    /// deleted are gone, so that every index hears of it.
    async fn experiences_after(&self, seq: u64, limit: u32) -> Result<Vec<IndexedExperience>>;
    /// Returns up to `limit` rows with `after < seq ≤ up_to`, in commit order, without texts.
    async fn index_rows(&self, after: u64, up_to: u64, limit: u32) -> Result<Vec<IndexRow>>;
    /// Adds to the counts of records, and sets their `updated_at`.
    async fn add_query_counts(&self, counts: &[NewCount], now: Timestamp) -> Result<()>;
    /// Returns the counts that were written at or after a moment.
    async fn query_counts_since(&self, moment: Timestamp) -> Result<Vec<QueryCount>>;
    /// Returns the model that made the vectors, when there is one.
    async fn embedding_model(&self) -> Result<Option<String>>;
    /// Makes `model` the database's model if it has none ([`StoreError::OtherModel`] otherwise).
    async fn claim_embedding_model(&self, model: &str) -> Result<()>;
    /// Returns up to `limit` records after the id that have no vector of `model`, ordered by id.
    async fn without_vector(&self, model: &str, after: Uuid, limit: u32)
    -> Result<Vec<Unembedded>>;
    /// Returns how many records have no vector of `model`; reads the whole table.
    async fn count_without_vector(&self, model: &str) -> Result<u64>;
    /// Returns some record's vector of `model`, if any has one.
    async fn any_vector(&self, model: &str) -> Result<Option<Vec<u8>>>;
    /// Stores vectors for records that have none of the model and are still at the version that was
    /// embedded; returns how many these are. Every index sees those records as new writes
    /// ([`StoreError::ModelReplaced`] when the database has another model by now).
    async fn put_vectors(&self, model: &str, vectors: &[ExperienceVector]) -> Result<u64>;
    /// Replaces all vectors and the database's model in one step; returns how many vectors were
    /// stored. A record that was changed since it was embedded is left without a vector.
    async fn replace_vectors(&self, model: &str, vectors: &[ExperienceVector]) -> Result<u64>;
    /// Returns how many of the experiences that are to be found were written up to a `seq`.
    async fn experience_count(&self, up_to: u64) -> Result<u64>;
    /// Returns up to `limit` records after the id, ordered by id, each with its vector of `model`; also
    /// those that are hidden or deleted.
    async fn experiences_by_id(
        &self,
        after: Uuid,
        model: Option<&str>,
        limit: u32,
    ) -> Result<Vec<StoredExperience>>;
    /// Stores records as they come, with their ids, counts and times, and vectors as those of
    /// `model` (none: without); says for each what became of it. What is there stays as it is.
    async fn import_experiences(
        &self,
        model: Option<&str>,
        records: &[StoredExperience],
    ) -> Result<Vec<Import>>;
    /// Stores a new key, with its event in the same transaction ([`StoreError::KeyNameTaken`] when a
    /// key that is not revoked has its name).
    async fn insert_api_key(&self, key: &HashedApiKey, event: Option<&AuditEvent>) -> Result<()>;
    /// Returns the key with this hash, also one that is expired or revoked.
    async fn api_key_by_hash(&self, hash: &[u8; 32]) -> Result<Option<HashedApiKey>>;
    /// Returns the key with this id, also one that is expired or revoked.
    async fn api_key(&self, id: Uuid) -> Result<Option<ApiKey>>;
    /// Returns every key, oldest first, also those that are expired or revoked.
    async fn api_keys(&self) -> Result<Vec<ApiKey>>;
    /// Returns whether there is a key that is neither expired nor revoked.
    async fn has_active_api_key(&self, now: Timestamp) -> Result<bool>;
    /// Revokes a key, for good, with its event in the same transaction; `false` when there was nothing
    /// to revoke.
    async fn revoke_api_key(
        &self,
        id: Uuid,
        now: Timestamp,
        event: Option<&AuditEvent>,
    ) -> Result<bool>;
    /// Stores when keys were last used; a stored later time stays.
    async fn note_api_key_uses(&self, uses: &[(Uuid, Timestamp)]) -> Result<()>;
    /// Checks the whole file for damage, and that it can be written: `None` when sound, else what is
    /// wrong.
    async fn integrity(&self) -> Result<Option<String>>;
    /// Returns why the database takes no writes. If the latest write failed for a reason that was
    /// not its own, a write is tried first. `None` if writes work, or if the database does not keep
    /// track.
    async fn write_fault(&self) -> Option<WriteFault> {
        None
    }
    /// Tells how the way to each server is protected, the one that takes writes first; none where the
    /// database is a file.
    async fn encryption(&self) -> Result<Vec<Encryption>>;
    /// Waits for running writes and closes every connection.
    async fn close(&self);
}

/// Opens a database, creates a SQLite file when it is missing, and brings the schema up to date.
///
/// *Errors*: [`StoreError::Address`] for an address of neither kind, else what the database said.
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
