//! How requests arrive: who serves what, on one port or on standard input and output.
//!
//! One process, one catalogue of tools. A request that negotiates MCP goes to rmcp, everything else
//! is plain JSON-RPC; both end in [`crate::tools::call`], and an ordinary call of a tool goes there
//! directly. Pages for browsers come from outside, as [`BrowserPages`].

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
use futures::future::BoxFuture;
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
        refusal::{no_room, refuse, too_many},
        room::Room,
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
            observe::Face,
            pipeline,
        },
        messages::{batch, response_budget::ResponseBudget, streams},
    },
};

/// How long requests of MCP may take to be answered after the order to stop; less than their
/// connections may last.
const FINISH: Duration = Duration::from_secs(4);

/// What every route works with; shared, since axum clones a state for each request.
pub(crate) struct Faces {
    app: Arc<App>,
    features: Arc<Features>,
    mcp: StreamableHttp,
    legacy: LegacySse,
    plain: JsonRpc,
    pages: Arc<dyn BrowserPages>,
    rate: Arc<Rate>,
    answers: ResponseBudget,
    readiness: Readiness,
    streams: Room,
    sockets: Room,
    /// Requests of MCP that are being answered.
    answering: TaskTracker,
    stop: CancellationToken,
}

/// Pages for browsers, which the transports answer beside their endpoints.
pub trait BrowserPages: Send + Sync {
    /// Returns whether a page answers a request; `is_endpoint` says whether an endpoint has its path.
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

/// Serves every HTTP face on a listener until `stop` is cancelled and running requests are done.
///
/// *Errors*: [`ServeError::Tls`] when certificate or key cannot be used.
pub async fn serve_http(
    features: Arc<Features>,
    pages: Arc<dyn BrowserPages>,
    listener: TcpListener,
    stop: CancellationToken,
) -> Result<(), ServeError> {
    let factory = handler::factory(Arc::clone(&features), Caller::unknown());
    serve_handler(features, pages, listener, stop, factory).await
}

/// Serves like [`serve_http`], with another handler behind the MCP faces; `factory` makes one for
/// each session.
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
    let faces = Faces::new(
        features,
        pages,
        Stops {
            now: stop.clone(),
            finished,
            answering,
        },
        factory,
    );
    listener::serve(listener, router(Arc::new(faces)), &app.settings, stop).await
}

/// Returns a token that is cancelled once the server is to stop and what was asked is answered: what
/// ends sessions cuts their streams off, whatever was still to be said there.
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

fn router(faces: Arc<Faces>) -> Router {
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
            Arc::clone(&faces),
            pipeline::pass,
        ))
        .with_state(faces)
}

/// The two moments of stopping, and what lies between them.
struct Stops {
    /// Nothing new is taken.
    now: CancellationToken,
    /// What ran is answered; sessions and their streams end.
    finished: CancellationToken,
    /// What was asked and is not answered yet.
    answering: TaskTracker,
}

impl Faces {
    fn new<H: ServerHandler>(
        features: Arc<Features>,
        pages: Arc<dyn BrowserPages>,
        stops: Stops,
        factory: impl Fn() -> H + Clone + Send + Sync + 'static,
    ) -> Self {
        Self {
            mcp: StreamableHttp::new(stops.finished.clone(), factory.clone()),
            legacy: LegacySse::new(factory, stops.finished),
            plain: JsonRpc::new(Arc::clone(&features)),
            pages,
            rate: Arc::default(),
            answers: ResponseBudget::default(),
            readiness: Readiness::default(),
            streams: Room::default(),
            sockets: Room::default(),
            stop: stops.now,
            answering: stops.answering,
            app: Arc::clone(features.app()),
            features,
        }
    }

    /// Counts calls against the rate limit.
    ///
    /// *Errors*: how long to wait, in seconds.
    fn count(&self, counted: Counted, calls: u32) -> Result<(), u64> {
        let limit = self.app.limits().calls_per_minute;
        let taken = self.rate.take(limit, counted, calls);
        if taken.is_err() {
            self.app.metrics.refused("rate_limit");
        }
        taken
    }

    /// Counts a body's items and bytes as calls, less those counted `already`, and refuses a batch
    /// that is too long.
    fn count_items(
        &self,
        body: &[u8],
        counted: Counted,
        already: u32,
    ) -> Result<(), Box<Response>> {
        let items = batch::items(body);
        let limit = self.app.limits().batch_items;
        if items > limit.max(1) {
            self.app.metrics.refused("batch_size");
            return Err(Box::new(refuse(
                StatusCode::PAYLOAD_TOO_LARGE,
                RpcError::InvalidRequest,
                &format!("a batch may hold {limit} requests, this one holds {items}"),
            )));
        }
        let limits = self.app.limits();
        let size = Size {
            bytes: body.len(),
            per_call: limits.bytes_per_call,
        };
        let calls = size.calls(items, limits.calls_per_minute);
        self.count(counted, calls.saturating_sub(already))
            .map_err(|seconds| Box::new(too_many(seconds)))
    }
}

impl Faces {
    /// Refuses what there is no place for, and counts it.
    fn no_room(&self, what: &str) -> Response {
        self.app.metrics.refused("room");
        no_room(what)
    }

    /// Says why a session could not be opened, or a call of one not be taken.
    fn refused(&self, refusal: Refusal) -> Response {
        let (status, cause) = match refusal {
            Refusal::NoRoom => return self.no_room("sessions"),
            Refusal::NoShare(share) => {
                let what = format!("sessions of this API key or address (at most {share})");
                return self.no_room(&what);
            }
            Refusal::TooManyCalls => (StatusCode::TOO_MANY_REQUESTS, RpcError::TooManyRequests),
            Refusal::IdTaken => (StatusCode::BAD_REQUEST, RpcError::InvalidRequest),
        };
        self.app.metrics.refused("session_calls");
        refuse(status, cause, &refusal.to_string())
    }
}

