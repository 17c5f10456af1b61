//! Requests and answers of the libraries family: `search-libraries`, `get-library-docs` and
//! `ingest-library`.
//!
//! Answers are plain objects, without an envelope; a failure is [`crate::knowledge::KnowledgeFailure`].
//! The field names of `search-libraries` and `get-library-docs` are fixed. Optional fields that carry no
//! information are left out.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::knowledge::UnknownWord;

/// The limits of the family; lengths count characters, not bytes.
pub mod library_limits {
    /// The last page of an answer.
    pub const MAX_PAGE: u32 = 10;
    /// The number of documents on a page.
    pub const PAGE_SIZE: usize = 10;
    /// The maximum number of tokens of an answer when the request gives none; counted in cl100k, over
    /// the answer as JSON.
    pub const DEFAULT_TOKENS: u32 = 2_000;
    /// The smallest number of tokens that a request may ask for.
    pub const MIN_TOKENS: u32 = 200;
    /// The largest number of tokens that a request may ask for.
    pub const MAX_TOKENS: u32 = 20_000;
    /// The maximum length of a topic or of a library's name.
    pub const MAX_TOPIC_CHARS: usize = 1_000;
    /// The maximum number of topics, which are separated by commas.
    pub const MAX_TOPICS: usize = 10;
    /// The maximum number of libraries in an answer.
    pub const MAX_LIBRARIES: usize = 20;
    /// The maximum length of the name of a library or of a version.
    pub const MAX_NAME_CHARS: usize = 100;
    /// The maximum number of skipped files that an answer names with their reason.
    pub const MAX_REASONS: usize = 20;
    /// The maximum length of a library's description.
    pub const MAX_DESCRIPTION_CHARS: usize = 1_000;
}

/// The arguments of `search-libraries`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchLibrariesRequest {
    /// A name, part of one, or what the library is for; all libraries if omitted
    pub library_name: Option<String>,
}

/// The answer of `search-libraries`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchLibrariesData {
    /// The libraries that match, best first.
    pub libraries: Vec<LibraryMatch>,
}

/// A library that matches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LibraryMatch {
    /// The id that `get-library-docs` takes.
    pub library_id: u64,
    /// Its name.
    pub name: String,
    /// The versions besides the default one, newest first; empty where there is no other.
    pub versions: Vec<String>,
    /// The version to request unless another is wanted.
    pub default_version: String,
    /// What it is.
    pub description: String,
    /// How many chunks of documentation it has in all versions.
    pub snippets: u64,
    /// 0–1: how well it fits the request.
    pub score: f64,
    /// The day on which its newest documentation was ingested, as `2026-11-22`.
    pub updated: String,
    /// Whether the documentation was ingested so long ago that it may be out of date.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
}

/// The arguments of `ingest-library`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IngestLibraryRequest {
    /// The library, made if there is none of this name
    pub library_name: String,
    /// A web address: of a git repository, an archive, a file or an llms.txt; a path where allowed
    pub source: String,
    /// Replaced if it is there; the tag, else latest, if omitted
    pub version: Option<String>,
    /// The tag, branch or commit of a git repository
    pub at: Option<String>,
    /// Whether it becomes the default version
    pub make_default: Option<bool>,
    /// What the library is
    pub description: Option<String>,
}

/// The answer of `ingest-library`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct IngestLibraryData {
    /// The id that `get-library-docs` takes.
    pub library_id: u64,
    /// The version that was ingested.
    pub version: String,
    /// The commit, where the source is a git repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Files that belong to the version.
    pub files: u64,
    /// Of these, files that existed before and did not change.
    pub unchanged: u64,
    /// Chunks of documentation.
    pub chunks: u64,
    /// Of these, examples.
    pub examples: u64,
    /// Their tokens (cl100k).
    pub tokens: u64,
    /// How many files and folders were skipped.
    pub passed_over: u64,
    /// The first of these, each as `path: reason`; files that should have been read come first.
    pub reasons: Vec<String>,
}

/// A library as its resource shows it (`resources/read`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LibraryResource {
    /// The id that `get-library-docs` takes.
    pub id: u64,
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: String,
    /// Every version, the default one first, then the newest.
    pub versions: Vec<String>,
    /// The version to request unless another is wanted.
    pub default_version: String,
    /// How many chunks of documentation it has in all versions.
    pub snippets: u64,
}

/// What kind of documentation is wanted, or found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DocsMode {
    /// Examples.
    Code,
    /// Explanations.
    Info,
}

impl DocsMode {
    /// Both modes.
    pub const ALL: [Self; 2] = [Self::Code, Self::Info];

    /// Returns the word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Info => "info",
        }
    }
}

impl std::str::FromStr for DocsMode {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        let mut all = Self::ALL.into_iter();
        all.find(|known| known.as_str() == word).ok_or(UnknownWord)
    }
}

/// The arguments of `get-library-docs`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LibraryDocsRequest {
    /// Several topics: with commas
    pub topic: String,
    /// From search-libraries; all if omitted
    pub library_id: Option<u64>,
    /// All if omitted
    pub version: Option<String>,
    /// Both if omitted
    pub mode: Option<DocsMode>,
    /// Next where hasMore
    #[schemars(range(min = 1, max = 10), extend("default" = 1))]
    pub page: Option<u32>,
    /// Tokens (cl100k) of a page
    #[schemars(range(min = 200, max = 20_000), extend("default" = 2_000))]
    pub max_tokens: Option<u32>,
}

/// The answer of `get-library-docs`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LibraryDocsData {
    /// The library that was searched; missing when all were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library_id: Option<u64>,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library_name: Option<String>,
    /// The version that was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// A page of documents, best first: one for each section.
    pub documents: Vec<LibraryDocument>,
    /// Which page, 1–10.
    pub page: u32,
    /// Whether the next page has documents.
    pub has_more: bool,
    /// How many chunks have their vector; `None` once every chunk has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding_progress: Option<EmbeddingProgress>,
}

/// How many chunks of documentation have their vectors, over all libraries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EmbeddingProgress {
    /// The number of chunks that have a vector.
    pub embedded: u64,
    /// The number of all chunks.
    pub total: u64,
}

/// A section of documentation: an explanation with its examples in `content`, or examples of one
/// language in `code`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LibraryDocument {
    /// The library it belongs to, where all libraries were searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library_id: Option<u64>,
    /// The name of that library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library_name: Option<String>,
    /// The headings above it as `A > B > C`, or what the example shows.
    pub title: String,
    /// What the example does; for code only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The file it comes from, followed by `#L` and the line.
    pub source: String,
    /// The version it was found in.
    pub version: String,
    /// Whether it is an example or an explanation.
    pub mode: DocsMode,
    /// The language of the code, in lower case; for code only, empty where it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The code; for code only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The text, in Markdown; for explanations only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// How many tokens it has (cl100k).
    pub tokens: u32,
    /// 0–1: how well it fits the topic.
    pub relevance: f64,
    /// Whether its text is cut; it continues on the next page, if there is one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}
