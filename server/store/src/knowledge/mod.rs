//! The knowledge base in the store: entries, links between them, suggestions.

pub(crate) mod short_text;

use async_trait::async_trait;
use jiff::{Timestamp, ToSpan as _};
use recall_kit_shared_types::knowledge::{
    Citation, EntryStatus, EntryType, MemoryType, RelationType, SuggestionType,
};
use ulid::Ulid;
use uuid::Uuid;

use super::{
    AuditEvent, IdempotencyKey, IndexRow, KnowledgeCounts, KnowledgeImport, KnowledgeRecord,
    NewCount, QueryCount, Result, StoredEntry, StoredSuggestion,
};

/// The content of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryContent {
    /// Its type.
    pub kind: EntryType,
    /// 1–100 characters.
    pub title: String,
    /// May be empty.
    pub content: String,
    /// In kebab-case, without duplicates.
    pub tags: Vec<String>,
    /// The project to which it belongs.
    pub project: Option<String>,
    /// The conversation from which it comes.
    pub context: Option<String>,
    /// 0–5.
    pub confidence: u8,
    /// Whether it is episodic or semantic.
    pub memory_type: MemoryType,
    /// The files that it is about; each path once.
    pub citations: Vec<Citation>,
}

/// An entry about to be stored; `core` has validated, checked and, if possible, embedded it.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEntry {
    /// The new entry's id.
    pub id: Ulid,
    /// Its content.
    pub content: EntryContent,
    /// The model and the vectors that it made; `None` when embeddings are off or failed.
    pub vectors: Option<(String, EntryVectors)>,
    /// When it was added.
    pub created_at: Timestamp,
    /// The client's key and the SHA-256 of the submitted content.
    pub idempotency: Option<IdempotencyKey>,
    /// Suggestions that involve it. A generalisation that is already pending is updated.
    pub suggestions: Vec<NewSuggestion>,
}

/// The quantised embeddings of an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryVectors {
    /// Of title and content; the first passage represents the entry as a whole.
    pub summary: Vec<u8>,
    /// Of the conversation from which it comes.
    pub context: Option<Vec<u8>>,
}

impl EntryVectors {
    /// Appends the passages of a context to those of a summary. Both begin with their number of
    /// dimensions (2 bytes); if these differ, the context is left out.
    pub(super) fn joined(mut summary: Vec<u8>, context: Option<&[u8]>) -> Vec<u8> {
        let context = context.and_then(|context| context.split_first_chunk::<2>());
        if let Some((dimensions, passages)) = context
            && summary.starts_with(dimensions)
        {
            summary.extend_from_slice(passages);
        }
        summary
    }
}

/// Vectors for an entry that is already stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEntryVectors {
    /// The entry.
    pub id: Ulid,
    /// The version of the text that was embedded, see [`Entry::version`].
    pub version: i64,
    /// The quantised embeddings.
    pub vectors: EntryVectors,
}

/// A stored entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its id.
    pub id: Ulid,
    /// Its content.
    pub content: EntryContent,
    /// Whether it is still valid.
    pub status: EntryStatus,
    /// How often it was shown.
    pub access_count: u64,
    /// What ranking uses, see [`NewCount::popularity`].
    pub popularity: u64,
    /// When it was last shown.
    pub last_accessed: Option<Timestamp>,
    /// When it was added.
    pub created_at: Timestamp,
    /// When its content or its status last changed.
    pub updated_at: Timestamp,
}

impl Entry {
    /// Returns a number that identifies the version of the entry: `updated_at` in microseconds.
    pub fn version(&self) -> i64 {
        self.updated_at.as_microsecond()
    }
}

/// Returns the time for a change: `now`, or the microsecond after `before` if the clock is behind.
pub fn changed_after(before: Timestamp, now: Timestamp) -> Timestamp {
    let later = before.checked_add(1.microseconds());
    later.map_or(now, |later| now.max(later))
}

/// What lists show of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryBrief {
    /// Its id.
    pub id: Ulid,
    /// Its type.
    pub kind: EntryType,
    /// Its title.
    pub title: String,
    /// The beginning of its content, at most [`EXCERPT_CHARS`] characters.
    pub excerpt: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its project.
    pub project: Option<String>,
    /// Whether it is still valid.
    pub status: EntryStatus,
    /// Whether it is episodic or semantic.
    pub memory_type: MemoryType,
    /// The files that it is about.
    pub citations: Vec<Citation>,
}

