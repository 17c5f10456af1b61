//! MCP over Streamable HTTP: rmcp's engine, and the decision which requests go to it.

use std::{convert::Infallible, sync::Arc};

use axum::{
    body::Body,
    extract::Request,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::Response,
};
use recall_kit_shared_types::RpcError;
use rmcp::{
    ServerHandler,
    service::serve_server_with_ct,
    transport::{StreamableHttpServerConfig, StreamableHttpService},
};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use tokio_util::sync::CancellationToken;
use tower::{
    ServiceExt as _,
    util::{BoxCloneSyncService, MapResponse},
};

use super::{
    guard::refusal::refuse,
    sessions::{self, HandlerTransport, Opener, Refusal, Sessions},
};

const SESSION: &str = "mcp-session-id";
pub(super) const VERSION: &str = "mcp-protocol-version";
/// The first version whose requests need neither session nor `initialize`.
const FIRST_STATELESS_VERSION: &str = "2026";
/// A name in `_meta` of every request from that version on.
pub(super) const VERSION_IN_META: &str = "io.modelcontextprotocol/protocolVersion";
/// The `Accept` header that rmcp requires. Real clients often send only one of the two types.
const BOTH_TYPES: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// rmcp's engine with its sessions; the type does not depend on the handler's type.
#[derive(Clone)]
pub(super) struct StreamableHttp {
    service: BoxCloneSyncService<Request, Response, Infallible>,
    sessions: Sessions,
}

impl StreamableHttp {
    /// Creates the engine; `factory` creates the handler of each session.
    pub(super) fn new<H: ServerHandler>(
        stop: CancellationToken,
        factory: impl Fn() -> H + Send + Sync + 'static,
    ) -> Self {
        // Hosts, origins and the size of bodies are checked before, with the same settings for every
        // transport.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_json_response(true)
            .with_max_request_body_bytes(usize::MAX)
            .with_cancellation_token(stop.clone());
        let sessions = Sessions::default();
        let make = move || {
            let handler = Arc::new(factory());
            let (served, stop) = (Arc::clone(&handler), stop.clone());
            sessions::note_handler(Arc::new(move |transport| {
                Box::pin(serve(Arc::clone(&served), transport, stop.child_token()))
            }));
            Ok(handler)
        };
        let engine = StreamableHttpService::new(make, Arc::new(sessions.clone()), config);
        let answering = MapResponse::new(engine, |response: axum::http::Response<_>| {
            response.map(Body::new)
        });
        Self {
            service: BoxCloneSyncService::new(answering),
            sessions,
        }
    }

    /// Returns how many sessions are open.
    pub(super) fn sessions(&self) -> usize {
        self.sessions.open()
    }

    /// Whether a session's handler ended because the session was idle.
    #[cfg(test)]
    pub(super) fn is_suspended(&self, id: &str) -> bool {
        self.sessions.is_suspended(id)
    }

