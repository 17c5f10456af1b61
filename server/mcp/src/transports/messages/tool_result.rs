//! The result of `tools/call` as it stands in an answer.

use std::sync::Arc;

use recall_kit_fair_queue::Turn;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::tools::{Object, Outcome};

/// Source: MCP specification, "Calling Tools".
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolResult {
    /// Of versions from 2026-07-28 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
    content: [TextContent; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<Box<RawValue>>,
    is_error: bool,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<Object>,
    /// Held until the result is written.
    #[serde(skip)]
    _turn: Option<Arc<Turn>>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename = "text")]
struct TextContent {
    text: String,
}

impl ToolResult {
    /// The result as plain JSON-RPC and the versions with sessions have it.
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

    /// The result as the stateless versions have it.
    pub(crate) fn complete(outcome: Outcome) -> Self {
        Self {
            result_type: Some("complete"),
            ..Self::plain(outcome)
        }
    }
}
