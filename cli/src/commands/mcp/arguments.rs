//! The arguments of the program's own tools that write.

use recall_kit_client::Draft;
use serde::Deserialize;
use serde_json::Value;

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

impl Said {
    /// Says what is wrong with an answer and the fields that came with it: `edit` needs some, and
    /// with any other answer the text that waits would go out, not the one that came. Some agents
    /// send null for what they leave out.
    pub(super) fn misused_with(self, arguments: &Value) -> Option<String> {
        let is_given = |field: &&&str| arguments.get(**field).is_some_and(|it| !it.is_null());
        match (self, FIELDS.iter().find(is_given)) {
            (Self::Edit, None) => {
                let fields = FIELDS.join(", ");
                Some(format!("`edit` needs the fields that change, of {fields}"))
            }
            (Self::Confirm | Self::Cancel, Some(field)) => Some(format!(
                "`{field}` came with an answer that changes nothing; nothing was sent, and the draft \
                 still waits. To change it use `edit`, else leave the fields out"
            )),
            (Self::Edit, Some(_)) | (Self::Confirm | Self::Cancel, None) => None,
        }
    }
}

/// The fields of an experience.
const FIELDS: [&str; 6] = [
    "title",
    "problem_description",
    "root_cause",
    "solution",
    "context",
    "keywords",
];