/// The maximum length of an excerpt, in characters.
pub const EXCERPT_CHARS: u32 = 20_000;

/// The properties of an entry by which searches filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryLabels {
    /// The entry.
    pub id: Ulid,
    /// Its type.
    pub kind: EntryType,
    /// Its project.
    pub project: Option<String>,
    /// Whether it is still valid.
    pub status: EntryStatus,
    /// Its text, if that is short.
    pub short: Option<super::ShortText>,
}

/// An entry as it is indexed: its row, its status and its content.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedEntry {
    /// Everything but the texts; its vector holds the passages of summary and context.
    pub row: IndexRow,
    /// Whether it is still valid.
    pub status: EntryStatus,
    /// Its content.
    pub content: EntryContent,
}

/// A link about to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLink {
    /// The new link's id.
    pub id: Ulid,
    /// The entry at which it starts.
    pub source: Ulid,
    /// The entry at which it ends.
    pub target: Ulid,
    /// The relation of the two.
    pub relation: RelationType,
    /// When it was created.
    pub created_at: Timestamp,
}

/// A stored link, with the titles of its entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its id.
    pub id: Ulid,
    /// Id and title of the entry at which it starts.
    pub source: (Ulid, String),
    /// Id and title of the entry at which it ends.
    pub target: (Ulid, String),
    /// The relation of the two.
    pub relation: RelationType,
}

/// A link as an edge of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The entry at which it starts.
    pub source: Ulid,
    /// The entry at which it ends.
    pub target: Ulid,
    /// The relation of the two.
    pub relation: RelationType,
}

/// An experience and the entry that it was promoted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Promotion {
    /// The experience.
    pub experience: Uuid,
    /// The entry.
    pub entry: Ulid,
}

/// A suggestion about to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSuggestion {
    /// The new suggestion's id.
    pub id: Ulid,
    /// What it proposes.
    pub kind: SuggestionType,
    /// Two entries for a link, three or more for a generalisation.
    pub entries: Vec<Ulid>,
    /// 0–1.
    pub score: f64,
    /// The reason, as text.
    pub reason: String,
    /// When it was created.
    pub created_at: Timestamp,
}

/// A stored suggestion, with the titles of its entries, oldest first. Entries that no longer exist are
/// left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// Its id.
    pub id: Ulid,
    /// What it proposes.
    pub kind: SuggestionType,
    /// Whether it was decided, and how.
    pub status: SuggestionStatus,
    /// Ids and titles of the entries.
    pub entries: Vec<(Ulid, String)>,
    /// 0–1.
    pub score: f64,
    /// The reason, as text.
    pub reason: String,
    /// When it was created.
    pub created_at: Timestamp,
}

/// The decision about a suggestion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuggestionStatus {
    /// Not decided yet.
    Pending,
    /// Accepted.
    Accepted,
    /// Rejected; it is not suggested again.
    Rejected,
}

impl SuggestionStatus {
    /// Returns the word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
        }
    }
}

/// Entries for which a generalisation was suggested, and the decision about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// The suggestion.
    pub id: Ulid,
    /// The decision.
    pub status: SuggestionStatus,
    /// The entries.
    pub entries: Vec<Ulid>,
}

/// The data of a Markdown note that its entry does not contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The entry; its content is the note's text.
    pub entry: Ulid,
    /// The note's path in its folder, with `/`.
    pub path: String,
    /// Everything above the text, verbatim.
    pub head: String,
    /// The entry's `updated_at` at the time when the note was stored; the store sets it. While the two
    /// are equal, the entry has not changed since.
    pub updated_at: Timestamp,
}

/// New content for an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryUpdate {
    /// The entry.
    pub id: Ulid,
    /// The new content.
    pub content: EntryContent,
    /// The entry's `updated_at` that the caller has read.
    pub known: Timestamp,
    /// The time of the change.
    pub now: Timestamp,
}

/// A new status for an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryStatusChange {
    /// The entry.
    pub id: Ulid,
    /// The entry's `updated_at` that the caller has read; `None` accepts any.
    pub known: Option<Timestamp>,
    /// The new status.
    pub status: EntryStatus,
    /// The time of the change.
    pub now: Timestamp,
}

