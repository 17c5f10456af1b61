//! The commonest request, one `tools/call` in a POST, answered without rmcp or jsonrpsee.
//!
//! Both engines parse a request into JSON trees and write its answer from trees, several times over,
//! which costs more than most calls do. An ordinary request is parsed and answered once here, and the
//! answer is the same as the engine's, byte for byte. The engines answer everything else: sessions,
//! batches, notifications, progress, parameters in headers, future protocol versions, and malformed
//! requests, for which they have the error messages.

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
    transports::{http::observe::Protocol, messages::tool_result::ToolResult},
};

/// The only version without sessions whose requests are answered here.
const STATELESS_VERSION: &str = "2026-07-28";
/// `_meta` of a request of that version holds these besides the version.
const CAPABILITIES_IN_META: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_IN_META: &str = "io.modelcontextprotocol/clientInfo";
/// Other names that `_meta` may hold.
const OWN_IN_META: [&str; 3] = [VERSION_IN_META, IDEMPOTENCY_KEY_META, RELEVANCE_PARTS_META];
/// The most digits of a numeric id; a number of so many digits is exact in every language.
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

/// The engine whose answer is imitated: plain JSON-RPC, or MCP without a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Plain,
    Stateless,
}

impl Dialect {
    /// Returns the protocol that the request is counted under.
    fn protocol(self) -> Protocol {
        match self {
            Self::Plain => Protocol::JsonRpc,
            Self::Stateless => Protocol::Mcp,
        }
    }
}

/// Answers a request; `None` means that an engine has to answer it.
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
    let dialect = dialect(headers, &request.params)?;
    let Params {
        name,
        arguments,
        meta,
    } = request.params;
    let mut context = Context::new(caller.clone());
    context.meta = meta.unwrap_or_default();
    let outcome = tools::call(features, &name, arguments.unwrap_or_default(), &context).await;
    let answer = answer(dialect, request.id, outcome);
    Some(dialect.protocol().mark(answer))
}

/// Whether an id is a string without escapes, or a number that every engine reads the same.
fn is_ordinary_id(id: &str) -> bool {
    let number = id.bytes().all(|b| b.is_ascii_digit()) && (id == "0" || !id.starts_with('0'));
    let text = id.starts_with('"') && !id.contains('\\');
    (number && id.len() <= MAX_ID) || text
}

/// Returns which engine would answer a call; `None` if the request is out of the ordinary.
fn dialect(headers: &HeaderMap, params: &Params) -> Option<Dialect> {
    if in_session(headers) {
        return None;
    }
    if is_stateless(headers) {
        return is_ordinary_stateless(headers, params).then_some(Dialect::Stateless);
    }
    let names_version = |meta: &Object| meta.contains_key(VERSION_IN_META);
    let negotiates = params.meta.as_ref().is_some_and(names_version);
    (!negotiates).then_some(Dialect::Plain)
}

/// Whether a call has everything that its version requires, and asks for nothing but an answer.
fn is_ordinary_stateless(headers: &HeaderMap, params: &Params) -> bool {
    let sole = |name: &str| {
        let mut values = headers.get_all(name).iter();
        values.next().filter(|_| values.next().is_none())
    };
    let is_set = |name: &str, expected: &str| sole(name).is_some_and(|value| value == expected);
    let is_json =
        sole(header::CONTENT_TYPE.as_str()).is_some_and(|value| value == "application/json");
    let has_param_headers = headers
        .keys()
        .any(|name| name.as_str().starts_with("mcp-param-"));
    is_json
        && !has_param_headers
        && is_set(VERSION, STATELESS_VERSION)
        && is_set("mcp-method", "tools/call")
        && is_set("mcp-name", &params.name)
        && params.meta.as_ref().is_some_and(is_ordinary_meta)
}

fn is_ordinary_meta(meta: &Object) -> bool {
    meta.get(VERSION_IN_META)
        .is_some_and(|version| version == STATELESS_VERSION)
        && meta.contains_key(CAPABILITIES_IN_META)
        && meta.iter().all(|(name, value)| match name.as_str() {
            CAPABILITIES_IN_META => decodes_as::<ClientCapabilities>(value),
            CLIENT_IN_META => decodes_as::<Implementation>(value),
            name => OWN_IN_META.contains(&name),
        })
}

/// Whether a value can be deserialized as `T`.
fn decodes_as<T: DeserializeOwned>(value: &serde_json::Value) -> bool {
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

fn answer(dialect: Dialect, id: &RawValue, outcome: Result<Outcome, CallError>) -> Response {
    let jsonrpc = "2.0";
    let body = match (dialect, outcome) {
        (Dialect::Plain, Ok(outcome)) => {
            let result = ToolResult::plain(outcome);
            json(&Success {
                jsonrpc,
                id,
                result,
            })
        }
        (Dialect::Plain, Err(error)) => {
            let error = error_object(error);
            json(&Failure { jsonrpc, id, error })
        }
        (Dialect::Stateless, Ok(outcome)) => {
            let result = ToolResult::complete(outcome);
            json(&Success {
                jsonrpc,
                id,
                result,
            })
        }
        // A tool that failed is reported in its result, not as a protocol error.
        (Dialect::Stateless, Err(error)) if error.cause == RpcError::ToolFailed => {
            let result = ToolResult::complete(Outcome::words(error.details, true));
            json(&Success {
                jsonrpc,
                id,
                result,
            })
        }
        (Dialect::Stateless, Err(error)) => {
            let error = protocol_error(error);
            json(&Failure { jsonrpc, id, error })
        }
    };
    let content_type = match dialect {
        Dialect::Plain => HeaderValue::from_static("application/json; charset=utf-8"),
        Dialect::Stateless => HeaderValue::from_static("application/json"),
    };
    ([(header::CONTENT_TYPE, content_type)], body).into_response()
}

fn json<T: Serialize>(answer: &T) -> Vec<u8> {
    // Most answers fit into this capacity, so that the buffer need not grow.
    let mut body = Vec::with_capacity(4 * 1024);
    serde_json::to_writer(&mut body, answer).expect("an answer is plain data");
    body
}

#[cfg(test)]
mod tests;
