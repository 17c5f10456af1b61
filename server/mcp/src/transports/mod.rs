//! The transports: every route of the HTTP port, and standard input and output.
//!
//! A request that negotiates MCP goes to rmcp; every other request is plain JSON-RPC. Both end in
//! [`crate::tools::call`]. `direct` calls it without an engine for the commonest `tools/call` requests.
//! The program supplies the web pages through [`BrowserPages`].

mod direct;
mod guard;
mod http;
mod json_rpc;
mod legacy_sse;
mod messages;
mod sessions;
pub mod stdio;
mod streamable_http;
mod websocket;

use std::{sync::Arc, time::Duration};

use axum::{
    Extension, Router,
    body::Body,
    extract::{Query, Request, State, ws::WebSocketUpgrade},
    http::{HeaderMap, Method, StatusCode, header},
    middleware,
    response::{IntoResponse as _, Response},
    routing::{any, get, post},
};
use futures::{FutureExt as _, future::BoxFuture};
use recall_kit_core::{access::Caller, app::App};
use recall_kit_shared_types::RpcError;
use rmcp::ServerHandler;
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::{
    guard::{
        Admission,
        rate::{Counted, Rate, Size},
        refusal::{limit_reached, refuse, too_many},
        room::Capacity,
    },
    json_rpc::JsonRpc,
    legacy_sse::LegacySse,
    sessions::{Opener, Refusal},
    streamable_http::StreamableHttp,
};
pub use crate::transports::http::listener::check_tls;
use crate::{
    error::ServeError,
    tools::{Features, handler},
    transports::{
        http::{
            body,
            health::{self, Readiness},
            listener::{self, OpenConnection},
            metrics,
            observe::Protocol,
            pipeline,
        },
        messages::{batch, response_budget::ResponseBudget, streams},
    },
};

/// How long MCP requests may run after the server is told to stop; shorter than the grace period of
/// their connections.
const FINISH: Duration = Duration::from_secs(4);

/// The state that all HTTP routes share; in an `Arc`, since axum clones the state for each request.
pub(crate) struct HttpState {
    app: Arc<App>,
    features: Arc<Features>,
    mcp: StreamableHttp,
    legacy: LegacySse,
    plain: JsonRpc,
    pages: Arc<dyn BrowserPages>,
    rate: Arc<Rate>,
    answers: ResponseBudget,
    readiness: Readiness,
    streams: Capacity,
    sockets: Capacity,
    /// MCP requests that are being answered.
    answering: TaskTracker,
    stop: CancellationToken,
}

/// The web pages, served on the same port as the endpoints.
pub trait BrowserPages: Send + Sync {
    /// Returns whether a page answers a request; `is_endpoint` is true if an endpoint has the request's path.
    fn is_page(&self, request: &Request, is_endpoint: bool) -> bool;

    /// Answers a request for a page.
    fn answer(&self, request: Request) -> BoxFuture<'_, Response>;
}

/// No pages: for a server that only programs call.
pub struct NoPages;

impl BrowserPages for NoPages {
    fn is_page(&self, _: &Request, _: bool) -> bool {
        false
    }

    fn answer(&self, _: Request) -> BoxFuture<'_, Response> {
        Box::pin(async { StatusCode::NOT_FOUND.into_response() })
    }
}

/// Serves every HTTP route on a listener until `stop` is cancelled and running requests are done.
///
/// *Errors*: [`ServeError::Tls`] when certificate or key cannot be used.
pub fn serve_http(
    features: Arc<Features>,
    pages: Arc<dyn BrowserPages>,
    listener: TcpListener,
    stop: CancellationToken,
) -> BoxFuture<'static, Result<(), ServeError>> {
    // Boxed, so that the transports are compiled in this crate instead of in every program.
    async move {
        let factory = handler::factory(Arc::clone(&features), Caller::unknown());
        serve_handler(features, pages, listener, stop, factory).await
    }
    .boxed()
}

/// Serves like [`serve_http`], with another MCP handler; `factory` creates one for each session.
///
/// *Errors*: as [`serve_http`].
pub async fn serve_handler<H: ServerHandler>(
    features: Arc<Features>,
    pages: Arc<dyn BrowserPages>,
    listener: TcpListener,
    stop: CancellationToken,
    factory: impl Fn() -> H + Clone + Send + Sync + 'static,
) -> Result<(), ServeError> {
    let app = Arc::clone(features.app());
    let answering = TaskTracker::new();
    let finished = when_finished(answering.clone(), stop.clone());
    let state = HttpState::new(
        features,
        pages,
        Shutdown {
            now: stop.clone(),
            finished,
            answering,
        },
        factory,
    );
    listener::serve(listener, router(Arc::new(state)), &app.settings, stop).await
}

/// Returns a token that is cancelled after `stop`, once the running MCP requests are answered or
/// [`FINISH`] has passed. Sessions end with this token rather than with `stop`, since ending a session
/// cuts off its streams.
fn when_finished(answering: TaskTracker, stop: CancellationToken) -> CancellationToken {
    let finished = CancellationToken::new();
    let token = finished.clone();
    tokio::spawn(async move {
        stop.cancelled().await;
        answering.close();
        tokio::time::timeout(FINISH, answering.wait()).await.ok();
        token.cancel();
    });
    finished
}

