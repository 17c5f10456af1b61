//! The arguments of the program's own tools that write.

use recall_kit_client::{Draft, InvalidLine};
use serde::Deserialize;
use serde_json::Value;

use crate::applies;

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
    pub(super) applies_to: Option<Lines>,
    pub(super) conversation: Option<String>,
}

/// Lines in one text, or a list of them, which some agents send.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "`applies_to` is neither a string nor a list of strings"
)]
pub(super) enum Lines {
    Text(String),
    List(Vec<String>),
}

impl TryFrom<ShareArguments> for Draft {
    type Error = InvalidLine;

    fn try_from(arguments: ShareArguments) -> Result<Self, InvalidLine> {
        let applies = match arguments.applies_to {
            Some(Lines::Text(text)) => text,
            Some(Lines::List(lines)) => lines.join("\n"),
            None => String::new(),
        };
        Ok(Self {
            title: arguments.title.unwrap_or_default(),
            problem_description: arguments.problem_description.unwrap_or_default(),
            root_cause: arguments.root_cause,
            solution: arguments.solution.unwrap_or_default(),
            context: arguments.context,
            keywords: arguments.keywords.unwrap_or_default(),
            applies: applies::read(&applies)?,
        })
    }
}

/// The arguments of `confirm_experience`; the fields of the experience are read later.
#[derive(Deserialize)]
pub(super) struct ConfirmArguments {
    pub(super) draft_id: String,
    pub(super) answer: UserAnswer,
}

/// The user's answer, as the agent passes it on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum UserAnswer {
    Confirm,
    Cancel,
    Edit,
}

impl UserAnswer {
    /// Returns what is wrong with an answer and the fields that were sent with it. `edit` needs some. With
    /// any other answer fields are an error, because the waiting text would be sent without them. Some agents
    /// send null for fields that they leave out.
    pub(super) fn misuse_with(self, arguments: &Value) -> Option<String> {
        let is_given = |field: &&&str| arguments.get(**field).is_some_and(|it| !it.is_null());
        match (self, FIELDS.iter().find(is_given)) {
            (Self::Edit, None) => {
                let fields = FIELDS.join(", ");
                Some(format!(
                    "`edit` needs the fields to change, out of {fields}"
                ))
            }
            (Self::Confirm | Self::Cancel, Some(field)) => Some(format!(
                "`{field}` was given with an answer that does not change the draft; nothing was sent, and the draft \
                 is still waiting. Use `edit` to change it, or leave the fields out"
            )),
            (Self::Edit, Some(_)) | (Self::Confirm | Self::Cancel, None) => None,
        }
    }
}

/// The fields of an experience.
const FIELDS: [&str; 7] = [
    "title",
    "problem_description",
    "root_cause",
    "solution",
    "context",
    "keywords",
    APPLIES_TO,
];
/// The field with where the experience applies.
pub(super) const APPLIES_TO: &str = "applies_to";

/// Returns the lines about where an experience applies, which some agents send as a list.
pub(super) fn applies_to(arguments: &Value) -> Option<String> {
    match &arguments[APPLIES_TO] {
        Value::String(lines) => Some(lines.clone()),
        Value::Array(lines) => {
            let lines = lines.iter().filter_map(Value::as_str);
            Some(lines.collect::<Vec<_>>().join("\n"))
        }
        _ => None,
    }
}
