//! Searching in the database itself: what it keeps for that, and what it is asked.
//!
//! What is kept is made from the records and follows them in the order of their `seq`, like an index in
//! memory; which words and vectors that are is decided elsewhere. Only PostgreSQL can do it.

use std::collections::HashMap;

use async_trait::async_trait;
use uuid::Uuid;

use super::{IndexRow, Result, StoreError};

/// The setting that asks for it.
const SETTING: &str = "search.engine = \"postgres\"";

/// Why a database cannot search.
#[derive(Debug, thiserror::Error)]
pub enum SearchUnavailable {
    /// The server does not offer the extension.
    #[error(
        "this PostgreSQL server does not have the extension `vector` (pgvector 0.7 or newer), which \
         {SETTING} needs; install it there, on Debian the package postgresql-VERSION-pgvector, or let \
         the servers search with --search-engine memory"
    )]
    NotInstalled,
    /// The database does not have the extension, and it could not be made.
    #[error(
        "this database does not have the extension `vector`, which {SETTING} needs; let an \
         administrator run `create extension vector` in it"
    )]
    NotCreated,
    /// The extension is too old.
    #[error(
        "the extension `vector` of this database is version {0}, {SETTING} needs 0.7 or newer; \
         install a newer pgvector and run `alter extension vector update`"
    )]
    TooOld(String),
    /// The tables are missing or older, and the schema is not to be changed.
    #[error(
        "this database lacks the tables that {SETTING} needs, or has those of another model; make them with \
         `recall-kit-server migrate --search-engine postgres`"
    )]
    NoTables,
}

/// How far the database has come with what it searches, and what is known of all of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchState {
    /// The `seq` of the last committed write of a record.
    pub head: u64,
    /// The `seq` up to which records are found.
    pub up_to: u64,
    /// How many records are found.
    pub records: u64,
    /// The sum of their lengths, in terms.
    pub length: u64,
    /// How many of them have a vector.
    pub with_vector: u64,
    /// How many records have each of the terms that were asked for; none where a term is missing.
    pub frequencies: HashMap<String, u64>,
}

impl SearchState {
    /// Returns how many writes are not found yet.
    pub fn behind(&self) -> u64 {
        self.head.saturating_sub(self.up_to)
    }
}

/// A record as the database finds it.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchDocument {
    /// The record's place in commit order.
    pub seq: u64,
    /// Its id.
    pub id: Uuid,
    /// Its distinct terms.
    pub terms: Vec<String>,
    /// How often each stands there; read by whoever ranks.
    pub frequencies: Vec<u8>,
    /// Its length, in terms.
    pub length: u32,
    /// The embeddings of its passages, L2-normalised.
    pub passages: Vec<Vec<f32>>,
    /// Whether it is not to be found any more: what is kept of it goes.
    pub is_gone: bool,
}

/// What a query looks for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchFor {
    /// Words, and what having all of them is worth: records that have the words of one of these.
    pub words: Vec<(Vec<String>, f32)>,
    /// Embeddings: records with passages near one of them.
    pub embeddings: Vec<Vec<f32>>,
}

/// A record that a query may be after.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchCandidate {
    /// The record, with its vector.
    pub row: IndexRow,
    /// See [`SearchDocument::frequencies`].
    pub frequencies: Vec<u8>,
    /// See [`SearchDocument::length`].
    pub length: u32,
}

/// A database that searches experiences. By default one that cannot.
///
/// *Errors*: [`StoreError::PostgresOnly`] where the database cannot, else what it said.
#[async_trait]
pub trait SearchStore: Send + Sync {
    /// Makes what is needed or finds it there ([`StoreError::SearchUnavailable`] otherwise), and
    /// empties it where the vectors are now another model's.
    async fn prepare_search(&self) -> Result<()> {
        Err(StoreError::PostgresOnly(SETTING))
    }
    /// Forgets every record, so that all are taken in anew.
    async fn reset_search(&self) -> Result<()> {
        Err(StoreError::PostgresOnly(SETTING))
    }
    /// Says how far the database has come, and how many records have each of some terms.
    async fn search_state(&self, _terms: &[String]) -> Result<SearchState> {
        Err(StoreError::PostgresOnly(SETTING))
    }
    /// Takes in the next records after a `seq`, or newer versions of them; `false` where another server
    /// has come further meanwhile, and nothing was done.
    async fn take_into_search(&self, _after: u64, _records: &[SearchDocument]) -> Result<bool> {
        Err(StoreError::PostgresOnly(SETTING))
    }
    /// Makes the index of the vectors, where there is none and there are vectors, and says whether there
    /// is one; takes minutes where there are many.
    async fn index_search_vectors(&self) -> Result<bool> {
        Err(StoreError::PostgresOnly(SETTING))
    }
    /// Returns the records that a query may be after, each once, in no order.
    async fn search_candidates(&self, _wanted: &SearchFor) -> Result<Vec<SearchCandidate>> {
        Err(StoreError::PostgresOnly(SETTING))
    }
    /// Returns the quantised embeddings of a share of the records, 0–1, taken at random; no more than
    /// `most`.
    async fn sample_vectors(&self, _share: f32, _most: u32) -> Result<Vec<Vec<u8>>> {
        Err(StoreError::PostgresOnly(SETTING))
    }
}
