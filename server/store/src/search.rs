//! Searching in the database itself: the interface to its search tables.
//!
//! The search tables are derived from the records and updated in the order of their `seq`, like an index
//! in memory; the caller decides which terms and vectors a record has. Only PostgreSQL supports this.

use std::collections::HashMap;

use async_trait::async_trait;
use uuid::Uuid;

use super::{IndexRow, Result, StoreError};

/// The setting that selects this search.
const SETTING: &str = "search.engine = \"postgres\"";

/// Why a database cannot search.
#[derive(Debug, thiserror::Error)]
pub enum SearchUnavailable {
    /// The server does not offer the extension.
    #[error(
        "this PostgreSQL server does not have the extension `vector` (pgvector 0.7 or newer), which \
         {SETTING} needs; install it there (on Debian the package postgresql-VERSION-pgvector), or start \
         the servers with --search-engine memory"
    )]
    NotInstalled,
    /// The database does not have the extension, and it could not be created.
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
    /// The tables are missing or outdated, and opening the database must not change the schema.
    #[error(
        "this database lacks the tables that {SETTING} needs, or has those of another model; create them \
         with `recall-kit-server migrate --search-engine postgres`"
    )]
    NoTables,
}

/// How up to date the search tables are, and statistics of all searchable records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchState {
    /// The `seq` of the last committed write of a record.
    pub head: u64,
    /// The `seq` up to which records are in the search tables.
    pub up_to: u64,
    /// How many records are in the search tables.
    pub records: u64,
    /// The sum of their lengths, in terms.
    pub length: u64,
    /// How many of them have a vector.
    pub with_vector: u64,
    /// How many records contain each of the requested terms; terms that no record has are left out.
    pub frequencies: HashMap<String, u64>,
}

impl SearchState {
    /// Returns how many writes are not in the search tables yet.
    pub fn behind(&self) -> u64 {
        self.head.saturating_sub(self.up_to)
    }
}

/// A record as the search tables store it.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchDocument {
    /// The record's place in commit order.
    pub seq: u64,
    /// Its id.
    pub id: Uuid,
    /// Its distinct terms.
    pub terms: Vec<String>,
    /// How often each term occurs, encoded by the ranking code; the store does not interpret it.
    pub frequencies: Vec<u8>,
    /// Its length, in terms.
    pub length: u32,
    /// The embeddings of its passages, L2-normalised.
    pub passages: Vec<Vec<f32>>,
    /// Whether the record is hidden or deleted, so that it is removed from the search tables.
    pub is_gone: bool,
}

/// The words and embeddings of a query.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SearchFor {
    /// Sets of words with their weight. A record matches a set if it has all of its words.
    pub words: Vec<(Vec<String>, f32)>,
    /// Embeddings. A record matches if one of its passages is near one of them.
    pub embeddings: Vec<Vec<f32>>,
}

/// A candidate for the results of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchCandidate {
    /// The record, with its vector.
    pub row: IndexRow,
    /// See [`SearchDocument::frequencies`].
    pub frequencies: Vec<u8>,
    /// See [`SearchDocument::length`].
    pub length: u32,
}

/// A database that searches experiences. The default implementation does not support it.
///
/// *Errors*: [`StoreError::PostgresOnly`] if the database cannot search, otherwise the database's error.
#[async_trait]
pub trait SearchStore: Send + Sync {
    /// Creates the search tables if they are missing ([`StoreError::SearchUnavailable`] if that is
    /// impossible), and empties them if the database's model was replaced.
    async fn prepare_search(&self) -> Result<()> {
        Err(StoreError::PostgresOnly(SETTING))
    }
    /// Removes every record from the search tables, so that all are added again.
    async fn reset_search(&self) -> Result<()> {
        Err(StoreError::PostgresOnly(SETTING))
    }
    /// Returns how up to date the search tables are, and how many records have each of these terms.
    async fn search_state(&self, _terms: &[String]) -> Result<SearchState> {
        Err(StoreError::PostgresOnly(SETTING))
    }
    /// Adds the next records after a `seq`, or newer versions of them; returns `false` without any change
    /// if another server has added later records meanwhile.
    async fn take_into_search(&self, _after: u64, _records: &[SearchDocument]) -> Result<bool> {
        Err(StoreError::PostgresOnly(SETTING))
    }
    /// Creates the index of the vectors if it is missing and there are vectors; returns whether there is
    /// one. Takes minutes if there are many vectors.
    async fn index_search_vectors(&self) -> Result<bool> {
        Err(StoreError::PostgresOnly(SETTING))
    }
    /// Returns the candidates for a query, each once, in no particular order.
    async fn search_candidates(&self, _wanted: &SearchFor) -> Result<Vec<SearchCandidate>> {
        Err(StoreError::PostgresOnly(SETTING))
    }
    /// Returns the quantised embeddings of a random share (0–1) of the records; at most `most`.
    async fn sample_vectors(&self, _share: f32, _most: u32) -> Result<Vec<Vec<u8>>> {
        Err(StoreError::PostgresOnly(SETTING))
    }
}
