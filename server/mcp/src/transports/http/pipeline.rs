//! The middleware around every route: it observes the request, lets the guard check it, bounds the
//! response by the budget for large answers, and turns a panic into a 500.
//!
//! All of this is one layer, since each layer costs every request several boxed futures.

use std::{panic::AssertUnwindSafe, sync::Arc};

use axum::{
    extract::{MatchedPath, Request, State},
    http::StatusCode,
    middleware::Next,
    response::Response,
};
use futures::FutureExt as _;
use recall_kit_fair_queue::flow;
use recall_kit_shared_types::RpcError;

use super::observe::observe;
use crate::transports::{
    HttpState,
    guard::{self, refusal::refuse},
    messages::response_budget,
};

/// Passes a request through the middleware to its route, and returns the response.
pub(crate) async fn pass(
    State(state): State<Arc<HttpState>>,
    request: Request,
    next: Next,
) -> Response {
    observe(&state.app.metrics, request, |request| {
        caught(guarded(&state, request, next))
    })
    .await
}

async fn guarded(state: &HttpState, request: Request, next: Next) -> Response {
    // Pages identify their visitors themselves, without API keys in headers.
    let is_endpoint = request.extensions().get::<MatchedPath>().is_some();
    if state.pages.is_page(&request, is_endpoint) {
        return match guard::check_page(state, &request) {
            Ok(flow) => flow::scope(flow, state.pages.answer(request)).await,
            Err(refusal) => *refusal,
        };
    }
    match guard::check(state, request).await {
        Ok(request) => {
            let flow = flow::of(request.extensions());
            let caller = response_budget::caller(&request);
            response_budget::bound(state, flow::scope(flow, next.run(request)).await, caller)
        }
        Err(refusal) => refusal,
    }
}

/// Answers 500 when a handler panics; other requests are not affected.
// Not an `async fn`, which would store the future twice.
fn caught(answer: impl Future<Output = Response>) -> impl Future<Output = Response> {
    let answer = AssertUnwindSafe(answer).catch_unwind();
    answer.map(|answer| answer.unwrap_or_else(|_| broken()))
}

/// Returns the 500 for a request whose handler panicked, and logs the panic.
pub(crate) fn broken() -> Response {
    tracing::error!("a request made the server panic; this is a bug, please report it");
    refuse(
        StatusCode::INTERNAL_SERVER_ERROR,
        RpcError::InternalError,
        "the server failed on this request; its log says where",
    )
}
