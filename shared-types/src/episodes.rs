//! Episodes: how a failing command came to work again, or did not. Programs report them for statistics; they hold no
//! texts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The limits of `report_episode`.
pub mod episode_limits {
    /// The maximum length of the words, in characters.
    pub const MAX_WORD_CHARS: usize = 32;
    /// The largest count.
    pub const MAX_COUNT: u64 = 100_000;
    /// The longest episode, in milliseconds: 30 days.
    pub const MAX_MS: u64 = 30 * 24 * 60 * 60 * 1000;
}

/// The arguments of `report_episode`, which `tools/list` does not show: it is for programs beside an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ReportEpisodeRequest {
    /// A new UUID; an episode that is reported again is stored once.
    pub id: String,
    /// The id of the query whose results the agent was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recall_id: Option<String>,
    /// The program in which the agent runs: lower-case letters, digits and `-`.
    pub host: String,
    /// The program that failed: lower-case letters, digits and `-`.
    pub family: String,
    /// How often it failed, at least 1.
    pub failures: u64,
    /// Whether it worked in the end.
    pub recovered: bool,
    /// Milliseconds from the first failure to the end.
    pub ms: u64,
    /// The commands and edits in between.
    pub commands: u64,
}

/// The `data` in the answer of `report_episode`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReportEpisodeData {
    /// The episode's UUID.
    pub id: String,
    /// Whether it is kept: `false` if the server keeps no statistics, or has too many of the caller's today.
    pub kept: bool,
}
