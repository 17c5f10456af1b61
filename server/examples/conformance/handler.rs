//! The fixtures as rmcp sees them: one handler per session, or per request where there are none.
#![expect(deprecated, reason = "versions before 2026-07-28 have logging")]

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities,
        CompleteRequestParams, CompleteResult, ContentBlock, GetPromptRequestParams,
        GetPromptResponse, Implementation, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
        ReadResourceResponse, RequestStateCodec, ServerCapabilities, ServerConfig,
        SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
        UnsubscribeRequestParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use serde_json::{Value, json};
use tokio::sync::broadcast;
use uuid::Uuid;

use crate::{
    changes::{self, Change},
    complete, content, conversation, fixture,
    input_required::Round,
    log::Log,
    prompts, resources, tools,
};

/// Changes that a slow listener may be behind.
const BACKLOG: usize = 16;

/// What all sessions have in common.
pub(crate) struct Shared {
    changes: broadcast::Sender<Change>,
    codec: RequestStateCodec,
}

impl Shared {
    pub(crate) fn new() -> Arc<Self> {
        let key = [Uuid::new_v4(), Uuid::new_v4()].map(Uuid::into_bytes);
        Arc::new(Self {
            changes: broadcast::channel(BACKLOG).0,
            codec: RequestStateCodec::try_new(key.concat()).expect("the key is long enough"),
        })
    }
}

/// One session's handler.
pub(crate) struct Fixtures {
    shared: Arc<Shared>,
    log: Log,
    subscribed: Mutex<HashSet<String>>,
}

impl Fixtures {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        Self {
            shared: Arc::clone(shared),
            log: Log::default(),
            subscribed: Mutex::default(),
        }
    }

    fn subscribed(&self) -> MutexGuard<'_, HashSet<String>> {
        self.subscribed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn capabilities() -> ServerCapabilities {
    ServerCapabilities::builder()
        .enable_tools()
        .enable_tool_list_changed()
        .enable_prompts()
        .enable_prompts_list_changed()
        .enable_resources()
        .enable_resources_subscribe()
        .enable_completions()
        .enable_logging()
        .build()
}

fn capabilities_of(context: &RequestContext<RoleServer>) -> ClientCapabilities {
    context.client_capabilities().unwrap_or_default()
}

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(capabilities())
            .with_server_info(Implementation::new("conformance-fixtures", "1.0.0"))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().iter().find(|tool| tool.name == name).cloned()
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all().to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.as_ref();
        if let Some(change) = Change::of_tool(name) {
            // Nobody may be listening.
            self.shared.changes.send(change).ok();
            return Ok(CallToolResult::success(vec![ContentBlock::text("Told")]).into());
        }
        if name == "test_missing_capability" && capabilities_of(&context).sampling.is_none() {
            let needed = fixture(json!({"sampling": {}}));
            return Err(ErrorData::missing_required_client_capability(needed));
        }
        let arguments = Value::Object(request.arguments.clone().unwrap_or_default());
        if let Some(result) = content::call(name, &arguments) {
            return Ok(result.into());
        }
        if let Some(result) = conversation::call(name, &arguments, &context, &self.log).await {
            return result.map(Into::into);
        }
        Round::of_tool(&request, &self.shared.codec, capabilities_of(&context))?
            .call()
            .unwrap_or_else(|| {
                let details = format!("there is no tool {name}");
                Err(ErrorData::invalid_params(details, None))
            })
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all().to_vec()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name == "test_input_required_result_prompt" {
            Round::of_prompt(&request, &self.shared.codec, capabilities_of(&context))?.get()
        } else {
            prompts::get(&request).map(Into::into)
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let given = &request.argument.value;
        let mut values = vec!["paris", "park", "party", "test"];
        values.retain(|value| value.starts_with(given.as_str()));
        Ok(complete(json!({
            "completion": {"values": values, "total": values.len(), "hasMore": false},
        })))
    }

    async fn list_resources(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let all = resources::all().to_vec();
        Ok(ListResourcesResult::with_all_items(all))
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let all = resources::templates();
        Ok(ListResourceTemplatesResult::with_all_items(all))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&request.uri).map(Into::into)
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscribed().insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.subscribed().remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&capabilities()))
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        changes::tell_subscription(&subscription, self.shared.changes.subscribe()).await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let changes = self.shared.changes.subscribe();
        tokio::spawn(changes::tell_session(context.peer, changes));
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.log.set(request.level);
        Ok(())
    }
}
