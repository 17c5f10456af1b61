//! The knowledge base in SQLite; see [`KnowledgeStore`].

mod rows;

use async_trait::async_trait;
use jiff::Timestamp;
use recall_kit_shared_types::knowledge::SuggestionType;
use ulid::Ulid;
use uuid::Uuid;

use super::{SqliteStore, read};
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
    sqlite::connection::writer::write,
};

#[async_trait]
impl KnowledgeStore for SqliteStore {
    async fn entry_head_seq(&self) -> Result<u64> {
        read!(self, connection => query("select seq from entry_head").fetch_count(connection))
    }

    async fn entry_head_seq_and_size(&self) -> Result<(u64, u64)> {
        let head_and_size =
            query("select (select seq from entry_head), (select count(*) from entries)");
        let (seq, size) = read!(self, connection => head_and_size.fetch_one(connection))?;
        Ok((count_of(seq), count_of(size)))
    }

    async fn insert_entry(&self, new: NewEntry) -> Result<Ulid> {
        let inserted = self.new_entries.insert(new).await;
        inserted.map(Ulid::from)
    }

    async fn insert_promoted(&self, new: &NewEntry, experience: Uuid) -> Result<Option<Ulid>> {
        write!(self, write, [new] => bridges::insert_promoted(write, &new, experience))
    }

    async fn promotions(&self, ids: &[Uuid]) -> Result<Vec<Promotion>> {
        read!(self, connection => bridges::promotions(connection, ids))
    }

    async fn promoted(&self) -> Result<Vec<Uuid>> {
        read!(self, connection => bridges::promoted(connection))
    }

    async fn entry(&self, id: Ulid) -> Result<Option<Entry>> {
        read!(self, connection => entries::by_id(connection, id))
    }

    async fn entry_briefs(&self, ids: &[Ulid]) -> Result<Vec<EntryBrief>> {
        read!(self, connection => entries::briefs(connection, ids))
    }

    async fn entries_with_prefix(&self, prefix: &str, limit: u32) -> Result<Vec<(Ulid, String)>> {
        read!(self, connection => entries::with_prefix(connection, prefix, limit))
    }

    async fn entries_after(&self, seq: u64, limit: u32) -> Result<Vec<IndexedEntry>> {
        read!(self, connection => vectors::entries_after(connection, seq, limit))
    }

    async fn entry_rows(&self, after: u64, up_to: u64, limit: u32) -> Result<Vec<IndexRow>> {
        read!(self, connection => vectors::rows(connection, (after, up_to), limit))
    }

    async fn entry_labels(&self, after: Ulid, limit: u32) -> Result<Vec<EntryLabels>> {
        read!(self, connection => entries::labels(connection, after, limit))
    }

    async fn add_access_counts(&self, counts: &[NewCount], now: Timestamp) -> Result<()> {
        if counts.is_empty() {
            return Ok(());
        }
        write!(self, write, [counts] => entries::add_access_counts(write, &counts, now))
    }

    async fn access_counts_since(&self, moment: Timestamp) -> Result<Vec<QueryCount>> {
        read!(self, connection => entries::access_counts_since(connection, moment))
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
        read!(self, connection => entries::without_vectors(connection, model, after, limit))
    }

    async fn count_entries_without_vectors(&self, model: &str) -> Result<u64> {
        read!(self, connection => vectors::count_missing(connection, model))
    }

    async fn put_entry_vectors(
        &self,
        model: &str,
        vectors: &[NewEntryVectors],
    ) -> Result<Vec<Ulid>> {
        write!(self, write, [model, vectors] => vectors::put(write, &model, &vectors))
    }

    async fn insert_link(&self, new: &NewLink, event: Option<&AuditEvent>) -> Result<()> {
        let event = event.cloned();
        write!(self, write, [new] => links::insert(write, &new, event.as_ref()))
    }

    async fn links_of(&self, ids: &[Ulid]) -> Result<Vec<Link>> {
        read!(self, connection => links::of(connection, ids))
    }

    async fn edges(&self) -> Result<Vec<Edge>> {
        read!(self, connection => links::edges(connection))
    }

