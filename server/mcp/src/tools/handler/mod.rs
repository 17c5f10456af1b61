//! rmcp's handler for MCP, which answers from the [`Features`].

#![expect(
    deprecated,
    reason = "log levels and subscriptions of the versions before 2026-07-28 are supported as well"
)]

mod client;
mod session;
mod shapes;

use std::sync::Arc;

use recall_kit_core::access::Caller;
use recall_kit_fair_queue::flow;
use recall_kit_shared_types::RpcError;
use recall_kit_telemetry::request_id::{self, RequestId};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams,
        CompleteResult, ContentBlock, CustomRequest, CustomResult, GetPromptRequestParams,
        GetPromptResponse, GetPromptResult, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, ListToolsResult, LoggingLevel, PaginatedRequestParams,
        ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
        ServerConfig, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
        UnsubscribeRequestParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

pub use self::shapes::{protocol_error, server_config};
use self::{
    session::Session,
    shapes::{Shapes, tool_result},
};
use super::{CallError, Features, Object, asks_for_schemas, features};
use crate::tools::{
    calls::context::Context,
    catalogue::{completion, prompts, resources},
};

/// The handler of one MCP session, or of one request in versions without sessions.
#[derive(Clone)]
pub struct Handler {
    features: Arc<Features>,
    shapes: Arc<Shapes>,
    session: Arc<Session>,
    /// The caller of requests without one.
    default_caller: Caller,
}

/// Returns a function that creates the handler of each session. `default_caller` is the caller of
/// requests that have none, such as those on standard input.
pub fn factory(
    features: Arc<Features>,
    default_caller: Caller,
) -> impl Fn() -> Handler + Clone + Send + Sync + 'static {
    let shapes = Arc::new(Shapes::default());
    move || Handler {
        default_caller: default_caller.clone(),
        features: Arc::clone(&features),
        shapes: Arc::clone(&shapes),
        session: Arc::new(Session::new(Arc::clone(&features))),
    }
}

/// The connection of a session that may have several in succession; stored in the extensions of
/// `notifications/initialized`. Its token is cancelled when the connection ends, after which the client is
/// notified of changes over the next connection.
#[derive(Debug, Clone)]
pub struct Connection(CancellationToken);

impl Connection {
    /// Creates the connection that ends when a token is cancelled.
    pub fn new(connected: CancellationToken) -> Self {
        Self(connected)
    }
}

/// Decodes a result, which is JSON as MCP specifies it, into rmcp's type.
fn decoded<T: DeserializeOwned>(value: Result<Value, CallError>) -> Result<T, ErrorData> {
    let mut value = value.map_err(protocol_error)?;
    // Required since 2026-07-28; rmcp removes it from answers to older clients.
    if let Some(result) = value.as_object_mut() {
        result.insert("resultType".to_owned(), Value::from("complete"));
    }
    serde_json::from_value(value).map_err(|error| {
        tracing::error!(error = %error, "an answer does not have the form that MCP specifies");
        ErrorData::internal_error("the answer could not be written", None)
    })
}

/// Returns the `_meta` of a request.
fn meta_of(context: &RequestContext<RoleServer>) -> Object {
    match serde_json::to_value(&context.meta) {
        Ok(Value::Object(meta)) => meta,
        _ => Object::new(),
    }
}

