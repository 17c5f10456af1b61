//! What every request goes through on its way to a face, and its answer on the way back: it is noted,
//! let in or refused; its answer is bounded, also when it is a panic.
//!
//! One layer for all of this, since each costs every request its boxes.

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
    Faces,
    guard::{self, refusal::refuse},
    messages::response_budget,
};

/// Lets a request through to its face, and answers.
pub(crate) async fn pass(
    State(faces): State<Arc<Faces>>,
    request: Request,
    next: Next,
) -> Response {
    observe(&faces.app, request, |request| {
        caught(guarded(&faces, request, next))
    })
    .await
}

async fn guarded(faces: &Faces, request: Request, next: Next) -> Response {
    // Pages know their visitors by other means than the faces.
    let is_face = request.extensions().get::<MatchedPath>().is_some();
    if faces.pages.is_page(&request, is_face) {
        return match guard::check_page(faces, &request) {
            Ok(flow) => flow::scope(flow, faces.pages.answer(request)).await,
            Err(refusal) => *refusal,
        };
    }
    match guard::check(faces, request).await {
        Ok(request) => {
            let flow = flow::of(request.extensions());
            let caller = response_budget::caller(&request);
            response_budget::bound(faces, flow::scope(flow, next.run(request)).await, caller)
        }
        Err(refusal) => refusal,
    }
}

/// Answers 500 when answering panics; other requests go on.
async fn caught(answer: impl Future<Output = Response>) -> Response {
    let answer = AssertUnwindSafe(answer).catch_unwind().await;
    answer.unwrap_or_else(|_| broken())
}

/// 500: answering panicked.
pub(crate) fn broken() -> Response {
    tracing::error!("a request made the server panic; this is a bug, please report it");
    refuse(
        StatusCode::INTERNAL_SERVER_ERROR,
        RpcError::InternalError,
        "the server failed on this request; its log says where",
    )
}
