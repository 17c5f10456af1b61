//! The result of `tools/call` as it is serialized into a response.

use std::sync::Arc;

use recall_kit_fair_queue::Turn;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::tools::{Object, Outcome};

/// A tool's result. Source: MCP specification, "Calling Tools".
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolResult {
    /// Only in versions from 2026-07-28 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
    content: [TextContent; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<Box<RawValue>>,
    is_error: bool,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<Object>,
    /// The caller's turn in the fair queue, kept until the result is written.
    #[serde(skip)]
    _turn: Option<Arc<Turn>>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename = "text")]
struct TextContent {
    text: String,
}

impl ToolResult {
    /// Creates the result for plain JSON-RPC and the MCP versions with sessions.
    pub(crate) fn plain(mut outcome: Outcome) -> Self {
        Self {
            _turn: outcome.take_turn(),
            result_type: None,
            content: [TextContent { text: outcome.text }],
            structured_content: outcome.structured,
            is_error: outcome.is_error,
            meta: outcome.meta,
        }
    }

    /// Creates the result for the MCP versions without sessions.
    pub(crate) fn complete(outcome: Outcome) -> Self {
        Self {
            result_type: Some("complete"),
            ..Self::plain(outcome)
        }
    }
}
