//! The commonest request, one `tools/call` in a POST, answered without an engine.
//!
//! The engines read a request into trees and write its answer from trees, several times over, which
//! costs more than most calls do. What is ordinary in every respect is read and written once here,
//! and the answer is the engine's to the byte. Everything else is left to the engines: sessions,
//! batches, notifications, progress, parameters in headers, versions to come, and whatever is
//! malformed, for which they have the words.

use axum::{
    http::{HeaderMap, HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use recall_kit_core::access::Caller;
use recall_kit_shared_types::{IDEMPOTENCY_KEY_META, RELEVANCE_PARTS_META, RpcError};
use rmcp::model::{ClientCapabilities, Implementation};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use super::{
    json_rpc::error_object,
    streamable_http::{VERSION, VERSION_IN_META, in_session, is_stateless},
};
use crate::{
    tools::{self, CallError, Context, Features, Object, Outcome, handler::protocol_error},
    transports::{http::observe, messages::tool_result::ToolResult},
};

/// The one version without sessions that is answered here.
const STATELESS_VERSION: &str = "2026-07-28";
/// In `_meta` of a request of that version, besides the version itself.
const CAPABILITIES_IN_META: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_IN_META: &str = "io.modelcontextprotocol/clientInfo";
/// What else may be there.
const OWN_IN_META: [&str; 3] = [VERSION_IN_META, IDEMPOTENCY_KEY_META, RELEVANCE_PARTS_META];
/// Characters of an id; a number of as many digits is exact in every language.
const MAX_ID: usize = 15;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request<'a> {
    #[serde(rename = "jsonrpc")]
    _version: Version,
    #[serde(borrow)]
    id: &'a RawValue,
    #[serde(rename = "method")]
    _method: Method,
    params: Params,
}

#[derive(Deserialize)]
enum Version {
    #[serde(rename = "2.0")]
    Two,
}

#[derive(Deserialize)]
enum Method {
    #[serde(rename = "tools/call")]
    CallTool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Params {
    name: String,
    #[serde(default)]
    arguments: Option<Object>,
    #[serde(default, rename = "_meta")]
    meta: Option<Object>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Face {
    Plain,
    Stateless,
}

impl Face {
    /// Returns whose answer this counts as.
    fn observed(self) -> observe::Face {
        match self {
            Self::Plain => observe::Face::JsonRpc,
            Self::Stateless => observe::Face::Mcp,
        }
    }
}

/// Answers a request; `None` leaves it to the engines.
pub(super) async fn call(
    features: &Features,
    caller: &Caller,
    headers: &HeaderMap,
    body: &[u8],
) -> Option<Response> {
    let request: Request<'_> = serde_json::from_slice(body).ok()?;
    let is_known = features.tools().find(&request.params.name).is_ok();
    if !is_known || !is_ordinary_id(request.id.get()) {
        return None;
    }
    let face = face(headers, &request.params)?;
    let Params {
        name,
        arguments,
        meta,
    } = request.params;
    let mut context = Context::new(caller.clone());
    context.meta = meta.unwrap_or_default();
    let outcome = tools::call(features, &name, arguments.unwrap_or_default(), &context).await;
    Some(face.observed().mark(answer(face, request.id, outcome)))
}

/// A short string without escapes, or a number that every engine reads the same.
fn is_ordinary_id(id: &str) -> bool {
    let number = id.bytes().all(|b| b.is_ascii_digit()) && (id == "0" || !id.starts_with('0'));
    let text = id.starts_with('"') && !id.contains('\\');
    (number && id.len() <= MAX_ID) || text
}

/// Tells who would answer a call; `None` where something is out of the ordinary.
fn face(headers: &HeaderMap, params: &Params) -> Option<Face> {
    if in_session(headers) {
        return None;
    }
    if is_stateless(headers) {
        return is_ordinary_stateless(headers, params).then_some(Face::Stateless);
    }
    let names_version = |meta: &Object| meta.contains_key(VERSION_IN_META);
    let negotiates = params.meta.as_ref().is_some_and(names_version);
    (!negotiates).then_some(Face::Plain)
}

/// Whether a call has all that its version demands, and nothing that asks for more than an answer.
fn is_ordinary_stateless(headers: &HeaderMap, params: &Params) -> bool {
    let sole = |name: &str| {
        let mut values = headers.get_all(name).iter();
        values.next().filter(|_| values.next().is_none())
    };
    let says = |name: &str, expected: &str| sole(name).is_some_and(|value| value == expected);
    let is_json =
        sole(header::CONTENT_TYPE.as_str()).is_some_and(|value| value == "application/json");
    let in_headers = headers
        .keys()
        .any(|name| name.as_str().starts_with("mcp-param-"));
    is_json
        && !in_headers
        && says(VERSION, STATELESS_VERSION)
        && says("mcp-method", "tools/call")
        && says("mcp-name", &params.name)
        && params.meta.as_ref().is_some_and(is_ordinary_meta)
}

fn is_ordinary_meta(meta: &Object) -> bool {
    meta.get(VERSION_IN_META)
        .is_some_and(|version| version == STATELESS_VERSION)
        && meta.contains_key(CAPABILITIES_IN_META)
        && meta.iter().all(|(name, value)| match name.as_str() {
            CAPABILITIES_IN_META => is::<ClientCapabilities>(value),
            CLIENT_IN_META => is::<Implementation>(value),
            name => OWN_IN_META.contains(&name),
        })
}

/// Whether a value has a type's shape.
fn is<T: DeserializeOwned>(value: &serde_json::Value) -> bool {
    T::deserialize(value).is_ok()
}

#[derive(Serialize)]
struct Success<'a> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    result: ToolResult,
}

#[derive(Serialize)]
struct Failure<'a, E> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    error: E,
}

fn answer(face: Face, id: &RawValue, outcome: Result<Outcome, CallError>) -> Response {
    let jsonrpc = "2.0";
    let body = match (face, outcome) {
        (Face::Plain, Ok(outcome)) => {
            let result = ToolResult::plain(outcome);
            json(&Success {
                jsonrpc,
                id,
                result,
            })
        }
        (Face::Plain, Err(error)) => {
            let error = error_object(error);
            json(&Failure { jsonrpc, id, error })
        }
        (Face::Stateless, Ok(outcome)) => {
            let result = ToolResult::complete(outcome);
            json(&Success {
                jsonrpc,
                id,
                result,
            })
        }
        // A tool that broke down is the tool's failure, not the protocol's.
        (Face::Stateless, Err(error)) if error.cause == RpcError::ToolFailed => {
            let result = ToolResult::complete(Outcome::words(error.details, true));
            json(&Success {
                jsonrpc,
                id,
                result,
            })
        }
        (Face::Stateless, Err(error)) => {
            let error = protocol_error(error);
            json(&Failure { jsonrpc, id, error })
        }
    };
    let content_type = match face {
        Face::Plain => HeaderValue::from_static("application/json; charset=utf-8"),
        Face::Stateless => HeaderValue::from_static("application/json"),
    };
    ([(header::CONTENT_TYPE, content_type)], body).into_response()
}

fn json<T: Serialize>(answer: &T) -> Vec<u8> {
    // Most answers fit, so that the text is not moved while it grows.
    let mut body = Vec::with_capacity(4 * 1024);
    serde_json::to_writer(&mut body, answer).expect("an answer is plain data");
    body
}

#[cfg(test)]
mod tests;
