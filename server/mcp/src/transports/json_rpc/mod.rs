//! Plain JSON-RPC 2.0 through jsonrpsee: for `curl`, scripts, batches, WebSockets, and lines on
//! standard input.

mod methods;

use std::sync::Arc;

use axum::{
    body::{Body, Bytes},
    extract::Request,
    http::{Extensions, HeaderValue, StatusCode, header, request},
    response::{IntoResponse as _, Response},
};
use http_body_util::BodyExt as _;
use jsonrpsee::{
    RpcModule,
    server::{
        BatchRequestConfig, ServerConfig, ServerHandle, StopHandle, TowerServiceBuilder,
        stop_channel,
    },
};
use recall_kit_shared_types::RpcError;
use recall_kit_telemetry::request_id::{self, RequestId};
use tower::{ServiceExt as _, layer::util::Identity};

pub(super) use self::methods::error_object;
use super::guard::refusal::refuse;
use crate::{
    tools::{Features, Object},
    transports::messages::{error_details::explain, response_budget},
};

/// Calls that may run at once; the pool of database connections bounds their work long before.
const MAX_CONCURRENT: u32 = 10_000;
/// The largest answer: a full page of the largest records. What waits to be sent shares this room.
const MAX_ANSWER_BYTES: u32 = response_budget::ROOM;

/// jsonrpsee's engine with our methods.
pub(super) struct JsonRpc {
    service: TowerServiceBuilder<Identity, Identity>,
    methods: RpcModule<Arc<Features>>,
    features: Arc<Features>,
    stop: StopHandle,
    /// Dropping it would stop the engine.
    _running: Arc<ServerHandle>,
}

impl JsonRpc {
    pub(super) fn new(features: Arc<Features>) -> Self {
        // How large bodies and batches may be was checked before, by limits that can change.
        // Sockets are `websocket.rs`'s, with limits of its own.
        let config = ServerConfig::builder()
            .http_only()
            .max_connections(MAX_CONCURRENT)
            .max_request_body_size(u32::MAX)
            .max_response_body_size(MAX_ANSWER_BYTES)
            .set_batch_request_config(BatchRequestConfig::Unlimited)
            .build();
        let (stop, running) = stop_channel();
        Self {
            service: jsonrpsee::server::Server::builder()
                .set_config(config)
                .to_service_builder(),
            methods: methods::all(Arc::clone(&features)).expect("every method is registered once"),
            features,
            stop,
            _running: Arc::new(running),
        }
    }

    /// Answers one body: a call, a notification (202) or a batch.
    pub(super) async fn call(&self, head: request::Parts, body: Bytes) -> Response {
        let mut request = Request::from_parts(head, Body::from(body.clone()));
        // The body decides, not the label: `curl -d` says it sends a form.
        request.headers_mut().insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        );
        // The body was read, and no face but `/ws` changes the protocol.
        for name in [
            header::CONTENT_LENGTH,
            header::TRANSFER_ENCODING,
            header::CONNECTION,
            header::UPGRADE,
        ] {
            request.headers_mut().remove(name);
        }
        request
            .extensions_mut()
            .remove::<hyper::upgrade::OnUpgrade>();
        let service = self
            .service
            .clone()
            .build(self.methods.clone(), self.stop.clone());
        let Ok(response) = service.oneshot(request).await else {
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        };
        let (mut head, answer) = response.into_parts();
        let Ok(answer) = answer.collect().await else {
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        };
        let answer = answer.to_bytes();
        // jsonrpsee answers notifications, and batches of nothing else, with `null` or nothing.
        if head.status == StatusCode::OK && (answer.is_empty() || &answer[..] == b"null") {
            return if has_id(&body) {
                refuse(
                    StatusCode::OK,
                    RpcError::InvalidRequest,
                    "the `id` must be one string, number or null",
                )
            } else {
                StatusCode::ACCEPTED.into_response()
            };
        }
        head.headers.remove(header::CONTENT_LENGTH);
        let answer = explain(&body, answer, &self.features.app().metrics);
        Response::from_parts(head, Body::from(answer))
    }

    /// Answers one line or message; `None` for a notification. `extensions` say who sent it.
    pub(super) async fn call_line(&self, line: Bytes, extensions: Extensions) -> Option<Bytes> {
        let (mut head, ()) = axum::http::Request::post("/").body(()).ok()?.into_parts();
        head.extensions = extensions;
        let answering = request_id::scope(RequestId::fresh(), self.call(head, line));
        body_of(answering.await).await
    }
}

/// Returns the body of an answer; `None` when it is empty.
pub(super) async fn body_of(answer: Response) -> Option<Bytes> {
    let body = answer.into_body().collect().await.ok()?.to_bytes();
    (!body.is_empty()).then_some(body)
}

/// Whether a lone request has an id, so that its sender waits for an answer. jsonrpsee takes one
/// whose id is a list, an object or there twice for a notification.
fn has_id(body: &[u8]) -> bool {
    serde_json::from_slice::<Object>(body).is_ok_and(|request| request.contains_key("id"))
}
