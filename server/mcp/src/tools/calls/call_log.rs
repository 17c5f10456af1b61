//! What is noted about every call of a tool: a line in the log, the counters, a span.
//!
//! Never arguments or answers: they are the users'.

use std::{borrow::Cow, time::Duration};

use recall_kit_core::app::App;
use recall_kit_shared_types::ToolName;
use recall_kit_telemetry::spans;
use serde_json::Value;
use tracing::Span;

use crate::tools::{CallError, Outcome, ToolDef, shown};

/// A call that was made.
pub(crate) struct Called<'a> {
    asked: &'a str,
    tool: Option<&'a ToolDef>,
    span: Span,
}

impl<'a> Called<'a> {
    /// Notes which tool was asked for.
    pub(crate) fn of(asked: &'a str, tool: Option<&'a ToolDef>) -> Self {
        Self {
            asked,
            tool,
            span: spans::tool_call(tool.map(|tool| tool.name.as_str())),
        }
    }

    /// Logs and counts what became of it.
    pub(crate) fn note(&self, app: &App, outcome: &Result<Outcome, CallError>, took: Duration) {
        let error = self.failure(outcome);
        let error = error.as_deref();
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

    /// Returns the code of a failure, such as `INVALID_LIMIT` or `TOOL_NOT_FOUND`. What an external
    /// program calls its errors is not repeated: there is no end to that.
    fn failure(&self, outcome: &Result<Outcome, CallError>) -> Option<Cow<'static, str>> {
        let is_own = self.asked.parse::<ToolName>().is_ok();
        match outcome {
            Ok(outcome) if !outcome.is_error => None,
            Ok(outcome) => {
                let code = code(outcome).filter(|_| is_own);
                Some(code.map_or(Cow::Borrowed("UNKNOWN"), Cow::Owned))
            }
            Err(error) => Some(Cow::Borrowed(error.cause.name())),
        }
    }
}

/// Returns the code of an envelope's error.
fn code(outcome: &Outcome) -> Option<String> {
    let envelope: Value = serde_json::from_str(outcome.structured.as_ref()?.get()).ok()?;
    Some(envelope.pointer("/error/code")?.as_str()?.to_owned())
}
