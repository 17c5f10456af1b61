//! Reads the contract's envelope, or an answer without one, out of a tool's result.

#[cfg(test)]
mod tests;

use recall_kit_shared_types::{
    Envelope, ErrorBody, RELEVANCE_PARTS_META, RelevanceParts,
    applicability::{APPLICABILITY_META, APPLIES_META},
    knowledge::{KnowledgeError, KnowledgeFailure},
    outcomes::{RECALL_META, RecallStandings},
};
use rmcp::model::{CallToolResult, MetaObject};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Error, ServerUrl, query::Fits};

/// The maximum length of a server's text in an error. *Unit*: characters.
const MAX_QUOTED: usize = 200;

/// Returns the data of a successful answer.
///
/// *Errors*: the contract's error, or [`Error::Answer`] if there is no envelope.
pub(crate) fn read<T: DeserializeOwned>(
    result: CallToolResult,
    server: &ServerUrl,
) -> Result<T, Error> {
    let value = value(result, server)?;
    let envelope: Envelope<T> = serde_json::from_value(value)
        .map_err(|error| unexpected(server, quoted(&error.to_string())))?;
    envelope.into_result().map_err(failed)
}

/// Returns the data of an answer without an envelope.
///
/// *Errors*: the contract's error, or [`Error::Answer`] if it is of another shape.
pub(crate) fn read_plain<T: DeserializeOwned>(
    result: CallToolResult,
    server: &ServerUrl,
) -> Result<T, Error> {
    let value = value(result, server)?;
    if value.get("error").is_some() {
        let failure: KnowledgeFailure = serde_json::from_value(value)
            .map_err(|error| unexpected(server, quoted(&error.to_string())))?;
        let KnowledgeError {
            code,
            message,
            details,
        } = failure.error;
        let mut body = ErrorBody::new(code, message);
        body.details = Some(details);
        return Err(failed(Box::new(body)));
    }
    serde_json::from_value(value).map_err(|error| unexpected(server, quoted(&error.to_string())))
}

/// Returns the JSON of an answer, from its structured content or its text.
fn value(result: CallToolResult, server: &ServerUrl) -> Result<Value, Error> {
    let text = result.content.iter().find_map(|block| block.as_text());
    let text = text.map(|text| text.text.as_str()).unwrap_or_default();
    match result.structured_content {
        Some(value) => Ok(value),
        None => serde_json::from_str(text)
            .map_err(|_| unexpected(server, format!("it is not JSON: {}", quoted(text)))),
    }
}

/// Returns the beginning of a server's text, for an error: on one line, and without control characters.
pub(super) fn quoted(text: &str) -> String {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    let mut quoted: String = text.chars().take(MAX_QUOTED).map(shown).collect();
    if text.chars().nth(MAX_QUOTED).is_some() {
        quoted.push('…');
    }
    quoted
}

fn unexpected(server: &ServerUrl, reason: String) -> Error {
    Error::Answer {
        server: server.to_string(),
        reason,
    }
}

/// Removes the parts of the relevances from the result of a query and returns them, if the server sent
/// them.
pub(crate) fn relevance_parts(result: &mut CallToolResult) -> Option<Vec<RelevanceParts>> {
    let parts = result.meta.as_mut()?.0.remove(RELEVANCE_PARTS_META)?;
    serde_json::from_value(parts)
        .inspect_err(|error| tracing::warn!(%error, "cannot read the parts of the relevances"))
        .ok()
}

/// Removes the standings from the result of a query and returns them, if the server sent them.
pub(crate) fn standings(result: &mut CallToolResult) -> Option<RecallStandings> {
    let standings = result.meta.as_mut()?.0.remove(RECALL_META)?;
    serde_json::from_value(standings)
        .inspect_err(|error| tracing::warn!(%error, "cannot read the standings of the results"))
        .ok()
}

/// Removes what the server says of where the results apply from the result of a query, and returns it.
pub(crate) fn fits(result: &mut CallToolResult) -> Fits {
    let Some(meta) = result.meta.as_mut() else {
        return Fits::default();
    };
    Fits {
        judged: taken(meta, APPLICABILITY_META),
        applies: taken(meta, APPLIES_META),
    }
}

/// Removes and decodes a value of `_meta`.
fn taken<T: DeserializeOwned + Default>(meta: &mut MetaObject, key: &str) -> T {
    let decoded = meta.0.remove(key).map(serde_json::from_value).transpose();
    let decoded = decoded
        .inspect_err(|error| tracing::warn!(%error, key, "cannot read the server's `_meta`"));
    decoded.ok().flatten().unwrap_or_default()
}

/// Converts the contract's error into the client's, and logs a failure of the server.
fn failed(body: Box<ErrorBody>) -> Error {
    let error = Error::from_body(body);
    if let Error::Server(body) = &error {
        tracing::error!(error.code = ?body.code, error.message = %body.message, "the server failed");
    }
    error
}
