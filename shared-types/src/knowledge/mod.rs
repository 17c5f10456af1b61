//! Requests and answers of the knowledge family: the nine `rekall_` tools.
//!
//! Answers are plain objects, without an envelope; a failure is [`KnowledgeFailure`]. The server
//! rejects unknown arguments and invalid values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

mod citations;
mod failure;
mod graph;
mod links;
mod words;

pub use self::{
    citations::{CITATIONS_META, Citation, CitedFile, FileState, citation_limits},
    failure::{KnowledgeError, KnowledgeFailure},
    graph::{GraphData, GraphEdge, GraphNode},
    links::{
        AcceptData, CreatedLink, DecideRequest, EntryName, GeneralizeSuggestion, LinkData,
        LinkRequest, LinkSuggestion, RejectData, SuggestGeneralizeData, SuggestLinksData,
        SuggestRequest,
    },
    words::{
        EntryStatus, EntryType, HelpTopic, MemoryType, RecordType, RelationType, SuggestionType,
        UnknownWord,
    },
};

/// The `_meta` key by which a call of `rekall_show` says that nobody reads the record: a program looks something up, which is
/// not counted as an opening.
///
/// *Shape*: a boolean.
pub const UNCOUNTED_META: &str = "io.recallkit/uncounted";

/// The limits of the family; lengths count characters unless they say bytes.
pub mod knowledge_limits {
    /// The maximum length of a title.
    pub const MAX_TITLE_CHARS: usize = 100;
    /// The maximum size of a content, in bytes.
    pub const MAX_CONTENT_BYTES: usize = 1_000_000;
    /// A context longer than this is cut to [`CUT_CONTEXT_CHARS`].
    pub const MAX_CONTEXT_CHARS: usize = 10_000;
    /// The length to which a context is cut that exceeds [`MAX_CONTEXT_CHARS`].
    pub const CUT_CONTEXT_CHARS: usize = 8_000;
    /// The maximum length of a query.
    pub const MAX_QUERY_CHARS: usize = 10_000;
    /// The maximum number of tags of one entry.
    pub const MAX_TAGS: usize = 50;
    /// The maximum length of a tag or of a project's name.
    pub const MAX_NAME_CHARS: usize = 100;
    /// The highest confidence of an entry.
    pub const MAX_CONFIDENCE: u8 = 5;
    /// The confidence of an entry when the request gives none.
    pub const DEFAULT_CONFIDENCE: u8 = 3;
    /// The minimum length of an id's prefix that may stand for the id.
    pub const MIN_PREFIX_CHARS: usize = 5;
    /// The default and the maximum number of results of a search.
    pub const SEARCH_LIMIT: (u32, u32) = (5, 20);
    /// The default and the maximum number of suggestions.
    pub const SUGGESTION_LIMIT: (u32, u32) = (10, 50);
}

/// The arguments of `rekall_help`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HelpRequest {
    /// One section
    #[schemars(extend("default" = "all"))]
    pub topic: Option<HelpTopic>,
}

/// The answer of `rekall_help`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HelpData {
    /// The guide, in Markdown.
    pub guide: String,
    /// The names of all sections.
    pub topics_available: Vec<String>,
}

/// The arguments of `rekall_search`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SearchRequest {
    /// Keywords, an error message or a question
    pub query: String,
    /// The conversation, to enrich the semantic search
    pub context: Option<String>,
    /// How many results
    #[schemars(range(min = 1, max = 20), extend("default" = 5))]
    pub limit: Option<u32>,
    /// All types if omitted
    pub r#type: Option<EntryType>,
    /// The project's exact name; all if omitted
    pub project: Option<String>,
}

/// The answer of `rekall_search`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchData {
    /// The query.
    pub query: String,
    /// How many entries match in all, exactly.
    pub total: u64,
    /// The best results, best first.
    pub results: Vec<SearchResult>,
    /// What to do next, and whether the context was cut.
    pub hint: String,
}

/// An entry that matches, in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchResult {
    /// The beginning of its id, long enough that no other visible entry has it: a whole id costs more
    /// tokens than its title. Every tool accepts it.
    pub id: String,
    /// What it is.
    pub r#type: RecordType,
    /// Its title.
    pub title: String,
    /// 0–1: how well it fits the query.
    pub score: f64,
    /// About 100 characters around the best hit.
    pub snippet: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// The entry that replaces it, in short; the entry itself is obsolete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// Entries that contradict it, in short.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contradicts: Vec<String>,
    /// The files that it is about, if the call requests them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<CitedFile>,
    /// Its project, with the files that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Cited files whose content differs in the caller's working tree; the client adds them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_files: Vec<String>,
    /// Cited files that are missing from the caller's working tree although other cited files are there; the client adds
    /// them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_files: Vec<String>,
}