/// Entries that are stored together in one transaction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EntryBatch {
    /// The new entries.
    pub entries: Vec<NewEntry>,
    /// Changes of existing entries; their vectors are removed and created again later.
    pub updates: Vec<EntryUpdate>,
    /// When new entries last changed, if that differs from when they were added.
    pub changed: Vec<(Ulid, Timestamp)>,
    /// Those of the new and changed entries that become obsolete.
    pub obsolete: Vec<Ulid>,
    /// The notes from which all of these come.
    pub notes: Vec<Note>,
    /// Links from them and between them.
    pub links: Vec<NewLink>,
    /// The event for the audit list.
    pub event: Option<AuditEvent>,
}

/// The knowledge base of a database; see [`super::Store`] for what every method guarantees. An `event`
/// is stored in the transaction of its change, and only if anything changes.
#[async_trait]
pub trait KnowledgeStore: Send + Sync {
    /// Returns the `seq` of the last committed write of an entry; 0 if there is none.
    async fn entry_head_seq(&self) -> Result<u64>;
    /// Returns the same and the number of entries, read consistently.
    async fn entry_head_seq_and_size(&self) -> Result<(u64, u64)>;
    /// Stores an entry and returns its id; or returns the id stored before under the same idempotency
    /// key and content ([`super::StoreError::KeyReused`] with other content).
    async fn insert_entry(&self, new: NewEntry) -> Result<Ulid>;
    /// Stores the entry to which an experience is promoted. If the experience was promoted before,
    /// stores nothing and returns the earlier entry.
    async fn insert_promoted(&self, new: &NewEntry, experience: Uuid) -> Result<Option<Ulid>>;
    /// Returns the promotions whose entry or experience is among these ids.
    async fn promotions(&self, ids: &[Uuid]) -> Result<Vec<Promotion>>;
    /// Returns every experience that was promoted.
    async fn promoted(&self) -> Result<Vec<Uuid>>;
    /// Returns the entry with this id.
    async fn entry(&self, id: Ulid) -> Result<Option<Entry>>;
    /// Returns what lists show of the entries with these ids, in no particular order; unknown ids are
    /// left out.
    async fn entry_briefs(&self, ids: &[Ulid]) -> Result<Vec<EntryBrief>>;
    /// Returns id and title of up to `limit` entries whose ids begin with `prefix`, ordered by id.
    async fn entries_with_prefix(&self, prefix: &str, limit: u32) -> Result<Vec<(Ulid, String)>>;
    /// Returns up to `limit` entries written after `seq`, in commit order.
    async fn entries_after(&self, seq: u64, limit: u32) -> Result<Vec<IndexedEntry>>;
    /// Returns up to `limit` rows with `after < seq ≤ up_to`, in commit order, without texts.
    async fn entry_rows(&self, after: u64, up_to: u64, limit: u32) -> Result<Vec<IndexRow>>;
    /// Returns the labels of up to `limit` entries after the id, ordered by id.
    async fn entry_labels(&self, after: Ulid, limit: u32) -> Result<Vec<EntryLabels>>;
    /// Adds to the access counts of entries, and sets when they were last shown.
    async fn add_access_counts(&self, counts: &[NewCount], now: Timestamp) -> Result<()>;
    /// Returns the counts that were written at or after a point in time.
    async fn access_counts_since(&self, moment: Timestamp) -> Result<Vec<QueryCount>>;
    /// Returns those vectors of these entries that were made by the database's model.
    async fn entry_vectors(&self, ids: &[Ulid]) -> Result<Vec<(Ulid, EntryVectors)>>;
    /// Returns up to `limit` entries after the id that have no vectors of `model`, ordered by id.
    async fn entries_without_vectors(
        &self,
        model: &str,
        after: Ulid,
        limit: u32,
    ) -> Result<Vec<Entry>>;
    /// Returns how many entries have no vectors of `model`.
    async fn count_entries_without_vectors(&self, model: &str) -> Result<u64>;
    /// Stores vectors for entries that have none of the model and still have the version that was
    /// embedded; returns the ids of these entries. Every index sees them as new writes
    /// ([`super::StoreError::ModelReplaced`] if the database's model was replaced meanwhile).
    async fn put_entry_vectors(
        &self,
        model: &str,
        vectors: &[NewEntryVectors],
    ) -> Result<Vec<Ulid>>;
    /// Stores a link; a `supersedes` link makes its target obsolete, which every index sees as a new
    /// write ([`super::StoreError::LinkExists`], for a symmetric relation also if the link exists in the
    /// other direction; [`super::StoreError::LinkCycle`]; [`super::StoreError::EntryGone`]).
    async fn insert_link(&self, new: &NewLink, event: Option<&AuditEvent>) -> Result<()>;
    /// Returns the links that start or end at one of these entries, oldest first.
    async fn links_of(&self, ids: &[Ulid]) -> Result<Vec<Link>>;
    /// Returns every link, oldest first.
    async fn edges(&self) -> Result<Vec<Edge>>;
    /// Returns the titles of these entries, in no particular order; unknown ids are left out.
    async fn entry_titles(&self, ids: &[Ulid]) -> Result<Vec<(Ulid, String)>>;
    /// Stores link suggestions, except for pairs that are linked or for which a link was ever suggested;
    /// returns how many were stored.
    async fn insert_link_suggestions(&self, new: &[NewSuggestion]) -> Result<u64>;
    /// Returns every generalisation that was ever suggested for any of these entries.
    async fn clusters_of(&self, ids: &[Ulid]) -> Result<Vec<Cluster>>;
    /// Stores a generalisation. If one with its id is pending, adds the entries to it and replaces score
    /// and reason.
    async fn put_cluster(&self, new: &NewSuggestion) -> Result<()>;
    /// Returns the pending suggestions with the highest scores whose entries all exist, and the number
    /// of all such suggestions.
    async fn pending_suggestions(
        &self,
        kind: SuggestionType,
        limit: u32,
    ) -> Result<(Vec<Suggestion>, u64)>;
    /// Returns a suggestion of any status, and the number of entries that it was created with.
    async fn suggestion(&self, id: Ulid) -> Result<Option<(Suggestion, usize)>>;
    /// Accepts a pending suggestion and stores the resulting link unless it exists already; `false` if
    /// the suggestion is not pending any more ([`super::StoreError::EntryGone`]).
    async fn accept_suggestion(
        &self,
        id: Ulid,
        link: Option<&NewLink>,
        now: Timestamp,
        event: Option<&AuditEvent>,
    ) -> Result<bool>;
    /// Rejects a pending suggestion; `false` if it is not pending any more.
    async fn reject_suggestion(
        &self,
        id: Ulid,
        now: Timestamp,
        event: Option<&AuditEvent>,
    ) -> Result<bool>;
    /// Returns up to `limit` entries after the id, ordered by id.
    async fn entries_by_id(&self, after: Ulid, limit: u32) -> Result<Vec<Entry>>;
    /// Stores entries with their notes and links; existing links are skipped
    /// ([`super::StoreError::LinkCycle`]; [`super::StoreError::EntryGone`];
    /// [`super::StoreError::EntryChanged`]).
    async fn insert_entries(&self, batch: &EntryBatch) -> Result<()>;
    /// Sets the status of an entry, which every index sees as a new write if the status changes; returns
    /// the entry's `updated_at` ([`super::StoreError::EntryGone`],
    /// [`super::StoreError::EntryChanged`]).
    async fn set_entry_status(
        &self,
        change: &EntryStatusChange,
        event: Option<&AuditEvent>,
    ) -> Result<Timestamp>;
    /// Returns the notes from which these entries were imported, in no particular order.
    async fn notes(&self, ids: &[Ulid]) -> Result<Vec<Note>>;
    /// Returns the notes with a path, the oldest entry's first.
    async fn notes_at(&self, path: &str) -> Result<Vec<Note>>;
    /// Returns how many entries were written up to a `seq`.
    async fn entry_count(&self, up_to: u64) -> Result<u64>;
    /// Counts entries, links and suggestions.
    async fn knowledge_counts(&self) -> Result<KnowledgeCounts>;
    /// Counts links with a missing entry; 0 in a sound database. Reads whole tables.
    async fn broken_links(&self) -> Result<u64>;
    /// Returns up to `limit` entries after the id, ordered by id, with notes, promotions and their
    /// vectors of `model`.
    async fn stored_entries(
        &self,
        after: Ulid,
        model: Option<&str>,
        limit: u32,
    ) -> Result<Vec<StoredEntry>>;
    /// Returns up to `limit` links after the id, ordered by id.
    async fn stored_links(&self, after: Ulid, limit: u32) -> Result<Vec<NewLink>>;
    /// Returns up to `limit` suggestions after the id, ordered by id.
    async fn stored_suggestions(&self, after: Ulid, limit: u32) -> Result<Vec<StoredSuggestion>>;
    /// Stores records unchanged, in this order, and their vectors as vectors of `model` (no vectors if
    /// `None`); returns the outcome of each. Existing records are not changed.
    async fn import_knowledge(
        &self,
        model: Option<&str>,
        records: &[KnowledgeRecord],
    ) -> Result<Vec<KnowledgeImport>>;
}