    async fn entry_titles(&self, ids: &[Ulid]) -> Result<Vec<(Ulid, String)>> {
        read!(self, connection => entries::titles(connection, ids))
    }

    async fn insert_link_suggestions(&self, new: &[NewSuggestion]) -> Result<u64> {
        if new.is_empty() {
            return Ok(0);
        }
        write!(self, write, [new] => suggestions::insert_links(write, &new))
    }

    async fn clusters_of(&self, ids: &[Ulid]) -> Result<Vec<Cluster>> {
        read!(self, connection => suggestions::clusters_of(connection, ids))
    }

    async fn put_cluster(&self, new: &NewSuggestion) -> Result<()> {
        write!(self, write, [new] => suggestions::put_cluster(write, &new)).map(drop)
    }

    async fn pending_suggestions(
        &self,
        kind: SuggestionType,
        limit: u32,
    ) -> Result<(Vec<Suggestion>, u64)> {
        read!(self, connection => suggestions::pending(connection, kind, limit))
    }

    async fn suggestion(&self, id: Ulid) -> Result<Option<(Suggestion, usize)>> {
        read!(self, connection => suggestions::by_id(connection, id))
    }

    async fn accept_suggestion(
        &self,
        id: Ulid,
        link: Option<&NewLink>,
        now: Timestamp,
        event: Option<&AuditEvent>,
    ) -> Result<bool> {
        let (link, event) = (link.cloned(), event.cloned());
        write!(self, write, [] =>
            suggestions::accept(write, id, link.as_ref(), (now, event.as_ref())))
    }

    async fn reject_suggestion(
        &self,
        id: Ulid,
        now: Timestamp,
        event: Option<&AuditEvent>,
    ) -> Result<bool> {
        let event = event.cloned();
        write!(self, write, [] => suggestions::reject(write, id, now, event.as_ref()))
    }

    async fn entries_by_id(&self, after: Ulid, limit: u32) -> Result<Vec<Entry>> {
        read!(self, connection => entries::by_page(connection, after, limit))
    }

    async fn insert_entries(&self, batch: &EntryBatch) -> Result<()> {
        write!(self, write, [batch] => notes::insert_batch(write, &batch))
    }

    async fn set_entry_status(
        &self,
        change: &EntryStatusChange,
        event: Option<&AuditEvent>,
    ) -> Result<Timestamp> {
        let event = event.cloned();
        write!(self, write, [change] => status::set(write, &change, event.as_ref()))
    }

    async fn notes(&self, ids: &[Ulid]) -> Result<Vec<Note>> {
        read!(self, connection => notes::by_ids(connection, ids))
    }

    async fn notes_at(&self, path: &str) -> Result<Vec<Note>> {
        read!(self, connection => notes::at(connection, path))
    }

    async fn entry_count(&self, up_to: u64) -> Result<u64> {
        read!(self, connection => transfer::count(connection, up_to))
    }

    async fn knowledge_counts(&self) -> Result<KnowledgeCounts> {
        read!(self, connection => transfer::counts(connection))
    }

    async fn broken_links(&self) -> Result<u64> {
        read!(self, connection => transfer::broken_links(connection))
    }

    async fn stored_entries(
        &self,
        after: Ulid,
        model: Option<&str>,
        limit: u32,
    ) -> Result<Vec<StoredEntry>> {
        read!(self, connection => transfer::entries(connection, after, model, limit))
    }

    async fn stored_links(&self, after: Ulid, limit: u32) -> Result<Vec<NewLink>> {
        read!(self, connection => transfer::links(connection, after, limit))
    }

    async fn stored_suggestions(&self, after: Ulid, limit: u32) -> Result<Vec<StoredSuggestion>> {
        read!(self, connection => suggestions::by_page(connection, after, limit))
    }

    async fn import_knowledge(
        &self,
        model: Option<&str>,
        records: &[KnowledgeRecord],
    ) -> Result<Vec<KnowledgeImport>> {
        if records.is_empty() {
            return Ok(Vec::new());
        }
        let model = model.map(str::to_owned);
        write!(self, write, [records] => import::import(write, model.as_deref(), &records))
    }
}