/// What the guard knows of a request's sender.
type Sender = (Extension<Caller>, Extension<Counted>);

/// MCP where the request negotiates it, plain JSON-RPC otherwise.
async fn either(State(faces): State<Arc<Faces>>, sender: Sender, request: Request) -> Response {
    let in_session = streamable_http::in_session(request.headers());
    if request.method() != Method::POST {
        return if in_session && matches!(*request.method(), Method::GET | Method::DELETE) {
            let stays_open = *request.method() == Method::GET;
            Box::pin(mcp(&faces, sender, request, stays_open)).await
        } else {
            // A client that tries for a stream before it has a session carries on with POST.
            (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "POST")]).into_response()
        };
    }
    let (Extension(caller), Extension(counted)) = &sender;
    let (head, body) = match body::collect(&faces, *counted, request).await {
        Ok(collected) => collected,
        Err(refusal) => return refusal,
    };
    if let Some(answer) = direct::call(&faces.features, caller, &head.headers, &body).await {
        return answer;
    }
    // Boxed, since a request carries its whole future along: the commonest one shall be small.
    if streamable_http::negotiates(&head.headers, &body) {
        let stays_open = streamable_http::listens(&body);
        let answering = (!stays_open).then(|| faces.answering.token());
        let request = Request::from_parts(head, Body::from(body));
        let response = Box::pin(mcp(&faces, sender, request, stays_open)).await;
        streams::holding(response, answering)
    } else {
        Face::JsonRpc.mark(Box::pin(faces.plain.call(head, body)).await)
    }
}

/// MCP. Streams that stay open are counted; one that ends with the answer to a call is not, so that
/// no call is refused after it was carried out.
async fn mcp(
    faces: &Faces,
    (Extension(caller), Extension(counted)): Sender,
    request: Request,
    stays_open: bool,
) -> Response {
    let limits = faces.app.limits();
    let place = match stays_open.then(|| faces.streams.enter(limits.streams, counted)) {
        Some(None) => return faces.no_room("event streams"),
        place => place.flatten(),
    };
    let admission = Admission::new(&faces.app, request.headers(), &caller);
    let opener = Opener {
        key: caller.key,
        counted,
        limit: limits.sessions,
        share: limits.sessions_per_caller,
    };
    let answer = faces.mcp.call(request, opener).await;
    let response = answer.unwrap_or_else(|refusal| faces.refused(refusal));
    Face::Mcp.mark(streams::bounded(response, place, admission))
}

/// As [`either`]; a plain GET, as `curl -N` sends it, opens an event stream.
async fn stream(state: State<Arc<Faces>>, sender: Sender, request: Request) -> Response {
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

/// The stream of the legacy transport.
async fn sse(
    State(faces): State<Arc<Faces>>,
    (Extension(caller), Extension(counted)): Sender,
    headers: HeaderMap,
) -> Response {
    let limits = faces.app.limits();
    // Each stream is a session of its own, so that one limit bounds both.
    let Some(place) = faces.streams.enter(limits.streams, counted) else {
        return faces.no_room("event streams");
    };
    let admission = Admission::new(&faces.app, &headers, &caller);
    let response = faces.legacy.stream(caller);
    streams::bounded(response, Some(place), admission)
}

/// Which session of the legacy transport a message is for.
#[derive(Deserialize)]
struct Addressed {
    #[serde(default, alias = "sessionId")]
    session_id: String,
}

/// A message of the legacy transport.
async fn messages(
    State(faces): State<Arc<Faces>>,
    (Extension(caller), Extension(counted)): Sender,
    Query(addressed): Query<Addressed>,
    request: Request,
) -> Response {
    match body::collect(&faces, counted, request).await {
        Ok((head, body)) => {
            let session = &addressed.session_id;
            faces.legacy.message(session, &caller, head, &body).await
        }
        Err(refusal) => refusal,
    }
}

/// A WebSocket.
async fn socket(
    State(faces): State<Arc<Faces>>,
    (Extension(caller), Extension(counted)): Sender,
    upgrade: WebSocketUpgrade,
    request: Request,
) -> Response {
    let limits = faces.app.limits();
    let Some(place) = faces.sockets.enter(limits.sockets, counted) else {
        return faces.no_room("WebSockets");
    };
    let admission = Admission::new(&faces.app, request.headers(), &caller);
    let connection = request.extensions().get::<OpenConnection>().cloned();
    let mut extensions = axum::http::Extensions::new();
    extensions.insert(caller);
    extensions.insert(counted.flow());
    websocket::open(
        upgrade,
        websocket::Socket {
            faces,
            admission,
            counted,
            extensions,
            held: (place, connection),
        },
    )
}

/// Plain JSON-RPC, whatever the request looks like.
async fn plain(
    State(faces): State<Arc<Faces>>,
    (Extension(caller), Extension(counted)): Sender,
    request: Request,
) -> Response {
    let (head, body) = match body::collect(&faces, counted, request).await {
        Ok(collected) => collected,
        Err(refusal) => return refusal,
    };
    // No header makes a request MCP here.
    match direct::call(&faces.features, &caller, &HeaderMap::new(), &body).await {
        Some(answer) => answer,
        None => Face::JsonRpc.mark(Box::pin(faces.plain.call(head, body)).await),
    }
}
