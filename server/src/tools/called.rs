//! What is noted about every call of a tool: a line in the log.
//!
//! Never arguments or answers: they are the users'.

use std::{borrow::Cow, time::Duration};

use serde_json::Value;

use super::{CallError, Outcome, ToolDef, shown};

/// A call that was made.
pub(super) struct Called<'a> {
    name: Cow<'a, str>,
}

impl<'a> Called<'a> {
    /// Notes which tool was asked for; a name that no tool has is quoted.
    pub(super) fn of(asked: &str, tool: Option<&'a ToolDef>) -> Self {
        let name = match tool {
            Some(tool) => Cow::Borrowed(tool.name.as_str()),
            None => Cow::Owned(format!("{:?}", shown(asked))),
        };
        Self { name }
    }

    /// Logs what became of it.
    pub(super) fn note(&self, outcome: &Result<Outcome, CallError>, took: Duration) {
        let Self { name } = self;
        let duration = format_args!("{:.3}s", took.as_secs_f64());
        match failure(outcome) {
            None => tracing::info!(%duration, "Tool called: {name}"),
            Some(error) => tracing::info!(%duration, error, "Tool called: {name}"),
        }
    }
}

/// Returns the code of a failure in one word, such as `INVALID_LIMIT` or `TOOL_NOT_FOUND`.
fn failure(outcome: &Result<Outcome, CallError>) -> Option<String> {
    match outcome {
        Ok(Outcome {
            is_error: false, ..
        }) => None,
        Ok(outcome) => Some(code(outcome).unwrap_or_else(|| "FAILED".to_owned())),
        Err(error) => Some(error.cause.message().to_uppercase().replace(' ', "_")),
    }
}

/// Returns the code of an envelope's error.
fn code(outcome: &Outcome) -> Option<String> {
    let envelope: Value = serde_json::from_str(outcome.structured.as_ref()?.get()).ok()?;
    Some(envelope.pointer("/error/code")?.as_str()?.to_owned())
}
