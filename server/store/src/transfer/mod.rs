//! Records as they leave a database and come into another one: whole, with everything kept.

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
    /// Which version it is, and whether it is hidden or deleted.
    pub state: ExperienceState,
    /// Its quantised embedding, when it has one of the model in question.
    pub vector: Option<Vec<u8>>,
}

/// What became of an imported record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Import {
    /// It was stored.
    Stored,
    /// A record with its id was there already, this one, and was left alone.
    Existing(Box<Experience>),
}

/// An entry with everything that is kept of it but its links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEntry {
    /// The entry.
    pub entry: Entry,
    /// Its quantised embeddings, when it has some of the model in question.
    pub vectors: Option<EntryVectors>,
    /// The note that it came from.
    pub note: Option<StoredNote>,
    /// The experience that it was promoted from.
    pub experience: Option<Uuid>,
}

/// Where a note lay, and everything above its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredNote {
    /// Relative to the folder, with `/`.
    pub path: String,
    /// As it was written.
    pub head: String,
    /// See [`super::Note::updated_at`].
    pub updated_at: Timestamp,
}

/// A suggestion with what was decided about it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSuggestion {
    /// What was suggested.
    pub suggestion: NewSuggestion,
    /// What was decided.
    pub status: SuggestionStatus,
    /// When that was.
    pub decided_at: Option<Timestamp>,
}

/// A record of the knowledge base.
#[derive(Debug, Clone, PartialEq)]
pub enum KnowledgeRecord {
    /// An entry.
    Entry(Box<StoredEntry>),
    /// A link; its entries must be there before it.
    Link(NewLink),
    /// A suggestion.
    Suggestion(StoredSuggestion),
}

/// What became of an imported record of the knowledge base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KnowledgeImport {
    /// It was stored.
    Stored,
    /// It was there already: this link or suggestion, or another one about the same entries.
    Existing,
    /// An entry with its id was there already, this one, and was left alone.
    ExistingEntry(Box<Entry>),
    /// An entry that the link names is missing.
    EntryMissing,
    /// The link would close a circle with those that are there.
    Circle,
}

/// How much there is of the knowledge base.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KnowledgeCounts {
    /// Entries.
    pub entries: u64,
    /// Links between them.
    pub links: u64,
    /// Suggestions in all.
    pub suggestions: u64,
    /// Suggestions that nobody decided about.
    pub pending: u64,
}
