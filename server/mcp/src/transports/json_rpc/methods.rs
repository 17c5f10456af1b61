//! The methods of plain JSON-RPC: each decodes its parameters and calls the features.

use std::sync::Arc;

use jsonrpsee::{
    Extensions, RpcModule,
    core::RegisterMethodError,
    types::{ErrorObjectOwned, Params},
};
use recall_kit_core::access::Caller;
use recall_kit_fair_queue::flow;
use recall_kit_shared_types::RpcError;
use recall_kit_telemetry::request_id;
use rmcp::model::ProtocolVersion;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{
    tools::{
        self, CallError, Context, Features, Object,
        catalogue::{completion, prompts, resources},
        error_data, handler,
    },
    transports::messages::tool_result::ToolResult,
};

type Answer<T> = Result<T, ErrorObjectOwned>;

/// Returns all methods, as the module from which jsonrpsee dispatches them.
pub(super) fn all(
    features: Arc<Features>,
) -> Result<RpcModule<Arc<Features>>, RegisterMethodError> {
    let mut module = RpcModule::new(features);
    module.register_method("initialize", |params, features, _| {
        initialize(features, &params)
    })?;
    module.register_method("ping", |_, _, _| json!({}))?;
    // Log messages would need a stream, so none is ever sent, whatever the level.
    module.register_method("logging/setLevel", |_, _, _| json!({}))?;
    module.register_method("tools/list", |params, features, request| {
        let list = features.tools_for(&caller(request));
        // Other parameters, whatever they are, mean nothing to this method.
        let meta = params.parse::<Meta>().unwrap_or_default().meta;
        let is_wanted = tools::asks_for_schemas(&meta.unwrap_or_default());
        Answer::Ok(list.json(is_wanted.map_err(error_object)?).to_owned())
    })?;
    module.register_async_method("tools/call", |params, features, request| async move {
        let calling = call_tool(&features, &params, &request);
        let calling = flow::scope(flow::of(&request), calling);
        request_id::scope(request_id::of(&request), calling).await
    })?;
    module.register_async_method("resources/list", |params, features, _| async move {
        let page: Page = read(&params, "an optional string `cursor`")?;
        answer(resources::list(&features, page.cursor.as_deref()).await)
    })?;
    module.register_method("resources/templates/list", |_, features, _| {
        resources::templates(features)
    })?;
    module.register_async_method("resources/read", |params, features, request| async move {
        let params: Object = read(&params, "a string `uri`")?;
        let uri = resources::uri_of(&params).map_err(error_object)?;
        answer(resources::read(&features, &caller(&request), uri).await)
    })?;
    module.register_method("prompts/list", |_, features, _| prompts::list(features))?;
    module.register_method("prompts/get", |params, features, _| {
        let prompt: Named = read(&params, "`name` and an object `arguments`")?;
        let arguments = prompt.arguments.unwrap_or_default();
        answer(prompts::get(features, &prompt.name, &arguments))
    })?;
    module.register_async_method(
        "completion/complete",
        |params, features, request| async move {
            let params: Object = read(&params, "`ref` and `argument`")?;
            answer(completion::complete(&features, &caller(&request), &params).await)
        },
    )?;
    Ok(module)
}

#[derive(Default, Deserialize)]
struct Page {
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Default, Deserialize)]
struct Meta {
    #[serde(default, rename = "_meta")]
    meta: Option<Object>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
    #[serde(default)]
    arguments: Option<Object>,
    #[serde(default, rename = "_meta")]
    meta: Option<Object>,
}

/// Decodes parameters. Missing parameters count as an empty object. `shape` describes the expected
/// parameters in the error message.
fn read<T: DeserializeOwned>(params: &Params<'_>, shape: &str) -> Answer<T> {
    let text = params.as_str().unwrap_or("{}");
    serde_json::from_str(text).map_err(|error| {
        error_object(CallError {
            cause: RpcError::InvalidParams,
            details: format!("`params` must hold {shape}: {error}"),
        })
    })
}

/// Answers with the client's protocol version if the server knows it, like MCP's `initialize`.
fn initialize(features: &Features, params: &Params<'_>) -> Value {
    #[derive(Default, Deserialize)]
    struct Requested {
        #[serde(default, rename = "protocolVersion")]
        version: Option<String>,
    }
    let requested = params.parse::<Requested>().unwrap_or_default().version;
    let known = |version: &String| {
        ProtocolVersion::KNOWN_VERSIONS
            .iter()
            .any(|v| v.has_initialize() && v.as_str() == version)
    };
    let version = requested
        .filter(known)
        .unwrap_or_else(|| ProtocolVersion::LATEST_WITH_INITIALIZE.to_string());
    let server = handler::server_config(features.profile());
    json!({
        "protocolVersion": version,
        "capabilities": server.capabilities,
        "serverInfo": server.server_info,
        "instructions": server.instructions,
    })
}

async fn call_tool(
    features: &Features,
    params: &Params<'_>,
    request: &Extensions,
) -> Answer<ToolResult> {
    let call: Named = read(params, "`name` and an object `arguments`")?;
    let mut context = Context::new(caller(request));
    context.meta = call.meta.unwrap_or_default();
    let arguments = call.arguments.unwrap_or_default();
    answer(
        tools::call(features, &call.name, arguments, &context)
            .await
            .map(ToolResult::plain),
    )
}

fn caller(request: &Extensions) -> Caller {
    let caller = request.get::<Caller>().cloned();
    caller.expect("every transport inserts the caller")
}

fn answer<T>(result: Result<T, CallError>) -> Answer<T> {
    result.map_err(error_object)
}

pub(in crate::transports) fn error_object(error: CallError) -> ErrorObjectOwned {
    let data = error_data(&error.details);
    ErrorObjectOwned::owned(error.cause.plain_code(), error.cause.message(), Some(data))
}
