//! This program as rmcp sees it: its own tools first, then what the remote server offers.

use std::sync::Arc;

use recall_kit_client::{Conversation, Error, QueryRequest};
use recall_kit_shared_types::QueryExperiencesRequest;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams,
        CompleteResult, GetPromptRequestParams, GetPromptResponse, Implementation, JsonObject,
        ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
        PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
        ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use serde::Deserialize;
use serde_json::Value;

use super::{
    agent::Agent,
    answers,
    arguments::{ConfirmArguments, Said, ShareArguments},
    asking::Asking,
    dialogue::{Ask, Flow, Refusal, Reply},
    drafts::{Answerer, Waiting},
    offer, pass_through, questions,
    share::{self, Wish},
    tools,
};

/// The handler of the one session that standard input carries.
pub(super) struct Handler {
    agent: Arc<Agent>,
}

impl Handler {
    pub(super) fn new(agent: Arc<Agent>) -> Self {
        Self { agent }
    }

    async fn query(&self, arguments: JsonObject) -> CallToolResult {
        let arguments = serde_json::from_value(Value::Object(arguments));
        let QueryExperiencesRequest {
            keywords,
            limit,
            offset,
        } = match arguments {
            Ok(arguments) => arguments,
            Err(error) => return answers::unusable(error.to_string()),
        };
        let mut request = QueryRequest::from_text(keywords);
        request.limit = limit;
        request.offset = offset;
        match self.agent.servers.query(request).await {
            Ok(results) => {
                self.agent.server_answered();
                answers::found(&results)
            }
            Err(error) => answers::failed(&error),
        }
    }

    async fn share(
        &self,
        arguments: JsonObject,
        asking: &Asking<'_>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut given: ShareArguments = match serde_json::from_value(Value::Object(arguments)) {
            Ok(given) => given,
            Err(error) => return Ok(answers::unusable(error.to_string()).into()),
        };
        let conversation = given.conversation.take();
        let wish = match conversation.filter(|text| !text.trim().is_empty()) {
            None => Wish::Draft(given.into()),
            Some(text) => match Conversation::read(&text) {
                Ok(conversation) => Wish::Conversation {
                    conversation,
                    host_has_model: asking.has_model(),
                    given: given.into(),
                },
                Err(error) => return Ok(answers::failed(&Error::from(error)).into()),
            },
        };
        let agent = Arc::clone(&self.agent);
        let flow = Flow::start(|line| share::share(agent, wish, line));
        asking.go_on(flow).await
    }

    async fn confirm(
        &self,
        arguments: JsonObject,
        asking: &Asking<'_>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(arguments);
        let ConfirmArguments { draft_id, answer } = match ConfirmArguments::deserialize(&arguments)
        {
            Ok(given) => given,
            Err(error) => return Ok(answers::unusable(error.to_string()).into()),
        };
        if let Some(misuse) = answer.misused_with(&arguments) {
            return Ok(answers::unusable(misuse).into());
        }
        let waiting = self.agent.drafts.take(&draft_id, Answerer::Agent);
        let Some(Waiting {
            flow, ask, reply, ..
        }) = waiting
        else {
            return Ok(answers::unknown_draft().into());
        };
        let said = match (answer, &ask) {
            (Said::Confirm, _) => Reply::Confirm,
            (Said::Cancel, _) => Reply::No(Refusal::Cancelled),
            (Said::Edit, Ask::Confirm(shown)) => {
                let draft = shown.draft.request().clone().into();
                Reply::Edited(questions::edited(&draft, &arguments))
            }
            (Said::Edit, Ask::Edit(draft)) => Reply::Edited(questions::edited(draft, &arguments)),
            (Said::Edit, Ask::Sample(_)) => Reply::No(Refusal::NotAsked),
        };
        // A sharing that has ended meanwhile says so itself.
        drop(reply.send(said));
        asking.go_on(flow).await
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let mut implementation =
            Implementation::new("recall-kit-client", env!("CARGO_PKG_VERSION"));
        implementation.title = Some("RecallKit".to_owned());
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(implementation)
            .with_instructions(tools::INSTRUCTIONS)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let own = tools::all().iter().find(|tool| tool.name == name).cloned();
        own.or_else(|| self.agent.offered.tool(name))
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools = tools::all().to_vec();
        if let Some(known) = offer::soon(&self.agent).await {
            tools.extend(known.tools.iter().cloned());
        }
        if self.agent.offered.is_old() {
            let agent = Arc::clone(&self.agent);
            tokio::spawn(async move { agent.offered.learn(agent.client()).await });
        }
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let asking = Asking::new(&self.agent, &context);
        if let (tools::SHARE | tools::CONFIRM, Some(state)) =
            (request.name.as_ref(), &request.request_state)
        {
            return asking.answered(state, request.input_responses).await;
        }
        match request.name.as_ref() {
            tools::QUERY => Ok(self.query(arguments).await.into()),
            tools::SHARE => self.share(arguments, &asking).await,
            tools::CONFIRM => self.confirm(arguments, &asking).await,
            other => {
                let calling = pass_through::call(&self.agent, other, arguments);
                match self.agent.while_wanted(&context.ct, calling).await {
                    Some(result) => Ok(result?.into()),
                    None => Ok(answers::given_up(other).into()),
                }
            }
        }
    }

    async fn list_resources(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = pass_through::resources(&self.agent).await?;
        Ok(ListResourcesResult::with_all_items(resources))
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let known = offer::soon(&self.agent).await;
        let templates = known.map(|known| known.templates.clone());
        Ok(ListResourceTemplatesResult::with_all_items(
            templates.unwrap_or_default(),
        ))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = pass_through::read(&self.agent, &request.uri).await?;
        Ok(read.into())
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let known = offer::soon(&self.agent).await;
        let prompts = known.map(|known| known.prompts.clone());
        Ok(ListPromptsResult::with_all_items(
            prompts.unwrap_or_default(),
        ))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let filled = pass_through::prompt(&self.agent, &request.name, request.arguments);
        Ok(filled.await?.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        pass_through::complete(&self.agent, request).await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let mut changes = self.agent.offered.changes();
        let gone = self.agent.gone.clone();
        tokio::spawn(async move {
            while let Some(Ok(())) = gone.run_until_cancelled(changes.changed()).await {
                if context.peer.notify_tool_list_changed().await.is_err() {
                    return;
                }
            }
        });
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.agent.offered.changes();
        loop {
            tokio::select! {
                changed = changes.changed() => {
                    let told = context.sink().notify_tool_list_changed().await;
                    if changed.is_err() || told.is_err() {
                        return Ok(());
                    }
                }
                () = context.cancelled() => return Ok(()),
                () = self.agent.gone.cancelled() => return Ok(()),
            }
        }
    }
}