    /// Answers an MCP request.
    ///
    /// *Errors*: why no session could be opened, or why a call in a session was refused.
    pub(super) async fn call(
        &self,
        mut request: Request,
        opener: Opener,
    ) -> Result<Response, Refusal> {
        let is_delete = request.method() == Method::DELETE;
        let headers = request.headers_mut();
        let is_stateless = is_stateless(headers);
        if is_stateless {
            // These versions have no sessions, so a session id that the client sends is ignored.
            headers.remove(SESSION);
        }
        let session = headers
            .get(SESSION)
            .map(|id| id.to_str().unwrap_or_default());
        let lease = match session {
            Some(id) => match self.enter(id, opener, is_delete).await {
                // The same answer for another caller's session and for none, so that ids cannot be
                // probed.
                None => return Ok(no_such_session()),
                lease => lease,
            },
            None if !is_stateless && self.sessions.open() >= opener.limit as usize => {
                return Err(Refusal::TooManySessions);
            }
            None => None,
        };
        headers.insert(header::ACCEPT, BOTH_TYPES);
        let answering = self.service.clone().oneshot(request);
        let Ok(mut response) = sessions::with_context(opener, answering).await?;
        drop(lease);
        // Some clients take 202 for a failure to end the session.
        if is_delete && response.status() == StatusCode::ACCEPTED {
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        Ok(response)
    }

    /// Lets a request use a session and, unless the request ends the session, starts its handler again
    /// if it was suspended.
    async fn enter(&self, id: &str, opener: Opener, is_delete: bool) -> Option<sessions::Lease> {
        let lease = self.sessions.enter(id, opener.key)?;
        if !is_delete {
            self.sessions.wake(id).await.ok()?;
        }
        Some(lease)
    }
}

/// Serves the handler of a session that was suspended, until either side ends it.
async fn serve<H: ServerHandler>(
    handler: Arc<H>,
    transport: HandlerTransport,
    stop: CancellationToken,
) {
    // Boxed, so that the memory of the opening future is freed while the session goes on.
    let opening = Box::pin(serve_server_with_ct(handler, transport, stop));
    match opening.await {
        Ok(running) => drop(running.waiting().await),
        // The error is not logged, since its text repeats what the client sent.
        Err(_) => tracing::debug!("a suspended session could not be resumed"),
    }
}

fn no_such_session() -> Response {
    refuse(
        StatusCode::NOT_FOUND,
        RpcError::InvalidRequest,
        "there is no such session; open one with `initialize`",
    )
}

/// Whether a request belongs to an open session.
pub(super) fn in_session(headers: &HeaderMap) -> bool {
    headers.contains_key(SESSION)
}

/// Whether a POST is MCP rather than plain JSON-RPC. Malformed bodies and batches never are.
pub(super) fn negotiates(headers: &HeaderMap, body: &[u8]) -> bool {
    let by_headers = in_session(headers) || is_stateless(headers);
    if !by_headers && !accepts_stream(headers) {
        return false;
    }
    let message = Message::read(body);
    message.is_some_and(|message| by_headers && message.is_json_rpc() || message.opens_mcp())
        && is_object(body)
}

/// Whether a body is a valid JSON object. Plain JSON-RPC answers everything else, with its error messages.
fn is_object(body: &[u8]) -> bool {
    serde_json::from_slice::<Value>(body).is_ok_and(|value| value.is_object())
}

/// Whether a POST requests a stream that stays open. Source: MCP 2026-07-28, "Subscriptions".
pub(super) fn listens(body: &[u8]) -> bool {
    Message::read(body).is_some_and(|m| m.method.as_deref() == Some("subscriptions/listen"))
}

/// Whether a request is of a version without sessions.
pub(super) fn is_stateless(headers: &HeaderMap) -> bool {
    let version = headers
        .get(VERSION)
        .and_then(|version| version.to_str().ok());
    version.is_some_and(|version| version >= FIRST_STATELESS_VERSION)
}

/// Whether a client's `Accept` header names event streams.
pub(super) fn accepts_stream(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    accepted
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.to_ascii_lowercase().contains("text/event-stream"))
}

/// Whether a line on standard input opens MCP.
pub(super) fn opens_mcp(line: &[u8]) -> bool {
    Message::read(line).is_some_and(|message| message.opens_mcp())
}

/// The parts of a JSON-RPC message that the decision needs.
#[derive(Deserialize)]
struct Message<'a> {
    #[serde(default, borrow)]
    method: Option<std::borrow::Cow<'a, str>>,
    #[serde(default, borrow)]
    params: Option<&'a RawValue>,
    #[serde(default, borrow)]
    result: Option<&'a RawValue>,
    #[serde(default, borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Params {
    #[serde(rename = "_meta")]
    meta: Option<serde_json::Map<String, Value>>,
}

impl<'a> Message<'a> {
    fn read(body: &'a [u8]) -> Option<Self> {
        serde_json::from_slice(body).ok()
    }

    /// Whether it is a request, a notification or an answer.
    fn is_json_rpc(&self) -> bool {
        self.method.is_some() || self.result.is_some() || self.error.is_some()
    }

    fn opens_mcp(&self) -> bool {
        let has_version = || {
            let params: Option<Params> = self
                .params
                .and_then(|raw| serde_json::from_str(raw.get()).ok());
            params
                .and_then(|params| params.meta)
                .is_some_and(|meta| meta.contains_key(VERSION_IN_META))
        };
        matches!(
            self.method.as_deref(),
            Some("initialize" | "server/discover")
        ) || has_version()
    }
}

#[cfg(test)]
mod tests;
