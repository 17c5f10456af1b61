//! Outcomes: whether an experience helped, and what the outcomes of an experience add up to.
//!
//! These types only give the shapes; the server rejects unknown arguments and invalid values.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The limits of `report_outcome`; lengths count characters, not bytes.
pub mod outcome_limits {
    /// The maximum length of a note.
    pub const MAX_NOTE_CHARS: usize = 500;
    /// The maximum length of the id of a recall.
    pub const MAX_RECALL_ID_CHARS: usize = 64;
}

/// The `_meta` key by which a call of `query_experiences` or `recall` asks for the standings of its results, and
/// under which the result's `_meta` returns them.
///
/// *Shape*: `true` in the call, a [`RecallStandings`] in the result.
pub const RECALL_META: &str = "io.recallkit/recall";

/// The `_meta` key by which a call of `report_outcome` says on what its outcome is based.
///
/// *Shape*: an [`Evidence`]; without it the agent itself reports.
pub const EVIDENCE_META: &str = "io.recallkit/evidence";

/// What came of using an experience.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum OutcomeKind {
    /// Its solution solved the problem as it stands.
    Worked,
    /// Its solution solved the problem after changes.
    WorkedWithChanges,
    /// Its solution did not solve the problem.
    DidNotWork,
    /// The problem was another one.
    NotApplicable,
}

impl OutcomeKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [
        Self::Worked,
        Self::WorkedWithChanges,
        Self::DidNotWork,
        Self::NotApplicable,
    ];

    /// Returns the word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Worked => "worked",
            Self::WorkedWithChanges => "worked_with_changes",
            Self::DidNotWork => "did_not_work",
            Self::NotApplicable => "not_applicable",
        }
    }

    /// Returns the kind with this word on the wire.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == word)
    }
}

/// On what an outcome is based.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// A person says so.
    Person,
    /// An agent says so.
    #[default]
    Agent,
    /// A program saw that the failing command works again.
    Observed,
}

impl Evidence {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Person, Self::Agent, Self::Observed];

    /// Returns the word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Agent => "agent",
            Self::Observed => "observed",
        }
    }

    /// Returns the evidence with this word on the wire.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == word)
    }
}

/// The arguments of `report_outcome`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ReportOutcomeRequest {
    /// The experience's id, or the beginning of it.
    pub experience_id: String,
    /// What came of it.
    pub outcome: OutcomeKind,
    /// A note for people; no secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 500))]
    pub note: Option<String>,
    /// The id that a query returned in its `_meta`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recall_id: Option<String>,
}

/// The `data` in the answer of `report_outcome`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReportOutcomeData {
    /// The outcome's UUID.
    pub id: String,
    /// The experience's UUID.
    pub experience_id: String,
    /// Whether the outcome can move the experience among other results. Outcomes of authors and of callers without
    /// a key are shown, but move nothing.
    pub counted: bool,
    /// What all outcomes of the experience add up to now.
    pub standing: Standing,
}

/// What the outcomes of an experience add up to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Standing {
    /// How often it worked as it stands.
    pub worked: u64,
    /// How often it worked after changes.
    pub worked_with_changes: u64,
    /// How often it did not work.
    pub did_not_work: u64,
    /// How many users, keys or networks said so; each is one voice, however often it reports.
    pub voices: u64,
    /// When the last outcome was reported: ISO 8601, UTC.
    pub last_at: String,
    /// A word for it.
    pub state: StandingState,
}

/// A word for a standing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StandingState {
    /// Nobody said yet whether it works.
    New,
    /// It was tried in the last 180 days, and the voices agree.
    Fresh,
    /// Nobody has said for 180 days that it works.
    Ageing,
    /// Nobody has said for 180 days that it works, and it failed since.
    Stale,
    /// It works for some and not for others.
    Contested,
}

impl StandingState {
    /// Returns the word on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Fresh => "fresh",
            Self::Ageing => "ageing",
            Self::Stale => "stale",
            Self::Contested => "contested",
        }
    }
}

/// The id of a recall, and the standings of its experiences.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecallStandings {
    /// The id to pass to `report_outcome` as `recall_id`: a UUID.
    pub recall_id: String,
    /// By the experience's UUID; an experience without outcomes has none.
    pub standings: BTreeMap<String, Standing>,
}
