//! What is noted about every call of a tool: a line in the log, the counters, a span.
//!
//! Never arguments or answers: they are the users'.

use std::{borrow::Cow, time::Duration};

use tracing::Span;

use super::{CallError, Outcome, ToolDef, shown};
use crate::{app::App, telemetry::spans};

/// A call that was made.
pub(super) struct Called<'a> {
    asked: &'a str,
    tool: Option<&'static ToolDef>,
    span: Span,
}

impl<'a> Called<'a> {
    /// Notes which tool was asked for.
    pub(super) fn of(asked: &'a str, tool: Option<&'static ToolDef>) -> Self {
        Self {
            asked,
            tool,
            span: spans::tool_call(tool.map(|tool| tool.name.as_str())),
        }
    }

    /// Logs and counts what became of it.
    pub(super) fn note(&self, app: &App, outcome: &Result<Outcome, CallError>, took: Duration) {
        let error = failure(outcome);
        let known = self.tool.map(|tool| tool.name.as_str());
        app.metrics.tool_called(known, error, took);
        spans::called(&self.span, error);
        // Quoted, a name from outside cannot pass for the rest of the line.
        let name = known.map_or_else(
            || Cow::Owned(format!("{:?}", shown(self.asked))),
            Cow::Borrowed,
        );
        let duration = format_args!("{:.3}s", took.as_secs_f64());
        match error {
            None => tracing::info!(%duration, "Tool called: {name}"),
            Some(error) => tracing::info!(%duration, error, "Tool called: {name}"),
        }
    }
}

/// Returns the code of a failure, such as `INVALID_LIMIT` or `TOOL_NOT_FOUND`.
fn failure(outcome: &Result<Outcome, CallError>) -> Option<&str> {
    match outcome {
        Ok(outcome) if !outcome.is_error => None,
        Ok(outcome) => {
            let code = outcome.structured.pointer("/error/code");
            Some(code.and_then(|code| code.as_str()).unwrap_or("UNKNOWN"))
        }
        Err(error) => Some(error.cause.name()),
    }
}
