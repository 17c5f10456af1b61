//! Requests and answers of the experiences family.
//!
//! These types only give the shapes; the server rejects unknown arguments and invalid values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The contract's limits; lengths count characters, not bytes.
pub mod limits {
    /// The maximum length of a query's keywords.
    pub const MAX_QUERY_CHARS: usize = 10_000;
    /// The page size when the request gives none.
    pub const DEFAULT_LIMIT: u32 = 10;
    /// The largest page size.
    pub const MAX_LIMIT: u32 = 50;
    /// The maximum length of a title.
    pub const MAX_TITLE_CHARS: usize = 500;
    /// The maximum number of keywords of one record.
    pub const MAX_KEYWORDS: usize = 100;
    /// The maximum length of one keyword.
    pub const MAX_KEYWORD_CHARS: usize = 100;
}

/// The arguments of `query_experiences`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct QueryExperiencesRequest {
    /// What to look for: keywords, an error message or a question, in any language.
    #[schemars(length(min = 1, max = 10_000))]
    pub keywords: String,
    /// How many records to return, 1–50.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 50), extend("default" = 10))]
    pub limit: Option<u32>,
    /// How many of the best records to skip, for the next page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), extend("default" = 0))]
    pub offset: Option<u32>,
}

/// The `data` in the answer of `query_experiences`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QueryExperiencesData {
    /// The page, best first.
    pub experiences: Vec<ExperienceRecord>,
    /// How many records match in all, exactly.
    pub total: u64,
    /// The page size that was used.
    pub limit: u32,
    /// The offset that was used.
    pub offset: u32,
}

/// A solved problem, as it is stored and found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExperienceRecord {
    /// A UUID.
    pub id: String,
    /// The problem in one line.
    pub title: String,
    /// What happened.
    pub problem_description: String,
    /// Why it happened, when known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root_cause: Option<String>,
    /// What solved it.
    pub solution: String,
    /// Versions, surroundings, sanitized code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Lower-case, trimmed, without duplicates.
    pub keywords: Vec<String>,
    /// How often queries returned this record.
    pub query_count: u64,
    /// ISO 8601, UTC.
    pub created_at: String,
    /// 0–1: how well the record fits the query.
    pub relevance_score: f64,
}

impl ExperienceRecord {
    /// Returns the size of its texts, in bytes, with those of its keywords.
    pub fn text_bytes(&self) -> usize {
        let optional = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        self.title.len()
            + self.problem_description.len()
            + optional(&self.root_cause)
            + self.solution.len()
            + optional(&self.context)
            + self.keywords.iter().map(String::len).sum::<usize>()
    }
}

/// The parts of a record's `relevance_score`, and what else decides its position.
///
/// `lexical`, `semantic` and `fingerprint` add up to it; records are ordered by `rank`, which is
/// `0.6 · relevance_score + 0.3 · popularity + 0.1 · recency`. Each has four decimal places.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RelevanceParts {
    /// The record's UUID.
    pub id: String,
    /// 0–1: the part that comes from words in common.
    pub lexical: f64,
    /// 0–1: the part that comes from similar meaning.
    pub semantic: f64,
    /// 0–1: the part that comes from the same error message.
    pub fingerprint: f64,
    /// 0–1: how many callers were shown or opened the record, on a logarithmic scale, times the
    /// relevance.
    pub popularity: f64,
    /// 0–1: 1 for a record of today and half as much for every 180 days, times the relevance.
    pub recency: f64,
    /// 0–1: the final score.
    pub rank: f64,
}

/// The arguments of `submit_experience`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SubmitExperienceRequest {
    /// The problem in one line.
    #[schemars(length(min = 1, max = 500))]
    pub title: String,
    /// The symptom, the error message.
    #[schemars(length(min = 1))]
    pub problem_description: String,
    /// Why it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub root_cause: Option<String>,
    /// What solved it.
    #[schemars(length(min = 1))]
    pub solution: String,
    /// Versions, surroundings, code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// In lower case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 100), inner(length(max = 100)))]
    pub keywords: Option<Vec<String>>,
}

/// The `data` in the answer of `submit_experience`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SubmitExperienceData {
    /// The record's UUID; that of an existing record if it has the same content.
    pub id: String,
    /// Always `published`: the record is found by the next query.
    pub status: PublicationStatus,
    /// One sentence for people.
    pub message: String,
    /// What the server changed in the submission: invisible characters that were removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The status of a submitted record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PublicationStatus {
    /// Stored and found by the next query.
    Published,
}
