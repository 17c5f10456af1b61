//! The faces of the server: who serves what, on one port or on standard input and output.
//!
//! One process, one catalogue of tools. A request that negotiates MCP goes to rmcp, everything else
//! is plain JSON-RPC; both end in [`crate::tools::call`], and an ordinary call of a tool goes there
//! directly.

mod direct;
mod explain;
mod guard;
mod health;
mod json_rpc;
pub mod stdio;
mod streamable_http;
mod tool_result;

use std::{sync::Arc, time::Duration};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode, header},
    middleware,
    response::{IntoResponse as _, Response},
    routing::{any, get, post},
    serve::ListenerExt as _,
};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower_http::catch_panic::CatchPanicLayer;

use self::{json_rpc::JsonRpc, streamable_http::StreamableHttp};
use crate::{app::App, error::StartError};

/// How long running requests may take to finish after the order to stop.
const GRACE: Duration = Duration::from_secs(5);

/// What every route works with; shared, since axum clones a state for each request.
pub(crate) struct Faces {
    app: Arc<App>,
    mcp: StreamableHttp,
    plain: JsonRpc,
}

/// Serves every HTTP face on a listener until `stop` is cancelled and running requests are done.
///
/// *Errors*: [`StartError::Serve`] when the listener breaks.
pub async fn serve_http(
    app: Arc<App>,
    listener: TcpListener,
    stop: CancellationToken,
) -> Result<(), StartError> {
    let router = router(app, stop.clone());
    // Without this a streamed answer waits for the peer's delayed acknowledgement, 40 ms each time.
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(error = %error, "TCP_NODELAY was refused");
        }
    });
    let serving =
        axum::serve(listener, router).with_graceful_shutdown(stop.clone().cancelled_owned());
    tokio::select! {
        served = serving.into_future() => served.map_err(StartError::Serve),
        () = async { stop.cancelled().await; tokio::time::sleep(GRACE).await } => {
            tracing::warn!("some requests were still running and were cut off");
            Ok(())
        }
    }
}

fn router(app: Arc<App>, stop: CancellationToken) -> Router {
    let faces = Arc::new(Faces {
        mcp: StreamableHttp::new(Arc::clone(&app), stop),
        plain: JsonRpc::new(Arc::clone(&app)),
        app,
    });
    Router::new()
        .route("/", any(either))
        .route("/mcp", any(either))
        .route("/stream", any(either))
        .route("/tools/list", post(plain))
        .route("/tools/call", post(plain))
        .route("/rpc", post(plain))
        .route("/mcp/health", get(health::mcp_health))
        .route("/mcp/tools", get(health::tools))
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .layer(middleware::from_fn_with_state(
            Arc::clone(&faces.app),
            guard::check,
        ))
        .layer(CatchPanicLayer::new())
        .with_state(faces)
}

/// MCP where the request negotiates it, plain JSON-RPC otherwise.
async fn either(State(faces): State<Arc<Faces>>, request: Request) -> Response {
    let in_session = streamable_http::in_session(request.headers());
    if request.method() != Method::POST {
        return if in_session && matches!(*request.method(), Method::GET | Method::DELETE) {
            faces.mcp.call(request).await
        } else {
            // A client that tries for a stream before it has a session carries on with POST.
            (StatusCode::METHOD_NOT_ALLOWED, [(header::ALLOW, "POST")]).into_response()
        };
    }
    let (head, body) = match collect(&faces.app, request).await {
        Ok(collected) => collected,
        Err(refusal) => return refusal,
    };
    if let Some(answer) = direct::call(&faces.app, &head.headers, &body).await {
        return answer;
    }
    if streamable_http::negotiates(&head.headers, &body) {
        faces
            .mcp
            .call(Request::from_parts(head, Body::from(body)))
            .await
    } else {
        faces.plain.call(head, body).await
    }
}

/// Plain JSON-RPC, whatever the request looks like.
async fn plain(State(faces): State<Arc<Faces>>, request: Request) -> Response {
    let (head, body) = match collect(&faces.app, request).await {
        Ok(collected) => collected,
        Err(refusal) => return refusal,
    };
    // No header makes a request MCP here.
    match direct::call(&faces.app, &HeaderMap::new(), &body).await {
        Some(answer) => answer,
        None => faces.plain.call(head, body).await,
    }
}

/// Reads a body up to the limit.
async fn collect(
    app: &App,
    request: Request,
) -> Result<(axum::http::request::Parts, Bytes), Response> {
    let limit = app.settings.limits.body_bytes;
    let (head, body) = request.into_parts();
    match Limited::new(body, limit as usize).collect().await {
        Ok(collected) => Ok((head, collected.to_bytes())),
        Err(error) if error.is::<LengthLimitError>() => Err(guard::refuse(
            StatusCode::PAYLOAD_TOO_LARGE,
            &format!("the request body is larger than {limit} bytes"),
        )),
        Err(_) => Err(guard::refuse(
            StatusCode::BAD_REQUEST,
            "the request body could not be read",
        )),
    }
}
