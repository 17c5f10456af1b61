//! The knowledge base in PostgreSQL; see [`KnowledgeStore`].
//!
//! A standby serves only what searches read after they have read the head: other writes do not always move
//! the head.

mod rows;

use async_trait::async_trait;
use jiff::Timestamp;
use recall_kit_shared_types::knowledge::SuggestionType;
use sqlx::PgConnection;
use ulid::Ulid;
use uuid::Uuid;

use super::{Head, PostgresStore, fresh, read, write};
use crate::{
    AuditEvent, Cluster, Edge, Entry, EntryBatch, EntryBrief, EntryLabels, EntryStatusChange,
    EntryVectors, IndexRow, IndexedEntry, KnowledgeCounts, KnowledgeImport, KnowledgeRecord,
    KnowledgeStore, Link, NewCount, NewEntry, NewEntryVectors, NewLink, NewSuggestion, Note,
    Promotion, QueryCount, Result, StoredEntry, StoredSuggestion, Suggestion,
    database::columns::count_of,
    sql::{
        knowledge::{
            bridges, entries, import, links, notes, status, suggestions, transfer, vectors,
        },
        query,
    },
};

/// Reads the head and the number of entries.
async fn head_and_size(connection: &mut PgConnection) -> Result<(u64, u64)> {
    let (seq, size) =
        query("select seq, (select count(*) from entries) from heads where family = 'entries'")
            .fetch_one(connection)
            .await?;
    Ok((count_of(seq), count_of(size)))
}

#[async_trait]
impl KnowledgeStore for PostgresStore {
    async fn entry_head_seq(&self) -> Result<u64> {
        self.current_head(Head::Entries).await
    }

    async fn entry_head_seq_and_size(&self) -> Result<(u64, u64)> {
        let (seq, size) = fresh!(self, connection => head_and_size(connection))?;
        self.must_have(Head::Entries, seq);
        Ok((seq, size))
    }

    async fn insert_entry(&self, new: NewEntry) -> Result<Ulid> {
        self.new_entries.insert(new).await.map(Ulid::from)
    }

    async fn insert_promoted(&self, new: &NewEntry, experience: Uuid) -> Result<Option<Ulid>> {
        write!(self, transaction => bridges::insert_promoted(transaction, new, experience))
    }

    async fn promotions(&self, ids: &[Uuid]) -> Result<Vec<Promotion>> {
        fresh!(self, connection => bridges::promotions(connection, ids))
    }

    async fn promoted(&self) -> Result<Vec<Uuid>> {
        fresh!(self, connection => bridges::promoted(connection))
    }

    async fn entry(&self, id: Ulid) -> Result<Option<Entry>> {
        fresh!(self, connection => entries::by_id(connection, id))
    }

    async fn entry_briefs(&self, ids: &[Ulid]) -> Result<Vec<EntryBrief>> {
        read!(self, connection => entries::briefs(connection, ids))
    }

    async fn entries_with_prefix(&self, prefix: &str, limit: u32) -> Result<Vec<(Ulid, String)>> {
        fresh!(self, connection => entries::with_prefix(connection, prefix, limit))
    }

    async fn entries_after(&self, seq: u64, limit: u32) -> Result<Vec<IndexedEntry>> {
        read!(self, connection => vectors::entries_after(connection, seq, limit))
    }

    async fn entry_rows(&self, after: u64, up_to: u64, limit: u32) -> Result<Vec<IndexRow>> {
        read!(self, connection => vectors::rows(connection, (after, up_to), limit))
    }

    async fn entry_labels(&self, after: Ulid, limit: u32) -> Result<Vec<EntryLabels>> {
        fresh!(self, connection => entries::labels(connection, after, limit))
    }

    async fn add_access_counts(&self, counts: &[NewCount], now: Timestamp) -> Result<()> {
        write!(self, transaction => entries::add_access_counts(transaction, counts, now))
    }

    async fn access_counts_since(&self, moment: Timestamp) -> Result<Vec<QueryCount>> {
        fresh!(self, connection => entries::access_counts_since(connection, moment))
    }

    async fn entry_vectors(&self, ids: &[Ulid]) -> Result<Vec<(Ulid, EntryVectors)>> {
        read!(self, connection => vectors::by_ids(connection, ids))
    }

    async fn entries_without_vectors(
        &self,
        model: &str,
        after: Ulid,
        limit: u32,
    ) -> Result<Vec<Entry>> {
        fresh!(self, connection => entries::without_vectors(connection, model, after, limit))
    }

    async fn count_entries_without_vectors(&self, model: &str) -> Result<u64> {
        read!(self, connection => vectors::count_missing(connection, model))
    }

