//! The knowledge base in SQLite; see [`KnowledgeStore`].

mod bridges;
mod entries;
mod import;
mod keys;
mod links;
mod notes;
mod status;
mod suggestions;
mod transfer;
mod vectors;

use async_trait::async_trait;
use jiff::Timestamp;
use recall_kit_shared_types::knowledge::SuggestionType;
use sqlx::{Row, SqliteConnection};
use ulid::Ulid;
use uuid::Uuid;

pub(super) use self::entries::insert as insert_entry;
use super::SqliteStore;
use crate::{
    AuditEvent, Cluster, Edge, Entry, EntryBatch, EntryBrief, EntryLabels, EntryStatusChange,
    EntryVectors, IndexRow, IndexedEntry, KnowledgeCounts, KnowledgeImport, KnowledgeRecord,
    KnowledgeStore, Link, NewCount, NewEntry, NewEntryVectors, NewLink, NewSuggestion, Note,
    Promotion, QueryCount, Result, StoredEntry, StoredSuggestion, Suggestion,
    database::columns::count_of, sqlite::connection::writer::write,
};

/// Allocates the next `seq` of entries inside a write transaction.
async fn next_seq(write: &mut SqliteConnection) -> Result<i64> {
    let row = sqlx::query("update entry_head set seq = seq + 1 returning seq")
        .fetch_one(write)
        .await?;
    Ok(row.try_get(0)?)
}

/// Converts ids to a parameter for `json_each`.
fn json_of(ids: &[Ulid]) -> String {
    let ids: Vec<String> = ids.iter().map(Ulid::to_string).collect();
    super::json_of(&ids)
}

#[async_trait]
impl KnowledgeStore for SqliteStore {
    async fn entry_head_seq(&self) -> Result<u64> {
        let row = sqlx::query("select seq from entry_head")
            .fetch_one(&self.readers)
            .await?;
        Ok(count_of(row.try_get(0)?))
    }

    async fn entry_head_seq_and_size(&self) -> Result<(u64, u64)> {
        let row =
            sqlx::query("select (select seq from entry_head), (select count(*) from entries)")
                .fetch_one(&self.readers)
                .await?;
        Ok((count_of(row.try_get(0)?), count_of(row.try_get(1)?)))
    }

    async fn insert_entry(&self, new: NewEntry) -> Result<Ulid> {
        let inserted = self.new_entries.insert(new).await;
        inserted.map(Ulid::from)
    }

    async fn insert_promoted(&self, new: &NewEntry, experience: Uuid) -> Result<Option<Ulid>> {
        write!(self, write, [new] => bridges::insert_promoted(write, &new, experience))
    }

    async fn promotions(&self, ids: &[Uuid]) -> Result<Vec<Promotion>> {
        bridges::promotions(&self.readers, ids).await
    }

    async fn promoted(&self) -> Result<Vec<Uuid>> {
        bridges::promoted(&self.readers).await
    }

    async fn entry(&self, id: Ulid) -> Result<Option<Entry>> {
        entries::by_id(&self.readers, id).await
    }

    async fn entry_briefs(&self, ids: &[Ulid]) -> Result<Vec<EntryBrief>> {
        entries::briefs(&self.readers, ids).await
    }

    async fn entries_with_prefix(&self, prefix: &str, limit: u32) -> Result<Vec<(Ulid, String)>> {
        entries::with_prefix(&self.readers, prefix, limit).await
    }

    async fn entries_after(&self, seq: u64, limit: u32) -> Result<Vec<IndexedEntry>> {
        vectors::entries_after(&self.readers, seq, limit).await
    }

    async fn entry_rows(&self, after: u64, up_to: u64, limit: u32) -> Result<Vec<IndexRow>> {
        vectors::rows(&self.readers, (after, up_to), limit).await
    }

    async fn entry_labels(&self, after: Ulid, limit: u32) -> Result<Vec<EntryLabels>> {
        entries::labels(&self.readers, after, limit).await
    }

    async fn add_access_counts(&self, counts: &[NewCount], now: Timestamp) -> Result<()> {
        if counts.is_empty() {
            return Ok(());
        }
        write!(self, write, [counts] => entries::add_access_counts(write, &counts, now))
    }

    async fn access_counts_since(&self, moment: Timestamp) -> Result<Vec<QueryCount>> {
        entries::access_counts_since(&self.readers, moment).await
    }

    async fn entry_vectors(&self, ids: &[Ulid]) -> Result<Vec<(Ulid, EntryVectors)>> {
        vectors::by_ids(&self.readers, ids).await
    }

    async fn entries_without_vectors(
        &self,
        model: &str,
        after: Ulid,
        limit: u32,
    ) -> Result<Vec<Entry>> {
        entries::without_vectors(&self.readers, model, after, limit).await
    }

    async fn count_entries_without_vectors(&self, model: &str) -> Result<u64> {
        vectors::count_missing(&self.readers, model).await
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
        links::of(&self.readers, ids).await
    }

    async fn edges(&self) -> Result<Vec<Edge>> {
        links::edges(&self.readers).await
    }

    async fn entry_titles(&self, ids: &[Ulid]) -> Result<Vec<(Ulid, String)>> {
        entries::titles(&self.readers, ids).await
    }

    async fn insert_link_suggestions(&self, new: &[NewSuggestion]) -> Result<u64> {
        if new.is_empty() {
            return Ok(0);
        }
        write!(self, write, [new] => suggestions::insert_links(write, &new))
    }

    async fn clusters_of(&self, ids: &[Ulid]) -> Result<Vec<Cluster>> {
        suggestions::clusters_of(&self.readers, ids).await
    }

    async fn put_cluster(&self, new: &NewSuggestion) -> Result<()> {
        write!(self, write, [new] => suggestions::put_cluster(write, &new))
    }

    async fn pending_suggestions(
        &self,
        kind: SuggestionType,
        limit: u32,
    ) -> Result<(Vec<Suggestion>, u64)> {
        suggestions::pending(&self.readers, kind, limit).await
    }

    async fn suggestion(&self, id: Ulid) -> Result<Option<(Suggestion, usize)>> {
        suggestions::by_id(&self.readers, id).await
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
        entries::by_page(&self.readers, after, limit).await
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
        notes::by_ids(&self.readers, ids).await
    }

    async fn notes_at(&self, path: &str) -> Result<Vec<Note>> {
        notes::at(&self.readers, path).await
    }

    async fn entry_count(&self, up_to: u64) -> Result<u64> {
        transfer::count(&self.readers, up_to).await
    }

    async fn knowledge_counts(&self) -> Result<KnowledgeCounts> {
        transfer::counts(&self.readers).await
    }

    async fn broken_links(&self) -> Result<u64> {
        transfer::broken_links(&self.readers).await
    }

    async fn stored_entries(
        &self,
        after: Ulid,
        model: Option<&str>,
        limit: u32,
    ) -> Result<Vec<StoredEntry>> {
        transfer::entries(&self.readers, after, model, limit).await
    }

    async fn stored_links(&self, after: Ulid, limit: u32) -> Result<Vec<NewLink>> {
        transfer::links(&self.readers, after, limit).await
    }

    async fn stored_suggestions(&self, after: Ulid, limit: u32) -> Result<Vec<StoredSuggestion>> {
        suggestions::by_page(&self.readers, after, limit).await
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