/// Whether the request's version lets a server say how long a list may be cached.
fn knows_caching(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// Answers with the request id and the flow of the HTTP request that carried the message; with a new id
/// if there is none. rmcp runs handlers in other tasks, where these task-local values are not set.
async fn in_request_scope<F: Future>(
    context: &RequestContext<RoleServer>,
    answering: F,
) -> F::Output {
    let http = context.extensions.get::<http::request::Parts>();
    let id = http.map_or_else(RequestId::fresh, |parts| request_id::of(&parts.extensions));
    let flow = http.map_or_else(flow::current, |parts| flow::of(&parts.extensions));
    request_id::scope(id, flow::scope(flow, answering)).await
}

impl Handler {
    /// Returns the caller that the guard stored in a request.
    fn caller(&self, context: &RequestContext<RoleServer>) -> Caller {
        let request = context.extensions.get::<http::request::Parts>();
        let caller = request.and_then(|request| request.extensions.get::<Caller>());
        caller.unwrap_or(&self.default_caller).clone()
    }

    /// Runs a tool and sends its messages to the client meanwhile.
    async fn call(
        &self,
        request: CallToolRequestParams,
        request_context: &RequestContext<RoleServer>,
    ) -> Result<super::Outcome, CallError> {
        let (client, messages) = client::channel();
        let context = Context {
            caller: self.caller(request_context),
            meta: meta_of(request_context),
            client: Some(client),
            cancelled: request_context.ct.clone(),
        };
        let notifier = client::Notifier::new(request_context, self.session.level());
        let arguments = request.arguments.unwrap_or_default();
        let calling = async {
            let outcome = super::call(&self.features, &request.name, arguments, &context).await;
            // Closes the queue, so that the messages are sent before the answer.
            drop(context);
            outcome
        };
        client::send_while_running(notifier, messages, calling).await
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        server_config(self.features.profile())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tools = self.shapes.tools(&self.features.tools());
        tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let caller = self.caller(&context);
        let list = self.features.tools_for(&caller);
        let is_wanted = asks_for_schemas(&meta_of(&context)).map_err(protocol_error)?;
        let shapes = self.shapes.tools(&list);
        let is_listed = |tool: &&Tool| list.listed().any(|one| one.name == tool.name);
        let mut tools: Vec<Tool> = shapes.iter().filter(is_listed).cloned().collect();
        if !list.has_schemas(is_wanted) {
            for tool in &mut tools {
                tool.output_schema = None;
                tool.icons = None;
            }
        }
        let mut result = ListToolsResult::with_all_items(tools);
        if knows_caching(&context) {
            result.ttl_ms = Some(shapes::milliseconds(features::TOOLS_MAX_AGE));
            result.cache_scope = Some(CacheScope::Private);
        }
        Ok(result)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let answering = async {
            match self.call(request, &context).await {
                Ok(outcome) => Ok(tool_result(outcome).into()),
                // A tool that failed is reported in its result, not as a protocol error.
                Err(error) if error.cause == RpcError::ToolFailed => {
                    Ok(CallToolResult::error(vec![ContentBlock::text(error.details)]).into())
                }
                Err(error) => Err(protocol_error(error)),
            }
        };
        in_request_scope(&context, answering).await
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = page.and_then(|page| page.cursor);
        let listed = resources::list(&self.features, cursor.as_deref());
        let mut result: ListResourcesResult =
            in_request_scope(&context, async { decoded(listed.await) }).await?;
        if knows_caching(&context) {
            result.ttl_ms = Some(shapes::milliseconds(features::RESOURCES_MAX_AGE));
            result.cache_scope = Some(CacheScope::Private);
        }
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        decoded(Ok(resources::templates(&self.features)))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let caller = self.caller(&context);
        let reading =
            async { decoded(resources::read(&self.features, &caller, &request.uri).await) };
        let read: ReadResourceResult = in_request_scope(&context, reading).await?;
        Ok(read.into())
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        decoded(Ok(prompts::list(&self.features)))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let filling = async { decoded(prompts::get(&self.features, &request.name, &arguments)) };
        let filled: GetPromptResult = in_request_scope(&context, filling).await?;
        Ok(filled.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let params = match serde_json::to_value(&request) {
            Ok(Value::Object(params)) => params,
            _ => Object::new(),
        };
        let caller = self.caller(&context);
        let completing =
            async { decoded(completion::complete(&self.features, &caller, &params).await) };
        in_request_scope(&context, completing).await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(protocol_error(shapes::not_dispatched(&request.method)))
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.session.set_level(request.level);
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let connection = context.extensions.get::<Connection>();
        // Without this extension the session has only one connection, which lasts as long as the session.
        let connected = connection.map_or_else(CancellationToken::new, |it| it.0.clone());
        self.session.send_changes_to(context.peer, connected);
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let subscribing = async {
            let subscribed = self.session.subscribe(&request.uri).await;
            subscribed.map_err(protocol_error)
        };
        in_request_scope(&context, subscribing).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.session.unsubscribe(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(self.session.accept(requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.session.listen(context).await;
        Ok(())
    }
}

/// The level of lines that an external program writes to standard error.
const LINE_LEVEL: LoggingLevel = LoggingLevel::Info;
