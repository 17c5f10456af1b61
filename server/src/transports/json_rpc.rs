//! Plain JSON-RPC 2.0 through jsonrpsee: for `curl`, scripts, batches, and lines on standard input.

use std::sync::Arc;

use axum::{
    body::{Body, Bytes},
    extract::Request,
    http::{HeaderValue, StatusCode, header, request},
    response::{IntoResponse as _, Response},
};
use http_body_util::BodyExt as _;
use jsonrpsee::{
    RpcModule,
    server::{
        BatchRequestConfig, ServerConfig, ServerHandle, StopHandle, TowerServiceBuilder,
        stop_channel,
    },
    types::{ErrorObjectOwned, Params},
};
use recall_kit_shared_types::RpcError;
use rmcp::model::ProtocolVersion;
use serde::Deserialize;
use serde_json::{Value, json};
use tower::{ServiceExt as _, layer::util::Identity};

use super::{explain::explain, guard::refuse, tool_result::ToolResult};
use crate::{
    app::App,
    tools::{self, CallError, Object, handler},
};

/// Calls that may run at once; the pool of database connections bounds their work long before.
const MAX_CONCURRENT: u32 = 10_000;
/// The largest answer: a full page of the largest records.
const MAX_ANSWER_BYTES: u32 = 512 * 1024 * 1024;

/// jsonrpsee's engine with our methods.
#[derive(Clone)]
pub(super) struct JsonRpc {
    service: TowerServiceBuilder<Identity, Identity>,
    methods: RpcModule<Arc<App>>,
    stop: StopHandle,
    /// Dropping it would stop the engine.
    _running: Arc<ServerHandle>,
}

impl JsonRpc {
    pub(super) fn new(app: Arc<App>) -> Self {
        let limits = &app.settings.limits;
        let config = ServerConfig::builder()
            .max_connections(MAX_CONCURRENT)
            .max_request_body_size(limits.body_bytes)
            .max_response_body_size(MAX_ANSWER_BYTES)
            .set_batch_request_config(BatchRequestConfig::Limit(limits.batch_items))
            .build();
        let (stop, running) = stop_channel();
        Self {
            service: jsonrpsee::server::Server::builder()
                .set_config(config)
                .to_service_builder(),
            methods: methods(app).expect("every method is registered once"),
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
        request.headers_mut().remove(header::CONTENT_LENGTH);
        request.headers_mut().remove(header::TRANSFER_ENCODING);
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
                    "the `id` must be one string, number or null",
                )
            } else {
                StatusCode::ACCEPTED.into_response()
            };
        }
        head.headers.remove(header::CONTENT_LENGTH);
        Response::from_parts(head, Body::from(explain(&body, answer)))
    }

    /// Answers one line; `None` for a notification.
    pub(super) async fn call_line(&self, line: Bytes) -> Option<Bytes> {
        let (head, ()) = axum::http::Request::post("/").body(()).ok()?.into_parts();
        let answer = self
            .call(head, line)
            .await
            .into_body()
            .collect()
            .await
            .ok()?
            .to_bytes();
        (!answer.is_empty()).then_some(answer)
    }
}

/// Whether a lone request has an id, so that its sender waits for an answer. jsonrpsee takes one
/// whose id is a list, an object or there twice for a notification.
fn has_id(body: &[u8]) -> bool {
    serde_json::from_slice::<Object>(body).is_ok_and(|request| request.contains_key("id"))
}

#[derive(Deserialize)]
struct ToolCall {
    name: String,
    #[serde(default)]
    arguments: Option<Object>,
    #[serde(default, rename = "_meta")]
    meta: Option<Object>,
}

fn methods(app: Arc<App>) -> Result<RpcModule<Arc<App>>, jsonrpsee::core::RegisterMethodError> {
    let mut module = RpcModule::new(app);
    module.register_method("initialize", |params, _, _| initialize(&params))?;
    module.register_method("ping", |_, _, _| json!({}))?;
    module.register_method("tools/list", |_, _, _| tools::listing())?;
    module.register_async_method("tools/call", |params, app, _| async move {
        call_tool(&app, &params).await
    })?;
    Ok(module)
}

/// Answers with the client's version where it is known, like the MCP face.
fn initialize(params: &Params<'_>) -> Value {
    #[derive(Default, Deserialize)]
    struct Wanted {
        #[serde(default, rename = "protocolVersion")]
        version: Option<String>,
    }
    let wanted = params.parse::<Wanted>().unwrap_or_default().version;
    let known = |version: &String| {
        ProtocolVersion::KNOWN_VERSIONS
            .iter()
            .any(|v| v.has_initialize() && v.as_str() == version)
    };
    let version = wanted
        .filter(known)
        .unwrap_or_else(|| ProtocolVersion::LATEST_WITH_INITIALIZE.to_string());
    let server = handler::server_config();
    json!({
        "protocolVersion": version,
        "capabilities": server.capabilities,
        "serverInfo": server.server_info,
        "instructions": server.instructions,
    })
}

async fn call_tool(app: &Arc<App>, params: &Params<'_>) -> Result<ToolResult, ErrorObjectOwned> {
    let call: ToolCall = params.parse().map_err(|error| {
        let reason = error.data().map_or_else(
            || error.message().to_owned(),
            |data| data.get().trim_matches('"').to_owned(),
        );
        let details = format!("`tools/call` takes `name` and an object `arguments`: {reason}");
        error_object(CallError {
            cause: RpcError::InvalidParams,
            details,
        })
    })?;
    let arguments = call.arguments.unwrap_or_default();
    let outcome = tools::call(app, &call.name, arguments, call.meta.unwrap_or_default()).await;
    outcome.map(ToolResult::plain).map_err(error_object)
}

pub(super) fn error_object(error: CallError) -> ErrorObjectOwned {
    let data = json!({ "details": error.details });
    ErrorObjectOwned::owned(error.cause.plain_code(), error.cause.message(), Some(data))
}
