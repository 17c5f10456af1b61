//! What the store keeps of the knowledge base: entries, links between them, suggestions.

pub(crate) mod short_text;

use async_trait::async_trait;
use jiff::{Timestamp, ToSpan as _};
use recall_kit_shared_types::knowledge::{
    EntryStatus, EntryType, MemoryType, RelationType, SuggestionType,
};
use ulid::Ulid;
use uuid::Uuid;

use super::{
    AuditEvent, IdempotencyKey, IndexRow, KnowledgeCounts, KnowledgeImport, KnowledgeRecord,
    NewCount, QueryCount, Result, StoredEntry, StoredSuggestion,
};

/// What somebody wrote down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryContent {
    /// What it is.
    pub kind: EntryType,
    /// 1–100 characters.
    pub title: String,
    /// May be empty.
    pub content: String,
    /// In kebab-case, without duplicates.
    pub tags: Vec<String>,
    /// The project it belongs to.
    pub project: Option<String>,
    /// The conversation it comes from.
    pub context: Option<String>,
    /// 0–5.
    pub confidence: u8,
    /// What kind of memory it is.
    pub memory_type: MemoryType,
}

/// An entry about to be stored; `core` has validated, checked and, if possible, embedded it.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEntry {
    /// The new entry's id.
    pub id: Ulid,
    /// What it says.
    pub content: EntryContent,
    /// Its vectors and the model that made them; none when embeddings are off or failed.
    pub vectors: Option<(String, EntryVectors)>,
    /// When it was added.
    pub created_at: Timestamp,
    /// The client's key and the SHA-256 of what it added.
    pub idempotency: Option<IdempotencyKey>,
    /// What is suggested about it; a pending generalisation grows.
    pub suggestions: Vec<NewSuggestion>,
}

/// The quantised embeddings of an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryVectors {
    /// Of title and content; the first passage stands for the entry as a whole.
    pub summary: Vec<u8>,
    /// Of the conversation that it comes from.
    pub context: Option<Vec<u8>>,
}

impl EntryVectors {
    /// Puts the passages of a context behind those of a summary; both begin with their dimensions,
    /// which are the same where one model made them.
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
    /// What it says.
    pub content: EntryContent,
    /// Whether it still holds.
    pub status: EntryStatus,
    /// How often it was shown.
    pub access_count: u64,
    /// What its rank is made of, see [`NewCount::popularity`].
    pub popularity: u64,
    /// When it was last shown.
    pub last_accessed: Option<Timestamp>,
    /// When it was added.
    pub created_at: Timestamp,
    /// When what it says or its status changed.
    pub updated_at: Timestamp,
}

impl Entry {
    /// Returns what tells a version of the entry from every earlier one.
    pub fn version(&self) -> i64 {
        self.updated_at.as_microsecond()
    }
}

/// Returns a moment for a change that comes after another one, whatever the clock says.
pub fn changed_after(before: Timestamp, now: Timestamp) -> Timestamp {
    let later = before.checked_add(1.microseconds());
    later.map_or(now, |later| now.max(later))
}

/// What lists show of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryBrief {
    /// Its id.
    pub id: Ulid,
    /// What it is.
    pub kind: EntryType,
    /// Its title.
    pub title: String,
    /// The beginning of its content, [`EXCERPT_CHARS`] at most.
    pub excerpt: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its project.
    pub project: Option<String>,
    /// Whether it still holds.
    pub status: EntryStatus,
    /// What kind of memory it is.
    pub memory_type: MemoryType,
}

/// The most characters of an excerpt.
pub const EXCERPT_CHARS: u32 = 20_000;

/// What searches filter entries by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryLabels {
    /// The entry.
    pub id: Ulid,
    /// What it is.
    pub kind: EntryType,
    /// Its project.
    pub project: Option<String>,
    /// Whether it still holds.
    pub status: EntryStatus,
    /// What it says, where that is short.
    pub short: Option<super::ShortText>,
}

/// An entry as the index takes it in: its row, its labels and its texts.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedEntry {
    /// Everything but the texts; its vector holds the passages of summary and context.
    pub row: IndexRow,
    /// Whether it still holds.
    pub status: EntryStatus,
    /// What it says.
    pub content: EntryContent,
}

/// A link about to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLink {
    /// The new link's id.
    pub id: Ulid,
    /// Where it starts.
    pub source: Ulid,
    /// Where it ends.
    pub target: Ulid,
    /// How they relate.
    pub relation: RelationType,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A stored link, with the titles at its ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its id.
    pub id: Ulid,
    /// Where it starts.
    pub source: (Ulid, String),
    /// Where it ends.
    pub target: (Ulid, String),
    /// How they relate.
    pub relation: RelationType,
}

/// A link as the graph has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// Where it starts.
    pub source: Ulid,
    /// Where it ends.
    pub target: Ulid,
    /// How they relate.
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
    /// Two entries of a link, three or more to be generalised.
    pub entries: Vec<Ulid>,
    /// 0–1.
    pub score: f64,
    /// Why, in words.
    pub reason: String,
    /// When it was made.
    pub created_at: Timestamp,
}

