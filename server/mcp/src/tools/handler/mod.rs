//! The MCP face of the features: rmcp's handler over the one set of lists and calls.

#![expect(
    deprecated,
    reason = "levels and subscriptions of the versions before 2026-07-28 are served as well"
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
use super::{CallError, Features, Object, features};
use crate::tools::{
    calls::context::Context,
    catalogue::{completion, prompts, resources},
};

/// One MCP session's handler, or one request's where there are no sessions.
#[derive(Clone)]
pub struct Handler {
    features: Arc<Features>,
    shapes: Arc<Shapes>,
    session: Arc<Session>,
    /// Who calls when the request does not say.
    unnamed: Caller,
}

/// Returns what makes the handlers of one server's sessions; `unnamed` is who calls when a request
/// does not say, as on standard input.
pub fn factory(
    features: Arc<Features>,
    unnamed: Caller,
) -> impl Fn() -> Handler + Clone + Send + Sync + 'static {
    let shapes = Arc::new(Shapes::default());
    move || Handler {
        unnamed: unnamed.clone(),
        features: Arc::clone(&features),
        shapes: Arc::clone(&shapes),
        session: Arc::new(Session::new(Arc::clone(&features))),
    }
}

/// In the extensions of `notifications/initialized` where a session outlives its connections: cancelled when
/// this one ends. The client is then told of changes over the next one.
#[derive(Debug, Clone)]
pub struct Connection(CancellationToken);

impl Connection {
    /// Returns the connection that ends with a token.
    pub fn new(connected: CancellationToken) -> Self {
        Self(connected)
    }
}

/// Reads JSON of the specification's shape as rmcp's type for it.
fn shaped<T: DeserializeOwned>(value: Result<Value, CallError>) -> Result<T, ErrorData> {
    let mut value = value.map_err(protocol_error)?;
    // Since 2026-07-28; rmcp takes it out of answers to older clients.
    if let Some(result) = value.as_object_mut() {
        result.insert("resultType".to_owned(), Value::from("complete"));
    }
    serde_json::from_value(value).map_err(|error| {
        tracing::error!(error = %error, "an answer does not have the specification's shape");
        ErrorData::internal_error("the answer could not be written", None)
    })
}

/// Whether the request's version knows how long a list may be kept.
fn knows_caching(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

/// Answers under the id and for the flow of the HTTP request that brought a message, else under a fresh
/// id: rmcp runs handlers on tasks that know nothing of it.
async fn named<F: Future>(context: &RequestContext<RoleServer>, answering: F) -> F::Output {
    let http = context.extensions.get::<http::request::Parts>();
    let id = http.map_or_else(RequestId::fresh, |parts| request_id::of(&parts.extensions));
    let flow = http.map_or_else(flow::current, |parts| flow::of(&parts.extensions));
    request_id::scope(id, flow::scope(flow, answering)).await
}

impl Handler {
    /// Returns whom the guard let in with a request.
    fn caller(&self, context: &RequestContext<RoleServer>) -> Caller {
        let request = context.extensions.get::<http::request::Parts>();
        let named = request.and_then(|request| request.extensions.get::<Caller>());
        named.unwrap_or(&self.unnamed).clone()
    }

    /// Runs a tool and passes on what it reports meanwhile.
    async fn call(
        &self,
        request: CallToolRequestParams,
        request_context: &RequestContext<RoleServer>,
    ) -> Result<super::Outcome, CallError> {
        let (client, told) = client::channel();
        let meta = match serde_json::to_value(&request_context.meta) {
            Ok(Value::Object(meta)) => meta,
            _ => Object::new(),
        };
        let context = Context {
            caller: self.caller(request_context),
            meta,
            client: Some(client),
            cancelled: request_context.ct.clone(),
        };
        let teller = client::Teller::new(request_context, self.session.level());
        let arguments = request.arguments.unwrap_or_default();
        let calling = async {
            let outcome = super::call(&self.features, &request.name, arguments, &context).await;
            // What was reported is told before the answer, but no client keeps its answer waiting.
            drop(context);
            outcome
        };
        client::telling_meanwhile(teller, told, calling).await
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        server_config()
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
        let tools = self.shapes.tools(&self.features.tools_for(&caller));
        let mut result = ListToolsResult::with_all_items(tools.to_vec());
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
                // A tool that broke down is the tool's failure, not the protocol's.
                Err(error) if error.cause == RpcError::ToolFailed => {
                    Ok(CallToolResult::error(vec![ContentBlock::text(error.details)]).into())
                }
                Err(error) => Err(protocol_error(error)),
            }
        };
        named(&context, answering).await
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = page.and_then(|page| page.cursor);
        let listed = resources::list(&self.features, cursor.as_deref());
        let mut result: ListResourcesResult =
            named(&context, async { shaped(listed.await) }).await?;
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
        shaped(Ok(resources::templates(&self.features)))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let caller = self.caller(&context);
        let reading =
            async { shaped(resources::read(&self.features, &caller, &request.uri).await) };
        let read: ReadResourceResult = named(&context, reading).await?;
        Ok(read.into())
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        shaped(Ok(prompts::list(&self.features)))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let filling = async { shaped(prompts::get(&self.features, &request.name, &arguments)) };
        let filled: GetPromptResult = named(&context, filling).await?;
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
            async { shaped(completion::complete(&self.features, &caller, &params).await) };
        named(&context, completing).await
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
        // Where there is only one connection, it lasts as long as the session.
        let connected = connection.map_or_else(CancellationToken::new, |it| it.0.clone());
        self.session.tell_changes_to(context.peer, connected);
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
        named(&context, subscribing).await
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

/// The level of what a program writes to standard error.
const LINE_LEVEL: LoggingLevel = LoggingLevel::Info;