fn router(state: Arc<HttpState>) -> Router {
    Router::new()
        .route("/", any(either))
        .route("/mcp", any(either))
        .route("/stream", any(stream))
        .route("/sse", get(sse))
        .route("/messages", post(messages))
        .route("/tools/list", post(plain))
        .route("/tools/call", post(plain))
        .route("/rpc", post(plain))
        .route("/ws", get(socket))
        .route("/mcp/health", get(health::mcp_health))
        .route("/mcp/tools", get(health::tools))
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(metrics::metrics))
        .layer(middleware::from_fn_with_state(
            Arc::clone(&state),
            pipeline::pass,
        ))
        .with_state(state)
}

/// The two steps of a shutdown, and the requests that run between them.
struct Shutdown {
    /// Cancelled first: no new requests are accepted.
    now: CancellationToken,
    /// Cancelled when running requests are answered: sessions and their streams end.
    finished: CancellationToken,
    /// MCP requests that are not answered yet.
    answering: TaskTracker,
}

impl HttpState {
    fn new<H: ServerHandler>(
        features: Arc<Features>,
        pages: Arc<dyn BrowserPages>,
        shutdown: Shutdown,
        factory: impl Fn() -> H + Clone + Send + Sync + 'static,
    ) -> Self {
        Self {
            mcp: StreamableHttp::new(shutdown.finished.clone(), factory.clone()),
            legacy: LegacySse::new(factory, shutdown.finished),
            plain: JsonRpc::new(Arc::clone(&features)),
            pages,
            rate: Arc::default(),
            answers: ResponseBudget::default(),
            readiness: Readiness::default(),
            streams: Capacity::default(),
            sockets: Capacity::default(),
            stop: shutdown.now,
            answering: shutdown.answering,
            app: Arc::clone(features.app()),
            features,
        }
    }

    /// Counts calls against the rate limit.
    ///
    /// *Errors*: how long to wait, in seconds, if they are too many.
    fn count(&self, counted: Counted, calls: u32) -> Result<(), u64> {
        let limit = self.app.admission.limits().calls_per_minute;
        let result = self.rate.count(limit, counted, calls);
        if result.is_err() {
            self.app.metrics.refused("rate_limit");
        }
        result
    }

    /// Counts a body's items and bytes as calls, minus the calls that were counted `already`.
    ///
    /// *Errors*: a refusal, if the batch is too long or the calls exceed the rate limit.
    fn count_items(
        &self,
        body: &[u8],
        counted: Counted,
        already: u32,
    ) -> Result<(), Box<Response>> {
        let items = batch::items(body);
        let limit = self.app.admission.limits().batch_items;
        if items > limit.max(1) {
            self.app.metrics.refused("batch_size");
            return Err(Box::new(refuse(
                StatusCode::PAYLOAD_TOO_LARGE,
                RpcError::InvalidRequest,
                &format!("a batch may hold {limit} requests, this one holds {items}"),
            )));
        }
        let limits = self.app.admission.limits();
        let size = Size {
            bytes: body.len(),
            per_call: limits.bytes_per_call,
        };
        let calls = size.calls(items, limits.calls_per_minute);
        self.count(counted, calls.saturating_sub(already))
            .map_err(|seconds| Box::new(too_many(seconds)))
    }
}

impl HttpState {
    /// Refuses a request because too many of `what` are open, and counts the refusal.
    fn limit_reached(&self, what: &str) -> Response {
        self.app.metrics.refused("room");
        limit_reached(what)
    }

    /// Turns the refusal of a session, or of a call in a session, into a response.
    fn refused(&self, refusal: Refusal) -> Response {
        let (status, cause) = match refusal {
            Refusal::TooManySessions => return self.limit_reached("sessions"),
            Refusal::TooManyOfCaller(share) => {
                let what = format!("sessions of this API key or address (at most {share})");
                return self.limit_reached(&what);
            }
            Refusal::TooManyCalls => (StatusCode::TOO_MANY_REQUESTS, RpcError::TooManyRequests),
            Refusal::IdTaken => (StatusCode::BAD_REQUEST, RpcError::InvalidRequest),
        };
        self.app.metrics.refused("session_calls");
        refuse(status, cause, &refusal.to_string())
    }
}

/// The request extensions in which the guard stores who sent the request.
type Sender = (Extension<Caller>, Extension<Counted>);

