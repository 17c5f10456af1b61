//! The knowledge base.
//!
//! Writes lock the family of entries at their beginning, so that they run one after the other and cannot
//! deadlock. Only changes of single suggestions do not lock it.

pub(crate) mod bridges;
pub(crate) mod entries;
pub(crate) mod import;
mod keys;
pub(crate) mod links;
pub(crate) mod notes;
pub(crate) mod rows;
pub(crate) mod status;
pub(crate) mod suggestions;
pub(crate) mod transfer;
pub(crate) mod vectors;

use jiff::Timestamp;
use ulid::Ulid;
use uuid::Uuid;

use self::{rows::NewRow, suggestions::Pair};
use super::SqlConnection;
use crate::{EntryVectors, NewCount, NewEntryVectors, Note, Result, StoredNote};

/// Writes of many rows: SQLite writes them one by one, PostgreSQL in one statement.
pub(crate) trait EntryWrites: SqlConnection {
    /// Writes entries at the next `seq`s, in their order.
    fn insert_entries(&mut self, rows: &[NewRow<'_>]) -> impl Future<Output = Result<()>> + Send;
    /// Writes vectors (model, entry, vectors) of entries that have none.
    fn insert_vectors(
        &mut self,
        new: &[(&str, Ulid, &EntryVectors)],
    ) -> impl Future<Output = Result<()>> + Send;
    /// Writes vectors of entries that have none of the model and have not changed since they were embedded;
    /// returns the ids of these entries.
    fn put_vectors(
        &mut self,
        model: &str,
        vectors: &[NewEntryVectors],
    ) -> impl Future<Output = Result<Vec<Ulid>>> + Send;
    /// Sets `updated_at` of entries.
    fn set_updated(
        &mut self,
        updated: &[(Ulid, Timestamp)],
    ) -> impl Future<Output = Result<()>> + Send;
    /// Writes notes with the current `updated_at` of their entries, replacing earlier notes.
    fn put_notes(&mut self, notes: &[Note]) -> impl Future<Output = Result<()>> + Send;
    /// Writes notes of entries that have none.
    fn insert_notes(
        &mut self,
        notes: &[(Ulid, &StoredNote)],
    ) -> impl Future<Output = Result<()>> + Send;
    /// Writes the experiences from which entries were promoted, except those that do not exist or were
    /// promoted to another entry.
    fn insert_promotions(
        &mut self,
        promotions: &[(Ulid, Uuid)],
    ) -> impl Future<Output = Result<()>> + Send;
    /// Writes suggestions to link entries, except for pairs that are linked or were suggested before; returns
    /// how many it wrote.
    fn insert_pairs(&mut self, pairs: &[Pair<'_>]) -> impl Future<Output = Result<u64>> + Send;
    /// Adds access counts.
    fn add_counts(
        &mut self,
        counts: &[NewCount],
        now: Timestamp,
    ) -> impl Future<Output = Result<()>> + Send;
}
