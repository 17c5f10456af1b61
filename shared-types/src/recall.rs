//! `recall`: one question to experiences, knowledge and documentation at once.
//!
//! The answer is a plain object, without an envelope; a failure is [`crate::knowledge::KnowledgeFailure`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The limits of the tool.
pub mod recall_limits {
    /// The default and the maximum number of results.
    pub const LIMIT: (u32, u32) = (5, 10);
    /// The most cl100k tokens of an answer, counted over its JSON. An answer always has its best result.
    pub const MAX_TOKENS: u32 = 600;
    /// The lowest relevance of a result: less relevant ones help too rarely to be worth their tokens.
    pub const LEAST_SCORE: f64 = 0.05;
}

/// The arguments of `recall`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecallRequest {
    /// An error message, keywords or a question
    pub query: String,
    /// Only knowledge of this project
    pub project: Option<String>,
    /// Only documentation of this library
    pub library: Option<String>,
    /// Results
    #[schemars(range(min = 1, max = 10), extend("default" = 5))]
    pub limit: Option<u32>,
}

/// The answer of `recall`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecallData {
    /// The query.
    pub query: String,
    /// The best results of all families, best first.
    pub results: Vec<RecallResult>,
    /// What to do next.
    pub hint: String,
}

/// A result, in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecallResult {
    /// What it is.
    pub family: RecallFamily,
    /// The beginning of an id, or the file and line of documentation.
    pub id: String,
    /// Its title.
    pub title: String,
    /// About 100 characters around the best hit.
    pub snippet: String,
    /// 0–1: how well it fits the query; comparable between families.
    pub score: f64,
    /// The call that returns all of it.
    pub open: ToolCall,
    /// For an experience: how it fits the environment of the one who asks, if that is known; the client adds it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fits: Option<String>,
}

/// The kind of memory that a result comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RecallFamily {
    /// A problem that somebody solved.
    Experience,
    /// An entry of the knowledge base.
    Knowledge,
    /// A section of a library's documentation.
    Library,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCall {
    /// The tool's name.
    pub tool: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
}