/// A stored suggestion, with the titles of its entries, oldest first; those that are gone are left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    /// Its id.
    pub id: Ulid,
    /// What it proposes.
    pub kind: SuggestionType,
    /// What was decided about it.
    pub status: SuggestionStatus,
    /// The entries.
    pub entries: Vec<(Ulid, String)>,
    /// 0–1.
    pub score: f64,
    /// Why, in words.
    pub reason: String,
    /// When it was made.
    pub created_at: Timestamp,
}

/// What was decided about a suggestion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SuggestionStatus {
    /// Nothing yet.
    Pending,
    /// It was accepted.
    Accepted,
    /// It was rejected, for good.
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

/// Entries of which a generalisation was suggested, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    /// The suggestion.
    pub id: Ulid,
    /// What was decided about it.
    pub status: SuggestionStatus,
    /// The entries.
    pub entries: Vec<Ulid>,
}

/// What an entry that came from a Markdown note does not keep itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The entry; its content is the note's text.
    pub entry: Ulid,
    /// Where the note lay in its folder, with `/`.
    pub path: String,
    /// Everything above the text, as it was written.
    pub head: String,
    /// When the entry last changed, as of the moment when it said what the note says; the store
    /// sets it.
    pub updated_at: Timestamp,
}

/// An entry that says something else from now on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryUpdate {
    /// The entry.
    pub id: Ulid,
    /// What it says now.
    pub content: EntryContent,
    /// When it last changed, as far as whoever changes it knows.
    pub known: Timestamp,
    /// When it changes.
    pub now: Timestamp,
}

/// An entry that holds, or does not hold any more, from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryStatusChange {
    /// The entry.
    pub id: Ulid,
    /// When it last changed, as far as whoever changes it knows; whenever that was where there is none.
    pub known: Option<Timestamp>,
    /// What it is from now on.
    pub status: EntryStatus,
    /// When it changes.
    pub now: Timestamp,
}

/// Entries that are stored together, or not at all.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EntryBatch {
    /// The new entries.
    pub entries: Vec<NewEntry>,
    /// Entries that are there and change; their vectors are made anew.
    pub updates: Vec<EntryUpdate>,
    /// When new entries last changed, where that is not when they were added.
    pub changed: Vec<(Ulid, Timestamp)>,
    /// Those of either that do not hold any more.
    pub obsolete: Vec<Ulid>,
    /// The notes that all of these come from.
    pub notes: Vec<Note>,
    /// Links from them and between them.
    pub links: Vec<NewLink>,
    /// What the audit list is to say of it.
    pub event: Option<AuditEvent>,
}