    async fn put_entry_vectors(
        &self,
        model: &str,
        vectors: &[NewEntryVectors],
    ) -> Result<Vec<Ulid>> {
        write!(self, transaction => vectors::put(transaction, model, vectors))
    }

    async fn insert_link(&self, new: &NewLink, event: Option<&AuditEvent>) -> Result<()> {
        write!(self, transaction => links::insert(transaction, new, event))
    }

    async fn links_of(&self, ids: &[Ulid]) -> Result<Vec<Link>> {
        fresh!(self, connection => links::of(connection, ids))
    }

    async fn edges(&self) -> Result<Vec<Edge>> {
        fresh!(self, connection => links::edges(connection))
    }

    async fn entry_titles(&self, ids: &[Ulid]) -> Result<Vec<(Ulid, String)>> {
        fresh!(self, connection => entries::titles(connection, ids))
    }

    async fn insert_link_suggestions(&self, new: &[NewSuggestion]) -> Result<u64> {
        write!(self, transaction => suggestions::insert_links(transaction, new))
    }

    async fn clusters_of(&self, ids: &[Ulid]) -> Result<Vec<Cluster>> {
        fresh!(self, connection => suggestions::clusters_of(connection, ids))
    }

    async fn put_cluster(&self, new: &NewSuggestion) -> Result<()> {
        write!(self, transaction => suggestions::put_cluster(transaction, new)).map(drop)
    }

    async fn pending_suggestions(
        &self,
        kind: SuggestionType,
        limit: u32,
    ) -> Result<(Vec<Suggestion>, u64)> {
        fresh!(self, connection => suggestions::pending(connection, kind, limit))
    }

    async fn suggestion(&self, id: Ulid) -> Result<Option<(Suggestion, usize)>> {
        fresh!(self, connection => suggestions::by_id(connection, id))
    }

    async fn accept_suggestion(
        &self,
        id: Ulid,
        link: Option<&NewLink>,
        now: Timestamp,
        event: Option<&AuditEvent>,
    ) -> Result<bool> {
        write!(self, transaction => suggestions::accept(transaction, id, link, (now, event)))
    }

    async fn reject_suggestion(
        &self,
        id: Ulid,
        now: Timestamp,
        event: Option<&AuditEvent>,
    ) -> Result<bool> {
        write!(self, transaction => suggestions::reject(transaction, id, now, event))
    }

    async fn entries_by_id(&self, after: Ulid, limit: u32) -> Result<Vec<Entry>> {
        fresh!(self, connection => entries::by_page(connection, after, limit))
    }

    async fn insert_entries(&self, batch: &EntryBatch) -> Result<()> {
        write!(self, transaction => notes::insert_batch(transaction, batch))
    }

    async fn set_entry_status(
        &self,
        change: &EntryStatusChange,
        event: Option<&AuditEvent>,
    ) -> Result<Timestamp> {
        write!(self, transaction => status::set(transaction, change, event))
    }

    async fn notes(&self, ids: &[Ulid]) -> Result<Vec<Note>> {
        fresh!(self, connection => notes::by_ids(connection, ids))
    }

    async fn notes_at(&self, path: &str) -> Result<Vec<Note>> {
        fresh!(self, connection => notes::at(connection, path))
    }

    async fn entry_count(&self, up_to: u64) -> Result<u64> {
        fresh!(self, connection => transfer::count(connection, up_to))
    }

    async fn knowledge_counts(&self) -> Result<KnowledgeCounts> {
        fresh!(self, connection => transfer::counts(connection))
    }

    async fn broken_links(&self) -> Result<u64> {
        fresh!(self, connection => transfer::broken_links(connection))
    }

    async fn stored_entries(
        &self,
        after: Ulid,
        model: Option<&str>,
        limit: u32,
    ) -> Result<Vec<StoredEntry>> {
        fresh!(self, connection => transfer::entries(connection, after, model, limit))
    }

    async fn stored_links(&self, after: Ulid, limit: u32) -> Result<Vec<NewLink>> {
        fresh!(self, connection => transfer::links(connection, after, limit))
    }

    async fn stored_suggestions(&self, after: Ulid, limit: u32) -> Result<Vec<StoredSuggestion>> {
        fresh!(self, connection => suggestions::by_page(connection, after, limit))
    }

    async fn import_knowledge(
        &self,
        model: Option<&str>,
        records: &[KnowledgeRecord],
    ) -> Result<Vec<KnowledgeImport>> {
        write!(self, transaction => import::import(transaction, model, records))
    }
}
