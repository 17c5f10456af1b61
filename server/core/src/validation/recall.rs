//! The validation rules of `recall`.

use recall_kit_shared_types::{
    ErrorBody, ErrorCode, applicability::Environment, knowledge::knowledge_limits::MAX_NAME_CHARS,
    recall::recall_limits,
};
use serde_json::Value;

use super::{
    Problems, applicability,
    entries::{limit, project, query},
};

/// A question that passed validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recall {
    /// The search text; not blank.
    pub query: String,
    /// Only entries of this project; all when `None`.
    pub project: Option<String>,
    /// Only documentation of this library; all when `None`.
    pub library: Option<String>,
    /// The most results, 1–10.
    pub limit: u32,
    /// The environment of the one who asks, from the call's `_meta`.
    pub environment: Environment,
}

/// The arguments of `recall`, of the right types.
#[derive(Debug, Default)]
pub struct RecallInput {
    /// Required.
    pub query: Option<String>,
    /// Optional.
    pub project: Option<String>,
    /// Optional.
    pub library: Option<String>,
    /// Should be a whole number, 1–10.
    pub limit: Option<Value>,
    /// From the call's `_meta`; should be an [`Environment`].
    pub environment: Option<Value>,
}

/// Validates a question.
///
/// *Errors*: `MISSING_REQUIRED_FIELDS`, `INVALID_LIMIT`, or `VALIDATION_ERROR` for everything else and for
/// several problems at once.
pub fn validate_recall(input: RecallInput) -> Result<Recall, Box<ErrorBody>> {
    let mut problems = Problems::default();
    let query = query(input.query, &mut problems);
    let limit = limit(input.limit, recall_limits::LIMIT).unwrap_or_else(|message| {
        problems.add(ErrorCode::InvalidLimit, "limit", message);
        0
    });
    let project = project(input.project, &mut problems);
    let library = input.library.filter(|name| !name.trim().is_empty());
    if library
        .as_ref()
        .is_some_and(|name| name.chars().count() > MAX_NAME_CHARS)
    {
        let message = format!("library must not be longer than {MAX_NAME_CHARS} characters");
        problems.add(ErrorCode::ValidationError, "library", message);
    }
    let environment = applicability::environment(input.environment, &mut problems);
    Ok(problems.or(Recall {
        environment,
        query,
        project,
        library,
        limit,
    })?)
}