/// MCP where the request negotiates it, plain JSON-RPC otherwise.
async fn either(State(state): State<Arc<HttpState>>, sender: Sender, request: Request) -> Response {
    let in_session = streamable_http::in_session(request.headers());
    if request.method() != Method::POST {
        return if in_session && matches!(*request.method(), Method::GET | Method::DELETE) {
            let stays_open = *request.method() == Method::GET;
            Box::pin(mcp(&state, sender, request, stays_open)).await
        } else {
            // A client that tries to open a stream before it has a session falls back to POST.
            (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "POST")]).into_response()
        };
    }
    let (Extension(caller), Extension(counted)) = &sender;
    let (head, body) = match body::collect(&state, *counted, request).await {
        Ok(collected) => collected,
        Err(refusal) => return refusal,
    };
    if let Some(answer) = direct::call(&state.features, caller, &head.headers, &body).await {
        return answer;
    }
    // Boxed, so that the future of the commonest request stays small.
    if streamable_http::negotiates(&head.headers, &body) {
        let stays_open = streamable_http::listens(&body);
        let answering = (!stays_open).then(|| state.answering.token());
        let request = Request::from_parts(head, Body::from(body));
        let response = Box::pin(mcp(&state, sender, request, stays_open)).await;
        streams::keep_while_streaming(response, answering)
    } else {
        Protocol::JsonRpc.mark(Box::pin(state.plain.call(head, body)).await)
    }
}

/// Answers an MCP request. A stream that stays open counts against the limit of streams. One that ends
/// with the answer to a call does not, so that no call is refused after it was carried out.
async fn mcp(
    state: &HttpState,
    (Extension(caller), Extension(counted)): Sender,
    request: Request,
    stays_open: bool,
) -> Response {
    let limits = state.app.admission.limits();
    let reservation = match stays_open.then(|| state.streams.reserve(limits.streams, counted)) {
        Some(None) => return state.limit_reached("event streams"),
        reservation => reservation.flatten(),
    };
    let admission = Admission::new(&state.app.access, request.headers(), &caller);
    let opener = Opener {
        key: caller.key,
        counted,
        limit: limits.sessions,
        share: limits.sessions_per_caller,
    };
    let answer = state.mcp.call(request, opener).await;
    let response = answer.unwrap_or_else(|refusal| state.refused(refusal));
    Protocol::Mcp.mark(streams::bounded(response, reservation, admission))
}

/// Answers like [`either`], except that a plain GET, as `curl -N` sends it, opens an event stream.
async fn stream(state: State<Arc<HttpState>>, sender: Sender, request: Request) -> Response {
    let headers = request.headers();
    let is_plain_get = *request.method() == Method::GET
        && !streamable_http::in_session(headers)
        && !streamable_http::accepts_stream(headers);
    if is_plain_get {
        sse(state, sender, headers.clone()).await
    } else {
        either(state, sender, request).await
    }
}

/// Opens the event stream of the legacy HTTP+SSE transport.
async fn sse(
    State(state): State<Arc<HttpState>>,
    (Extension(caller), Extension(counted)): Sender,
    headers: HeaderMap,
) -> Response {
    let limits = state.app.admission.limits();
    // Each stream is a session, so the limit of streams bounds both.
    let Some(reservation) = state.streams.reserve(limits.streams, counted) else {
        return state.limit_reached("event streams");
    };
    let admission = Admission::new(&state.app.access, &headers, &caller);
    let response = state.legacy.stream(caller);
    streams::bounded(response, Some(reservation), admission)
}

/// The query string of a message of the legacy transport: the session that it is for.
#[derive(Deserialize)]
struct MessageQuery {
    #[serde(default, alias = "sessionId")]
    session_id: String,
}

/// Accepts a message of the legacy transport.
async fn messages(
    State(state): State<Arc<HttpState>>,
    (Extension(caller), Extension(counted)): Sender,
    Query(query): Query<MessageQuery>,
    request: Request,
) -> Response {
    match body::collect(&state, counted, request).await {
        Ok((head, body)) => {
            let session = &query.session_id;
            state.legacy.message(session, &caller, head, &body).await
        }
        Err(refusal) => refusal,
    }
}

/// Opens a WebSocket.
async fn socket(
    State(state): State<Arc<HttpState>>,
    (Extension(caller), Extension(counted)): Sender,
    upgrade: WebSocketUpgrade,
    request: Request,
) -> Response {
    let limits = state.app.admission.limits();
    let Some(reservation) = state.sockets.reserve(limits.sockets, counted) else {
        return state.limit_reached("WebSockets");
    };
    let admission = Admission::new(&state.app.access, request.headers(), &caller);
    let connection = request.extensions().get::<OpenConnection>().cloned();
    let mut extensions = axum::http::Extensions::new();
    extensions.insert(caller);
    extensions.insert(counted.flow());
    websocket::open(
        upgrade,
        websocket::Socket {
            state,
            admission,
            counted,
            extensions,
            guards: (reservation, connection),
        },
    )
}

/// Answers as plain JSON-RPC, whatever headers the request has.
async fn plain(
    State(state): State<Arc<HttpState>>,
    (Extension(caller), Extension(counted)): Sender,
    request: Request,
) -> Response {
    let (head, body) = match body::collect(&state, counted, request).await {
        Ok(collected) => collected,
        Err(refusal) => return refusal,
    };
    // The headers are left out, since none makes a request MCP here.
    match direct::call(&state.features, &caller, &HeaderMap::new(), &body).await {
        Some(answer) => answer,
        None => Protocol::JsonRpc.mark(Box::pin(state.plain.call(head, body)).await),
    }
}
