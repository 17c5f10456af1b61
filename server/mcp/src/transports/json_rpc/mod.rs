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

/// Calls that may run at once; the pool of database connections limits their work long before.
const MAX_CONCURRENT: u32 = 10_000;
/// The largest answer, which must hold a full page of the largest records: the budget that all waiting
/// answers share.
const MAX_ANSWER_BYTES: u32 = response_budget::MAX_WAITING_BYTES;

/// jsonrpsee's engine with the server's methods.
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
        // The sizes of bodies and batches are checked before, since these limits can change at run time.
        // `websocket.rs` serves WebSockets, with its own limits.
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
        // The body is parsed as JSON whatever its content type: `curl -d` sends that of a form.
        request.headers_mut().insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        );
        // The body was read already, and only `/ws` upgrades a connection.
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
        // jsonrpsee answers notifications, and batches of only notifications, with `null` or nothing.
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

    /// Answers one line or message; `None` for a notification. `extensions` hold its caller.
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

/// Whether a single request has an id, so that its sender waits for an answer. jsonrpsee treats a
/// request whose id is a list, an object or a duplicate field as a notification.
fn has_id(body: &[u8]) -> bool {
    serde_json::from_slice::<Object>(body).is_ok_and(|request| request.contains_key("id"))
}