/// The arguments of `rekall_add`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AddRequest {
    /// decision: chosen and why; pattern: how we do it; pitfall: what to avoid; bug: a known fault; reference: a fact
    pub r#type: EntryType,
    /// In one line
    #[schemars(length(max = 100))]
    pub title: String,
    /// Markdown; no secrets
    pub content: Option<String>,
    /// kebab-case, 2-5
    pub tags: Option<Vec<String>>,
    /// Its conversation; no secrets
    pub context: Option<String>,
    /// Its project; all if omitted
    pub project: Option<String>,
    /// 0 a guess, 5 certain
    #[schemars(range(min = 0, max = 5), extend("default" = 3))]
    pub confidence: Option<u8>,
    /// episodic: once; semantic: in general
    #[schemars(extend("default" = "episodic"))]
    pub memory_type: Option<MemoryType>,
}

/// The answer of `rekall_add`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AddData {
    /// The new entry's ULID.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What it is.
    pub r#type: EntryType,
    /// Always true.
    pub created: bool,
    /// Whether it can be found by meaning already.
    pub embeddings_calculated: bool,
    /// The entries most like it, best first.
    pub similar_entries: Vec<SimilarEntry>,
    /// How many suggestions were created or extended because of it.
    pub suggestions_created: u64,
    /// What the server changed in the request: tags that were normalised, a context that was cut.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// An entry that is like another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimilarEntry {
    /// Its ULID.
    pub id: String,
    /// Its title.
    pub title: String,
    /// 0.75–1: how alike they are.
    pub score: f64,
}

/// The arguments of `rekall_show`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ShowRequest {
    /// ULID, or its first 5+ characters
    pub id: String,
}

/// The answer of `rekall_show`: an entry as it is stored, or an experience in an entry's shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryData {
    /// A ULID.
    pub id: String,
    /// What it is.
    pub r#type: RecordType,
    /// Its title.
    pub title: String,
    /// Its text.
    pub content: String,
    /// Its tags, in kebab-case.
    pub tags: Vec<String>,
    /// The project it belongs to.
    pub project: Option<String>,
    /// How certain it is, 0–5.
    pub confidence: u8,
    /// Whether it still holds.
    pub status: EntryStatus,
    /// What kind of memory it is.
    pub memory_type: MemoryType,
    /// ISO 8601, UTC.
    #[schemars(extend("format" = "date-time"))]
    pub created_at: String,
    /// ISO 8601, UTC.
    #[schemars(extend("format" = "date-time"))]
    pub updated_at: String,
    /// When it was shown before, if it was. ISO 8601, UTC.
    #[schemars(extend("format" = "date-time"))]
    pub last_accessed: Option<String>,
    /// How often it was shown before.
    pub access_count: u64,
    /// 0–1: how well it is remembered.
    pub consolidation_score: f64,
    /// Which embeddings it has.
    pub embeddings: EntryEmbeddings,
    /// Its links in both directions.
    pub links: EntryLinks,
    /// The files of a repository that it is about, as they were when it was written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub citations: Vec<CitedFile>,
    /// For a turn of a conversation: the entries around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neighbours: Option<Neighbours>,
    /// The experience that it was promoted from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promoted_from: Option<EntryName>,
    /// For an experience: the entry that it was promoted to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promoted_to: Option<EntryName>,
}

/// The entries around one in its conversation: short ones of one project that were added within an hour of
/// each other, or with the same context.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Neighbours {
    /// Up to five before it, the earliest first.
    pub before: Vec<EntryName>,
    /// Up to five after it.
    pub after: Vec<EntryName>,
}

/// Which embeddings an entry has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EntryEmbeddings {
    /// Whether title and content are embedded.
    pub summary: bool,
    /// Whether the conversation that it comes from is embedded.
    pub context: bool,
}

/// The links of an entry.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EntryLinks {
    /// Those that it is the source of.
    pub outgoing: Vec<OutgoingLink>,
    /// Those that it is the target of.
    pub incoming: Vec<IncomingLink>,
}

/// A link to another entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutgoingLink {
    /// The other entry's ULID.
    pub target_id: String,
    /// Its title.
    pub target_title: String,
    /// How they relate.
    pub relation_type: RelationType,
}

/// A link from another entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IncomingLink {
    /// The other entry's ULID.
    pub source_id: String,
    /// Its title.
    pub source_title: String,
    /// How they relate.
    pub relation_type: RelationType,
}
