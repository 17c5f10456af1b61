//! Checks the raw arguments of `submit_experience`: their types, and that no argument is unknown.

use recall_kit_nearest::{hint, shown};
use recall_kit_shared_types::ErrorCode;
use serde_json::{Map, Value};

use super::{Problems, Submission, SubmissionInput, applicability, validate};

const FIELDS: [&str; 6] = [
    "title",
    "problem_description",
    "root_cause",
    "solution",
    "context",
    "keywords",
];
/// The most unknown arguments that one error names.
const MAX_UNKNOWN: usize = 20;

/// Validates the arguments of a submission; where it applies and `idempotency_key` come from the call's `_meta`.
///
/// *Errors*: `VALIDATION_ERROR` for arguments of the wrong type and for unknown ones, else as
/// [`super::validate_submission`].
pub fn validate_submission_arguments(
    mut arguments: Map<String, Value>,
    applies: Option<Value>,
    idempotency_key: Option<String>,
) -> Result<Submission, Problems> {
    let mut problems = Problems::default();
    refuse_unknown(&arguments, &FIELDS, &mut problems);
    let mut text = |name: &str| text(name, arguments.remove(name), &mut problems);
    let input = SubmissionInput {
        title: text("title"),
        problem_description: text("problem_description"),
        root_cause: text("root_cause"),
        solution: text("solution"),
        context: text("context"),
        keywords: texts("keywords", arguments.remove("keywords"), &mut problems),
        applies: applicability::decoded_applies(applies, &mut problems),
        idempotency_key,
    };
    validate(input, problems)
}

/// Rejects unknown arguments, naming the most similar known one.
pub(super) fn refuse_unknown(
    arguments: &Map<String, Value>,
    known: &[&str],
    problems: &mut Problems,
) {
    let unknown = arguments
        .keys()
        .filter(|name| !known.contains(&name.as_str()));
    for name in unknown.take(MAX_UNKNOWN) {
        let hint = hint(name, known);
        let shown = shown(name);
        let message = format!("Unknown argument `{shown}`; {hint}");
        problems.add(ErrorCode::ValidationError, shown, message);
    }
}

pub(super) fn text(name: &str, value: Option<Value>, problems: &mut Problems) -> Option<String> {
    match value {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(text),
        Some(other) => {
            mistyped(name, "a string", &other, problems);
            None
        }
    }
}

fn texts(name: &str, value: Option<Value>, problems: &mut Problems) -> Option<Vec<String>> {
    let items = match value {
        None | Some(Value::Null) => return None,
        Some(Value::Array(items)) => items,
        Some(other) => {
            mistyped(name, "a list of strings", &other, problems);
            return None;
        }
    };
    let mut texts = Vec::with_capacity(items.len());
    for (at, item) in items.into_iter().enumerate() {
        match item {
            Value::String(text) => texts.push(text),
            other => {
                mistyped(&format!("{name}[{at}]"), "a string", &other, problems);
                return None;
            }
        }
    }
    Some(texts)
}

pub(super) fn mistyped(name: &str, expected: &str, found: &Value, problems: &mut Problems) {
    let message = format!("{name} must be {expected}, not {}", kind_of(found));
    problems.add(ErrorCode::ValidationError, name, message);
}

/// Returns the kind of a JSON value, for messages.
pub fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
