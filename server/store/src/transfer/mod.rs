//! Complete records for moving data from one database to another.

pub(crate) mod moving;

use jiff::Timestamp;
use uuid::Uuid;

use super::{
    Entry, EntryVectors, Experience, ExperienceState, NewLink, NewSuggestion, SuggestionStatus,
};

/// A record with its vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredExperience {
    /// The record.
    pub experience: Experience,
    /// Its version, and whether it is hidden or deleted.
    pub state: ExperienceState,
    /// Its quantised embedding, if it has one of the requested model.
    pub vector: Option<Vec<u8>>,
    /// The user or the key that submitted it, if that is known.
    pub author: Option<Uuid>,
}

/// The outcome of importing a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Import {
    /// It was stored.
    Stored,
    /// This record with the same id existed already and was not changed.
    Existing(Box<Experience>),
}

/// An entry with all its data except its links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEntry {
    /// The entry.
    pub entry: Entry,
    /// Its quantised embeddings, if it has some of the requested model.
    pub vectors: Option<EntryVectors>,
    /// The note from which it was imported.
    pub note: Option<StoredNote>,
    /// The experience from which it was promoted.
    pub experience: Option<Uuid>,
}

/// The path of a note, and everything above its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredNote {
    /// Relative to the folder, with `/`.
    pub path: String,
    /// Everything above the text, verbatim.
    pub head: String,
    /// See [`super::Note::updated_at`].
    pub updated_at: Timestamp,
}

/// A suggestion with the decision about it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSuggestion {
    /// The suggestion.
    pub suggestion: NewSuggestion,
    /// The decision.
    pub status: SuggestionStatus,
    /// When it was decided.
    pub decided_at: Option<Timestamp>,
}

/// A record of the knowledge base.
#[derive(Debug, Clone, PartialEq)]
pub enum KnowledgeRecord {
    /// An entry.
    Entry(Box<StoredEntry>),
    /// A link; its entries must be stored before it.
    Link(NewLink),
    /// A suggestion.
    Suggestion(StoredSuggestion),
}

/// The outcome of importing a record of the knowledge base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KnowledgeImport {
    /// It was stored.
    Stored,
    /// It existed already: this link or suggestion, or another one for the same entries.
    Existing,
    /// This entry with the same id existed already and was not changed.
    ExistingEntry(Box<Entry>),
    /// An entry of the link is missing.
    EntryMissing,
    /// The link would create a cycle with existing links.
    LinkCycle,
}

/// Number of records in the knowledge base.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KnowledgeCounts {
    /// Entries.
    pub entries: u64,
    /// Links between them.
    pub links: u64,
    /// All suggestions.
    pub suggestions: u64,
    /// Suggestions that are not decided yet.
    pub pending: u64,
}
