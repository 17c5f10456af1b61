//! The arguments of the program's own tools that write.

use recall_kit_client::Draft;
use serde::Deserialize;

/// The arguments of `share_experience`; some agents send null for what they leave out.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ShareArguments {
    pub(super) title: Option<String>,
    pub(super) problem_description: Option<String>,
    pub(super) root_cause: Option<String>,
    pub(super) solution: Option<String>,
    pub(super) context: Option<String>,
    pub(super) keywords: Option<Vec<String>>,
    pub(super) conversation: Option<String>,
}

impl From<ShareArguments> for Draft {
    fn from(given: ShareArguments) -> Self {
        Self {
            title: given.title.unwrap_or_default(),
            problem_description: given.problem_description.unwrap_or_default(),
            root_cause: given.root_cause,
            solution: given.solution.unwrap_or_default(),
            context: given.context,
            keywords: given.keywords.unwrap_or_default(),
        }
    }
}

/// The arguments of `confirm_experience`; the fields are read where they are needed.
#[derive(Deserialize)]
pub(super) struct ConfirmArguments {
    pub(super) draft_id: String,
    pub(super) answer: Said,
}

/// What the user said, as the agent passes it on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Said {
    Confirm,
    Cancel,
    Edit,
}

/// The fields of an experience.
pub(super) const FIELDS: [&str; 6] = [
    "title",
    "problem_description",
    "root_cause",
    "solution",
    "context",
    "keywords",
];