/// The knowledge base of a database; see [`super::Store`] for what every method keeps. An `event` is
/// stored in the transaction of the change that it tells of, and only if anything changes.
#[async_trait]
pub trait KnowledgeStore: Send + Sync {
    /// Returns the `seq` of the last committed write of an entry; 0 when there is none.
    async fn entry_head_seq(&self) -> Result<u64>;
    /// Returns the same and how many entries there are, as of one moment.
    async fn entry_head_seq_and_size(&self) -> Result<(u64, u64)>;
    /// Stores an entry and returns its id; or returns the id stored before under the same idempotency
    /// key and content ([`super::StoreError::KeyReused`] with other content).
    async fn insert_entry(&self, new: NewEntry) -> Result<Ulid>;
    /// Stores the entry that an experience is promoted to; or returns the entry that it was promoted
    /// to before, and stores nothing.
    async fn insert_promoted(&self, new: &NewEntry, experience: Uuid) -> Result<Option<Ulid>>;
    /// Returns the entries that experiences were promoted to, those of which the entry or the
    /// experience is among these.
    async fn promotions(&self, ids: &[Uuid]) -> Result<Vec<Promotion>>;
    /// Returns every experience that was promoted.
    async fn promoted(&self) -> Result<Vec<Uuid>>;
    /// Returns the entry with this id.
    async fn entry(&self, id: Ulid) -> Result<Option<Entry>>;
    /// Returns the entries with these ids in short, in no particular order; unknown ids are left out.
    async fn entry_briefs(&self, ids: &[Ulid]) -> Result<Vec<EntryBrief>>;
    /// Returns id and title of up to `limit` entries whose ids begin like this, ordered by id.
    async fn entries_with_prefix(&self, prefix: &str, limit: u32) -> Result<Vec<(Ulid, String)>>;
    /// Returns up to `limit` entries written after `seq`, in commit order.
    async fn entries_after(&self, seq: u64, limit: u32) -> Result<Vec<IndexedEntry>>;
    /// Returns up to `limit` rows with `after < seq ≤ up_to`, in commit order, without texts.
    async fn entry_rows(&self, after: u64, up_to: u64, limit: u32) -> Result<Vec<IndexRow>>;
    /// Returns the labels of up to `limit` entries after the id, ordered by id.
    async fn entry_labels(&self, after: Ulid, limit: u32) -> Result<Vec<EntryLabels>>;
    /// Adds to the access counts of entries, and sets when they were last shown.
    async fn add_access_counts(&self, counts: &[NewCount], now: Timestamp) -> Result<()>;
    /// Returns the counts that were written at or after a moment.
    async fn access_counts_since(&self, moment: Timestamp) -> Result<Vec<QueryCount>>;
    /// Returns the vectors of these entries that are of the database's model.
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
    /// Stores vectors for entries that have none of the model and are still at the version that was
    /// embedded; returns which these are. Every index sees them as new writes
    /// ([`super::StoreError::ModelReplaced`] when the database has another model by now).
    async fn put_entry_vectors(
        &self,
        model: &str,
        vectors: &[NewEntryVectors],
    ) -> Result<Vec<Ulid>>;
    /// Stores a link; one that supersedes makes its target obsolete, which every index sees as a new
    /// write ([`super::StoreError::LinkExists`], also the other way round where a kind has no
    /// direction; [`super::StoreError::Circle`]; [`super::StoreError::EntryGone`]).
    async fn insert_link(&self, new: &NewLink, event: Option<&AuditEvent>) -> Result<()>;
    /// Returns the links that start or end at one of these entries, oldest first.
    async fn links_of(&self, ids: &[Ulid]) -> Result<Vec<Link>>;
    /// Returns every link, oldest first.
    async fn edges(&self) -> Result<Vec<Edge>>;
    /// Returns the titles of these entries, in no particular order; unknown ids are left out.
    async fn entry_titles(&self, ids: &[Ulid]) -> Result<Vec<(Ulid, String)>>;
    /// Stores link suggestions, those left out whose entries are linked or about which a suggestion
    /// was ever made; returns how many were stored.
    async fn insert_link_suggestions(&self, new: &[NewSuggestion]) -> Result<u64>;
    /// Returns every generalisation that was ever suggested of any of these entries.
    async fn clusters_of(&self, ids: &[Ulid]) -> Result<Vec<Cluster>>;
    /// Stores a generalisation, or replaces entries, score and reason of the pending one with its id.
    async fn put_cluster(&self, new: &NewSuggestion) -> Result<()>;
    /// Returns the best pending suggestions of which all entries are there, and how many there are.
    async fn pending_suggestions(
        &self,
        kind: SuggestionType,
        limit: u32,
    ) -> Result<(Vec<Suggestion>, u64)>;
    /// Returns a suggestion, whatever was decided about it, and how many entries it was made of.
    async fn suggestion(&self, id: Ulid) -> Result<Option<(Suggestion, usize)>>;
    /// Accepts a pending suggestion and stores the link that comes of it, where there is none yet;
    /// `false` when it is not pending any more ([`super::StoreError::EntryGone`]).
    async fn accept_suggestion(
        &self,
        id: Ulid,
        link: Option<&NewLink>,
        now: Timestamp,
        event: Option<&AuditEvent>,
    ) -> Result<bool>;
    /// Rejects a pending suggestion; `false` when it is not pending any more.
    async fn reject_suggestion(
        &self,
        id: Ulid,
        now: Timestamp,
        event: Option<&AuditEvent>,
    ) -> Result<bool>;
    /// Returns up to `limit` entries after the id, ordered by id.
    async fn entries_by_id(&self, after: Ulid, limit: u32) -> Result<Vec<Entry>>;
    /// Stores entries with their notes and links; a link that is there already is passed over
    /// ([`super::StoreError::Circle`]; [`super::StoreError::EntryGone`];
    /// [`super::StoreError::EntryChanged`]).
    async fn insert_entries(&self, batch: &EntryBatch) -> Result<()>;
    /// Lets an entry hold, or not hold any more, which every index sees as a new write where it changes
    /// anything; returns when the entry last changed ([`super::StoreError::EntryGone`],
    /// [`super::StoreError::EntryChanged`]).
    async fn set_entry_status(
        &self,
        change: &EntryStatusChange,
        event: Option<&AuditEvent>,
    ) -> Result<Timestamp>;
    /// Returns the notes that these entries came from, in no particular order.
    async fn notes(&self, ids: &[Ulid]) -> Result<Vec<Note>>;
    /// Returns the notes that lay at a path, the oldest entry's first.
    async fn notes_at(&self, path: &str) -> Result<Vec<Note>>;
    /// Returns how many entries were written up to a `seq`.
    async fn entry_count(&self, up_to: u64) -> Result<u64>;
    /// Counts what there is.
    async fn knowledge_counts(&self) -> Result<KnowledgeCounts>;
    /// Counts the links of which an entry is missing, none in a sound database; reads whole tables.
    async fn broken_links(&self) -> Result<u64>;
    /// Returns up to `limit` entries after the id, ordered by id, whole, with their vectors of `model`.
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
    /// Stores records as they come, in their order, vectors as those of `model` (none: without); says
    /// for each what became of it. What is there stays as it is.
    async fn import_knowledge(
        &self,
        model: Option<&str>,
        records: &[KnowledgeRecord],
    ) -> Result<Vec<KnowledgeImport>>;
}
