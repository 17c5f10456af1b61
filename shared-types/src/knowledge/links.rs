//! Suggestions and links: requests and answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{RelationType, SuggestionType};

/// An entry's id and title.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EntryName {
    /// Its ULID.
    pub id: String,
    /// Its title.
    pub title: String,
}

/// The arguments of `rekall_suggest_links` and `rekall_suggest_generalize`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SuggestRequest {
    /// How many suggestions
    #[schemars(range(min = 1, max = 50), extend("default" = 10))]
    pub limit: Option<u32>,
}

/// The answer of `rekall_suggest_links`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SuggestLinksData {
    /// The best suggestions, best first.
    pub suggestions: Vec<LinkSuggestion>,
    /// How many suggestions are pending in all.
    pub total_pending: u64,
}

/// A suggested link that is not decided yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LinkSuggestion {
    /// A ULID.
    pub id: String,
    /// The older entry.
    pub entry_a: EntryName,
    /// The newer entry.
    pub entry_b: EntryName,
    /// 0.75–1: how alike they are.
    pub score: f64,
    /// Why, in words.
    pub reason: String,
    /// ISO 8601, UTC.
    #[schemars(extend("format" = "date-time"))]
    pub created_at: String,
}

/// The answer of `rekall_suggest_generalize`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SuggestGeneralizeData {
    /// The best suggestions, best first.
    pub suggestions: Vec<GeneralizeSuggestion>,
    /// How many suggestions are pending in all.
    pub total_pending: u64,
}

/// Entries that one semantic entry could stand for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GeneralizeSuggestion {
    /// A ULID.
    pub id: String,
    /// Three or more, oldest first.
    pub entries: Vec<EntryName>,
    /// 0.8–1: how alike they are on average.
    pub score: f64,
    /// Why, in words.
    pub reason: String,
    /// ISO 8601, UTC.
    #[schemars(extend("format" = "date-time"))]
    pub created_at: String,
}

/// The arguments of `rekall_link`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LinkRequest {
    /// The newer entry: ULID, or its first 5+ characters
    pub source_id: String,
    /// The entry it is linked to, likewise
    pub target_id: String,
    /// What the source is to the target
    #[schemars(extend("default" = "related"))]
    pub relation_type: Option<RelationType>,
}

/// The answer of `rekall_link`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LinkData {
    /// Always true.
    pub created: bool,
    /// The link's ULID.
    pub link_id: String,
    /// Where it starts.
    pub source: EntryName,
    /// Where it ends.
    pub target: EntryName,
    /// How they relate.
    pub relation_type: RelationType,
}

/// The arguments of `rekall_accept_suggestion` and `rekall_reject_suggestion`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DecideRequest {
    /// As listed by rekall_suggest_links or rekall_suggest_generalize
    pub suggestion_id: String,
}

/// The answer of `rekall_accept_suggestion`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AcceptData {
    /// Always true.
    pub accepted: bool,
    /// What the suggestion proposed.
    pub suggestion_type: SuggestionType,
    /// What was done, in words.
    pub action_taken: String,
    /// The link that was created, if one was suggested.
    pub link_created: Option<CreatedLink>,
    /// The command that creates the semantic entry, if one was suggested.
    pub generalize_command: Option<String>,
}

/// The ends of a link that was created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CreatedLink {
    /// Where it starts.
    pub source_id: String,
    /// Where it ends.
    pub target_id: String,
}

/// The answer of `rekall_reject_suggestion`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RejectData {
    /// Always true.
    pub rejected: bool,
    /// The suggestion's id.
    pub suggestion_id: String,
}
