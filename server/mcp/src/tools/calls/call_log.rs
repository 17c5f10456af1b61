//! Logs every call of a tool: a line in the log, the metrics and a span.
//!
//! Arguments and answers are never logged, since they may contain users' data.

use std::{borrow::Cow, time::Duration};

use recall_kit_shared_types::ToolName;
use recall_kit_telemetry::{metrics::Metrics, spans};
use serde_json::Value;
use tracing::Span;

use crate::tools::{CallError, Outcome, ToolDef, shown};

/// The log of one call.
pub(crate) struct CallLog<'a> {
    /// The tool's name in the request, which may be unknown.
    requested: &'a str,
    tool: Option<&'a ToolDef>,
    span: Span,
}

impl<'a> CallLog<'a> {
    /// Starts the log of a call.
    pub(crate) fn new(requested: &'a str, tool: Option<&'a ToolDef>) -> Self {
        Self {
            requested,
            tool,
            span: spans::tool_call(tool.map(|tool| tool.name.as_str())),
        }
    }

    /// Logs and counts the outcome of the call.
    pub(crate) fn record(
        &self,
        metrics: &Metrics,
        outcome: &Result<Outcome, CallError>,
        took: Duration,
    ) {
        let error = self.failure(outcome);
        let error = error.as_deref();
        let known = self.tool.map(|tool| tool.name.as_str());
        metrics.tool_called(known, error, took);
        spans::called(&self.span, error);
        // An unknown name is quoted, so that it cannot be mistaken for the rest of the line.
        let name = known.map_or_else(
            || Cow::Owned(format!("{:?}", shown(self.requested))),
            Cow::Borrowed,
        );
        let duration = format_args!("{:.3}s", took.as_secs_f64());
        match error {
            None => tracing::info!(%duration, "Tool called: {name}"),
            Some(error) => tracing::info!(%duration, error, "Tool called: {name}"),
        }
    }

    /// Returns the code of a failure, such as `INVALID_LIMIT` or `TOOL_NOT_FOUND`. The codes of external
    /// programs are not used, since their number is unlimited.
    fn failure(&self, outcome: &Result<Outcome, CallError>) -> Option<Cow<'static, str>> {
        let is_own = self.requested.parse::<ToolName>().is_ok();
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
