//! The rmcp handler of this program: its own tools first, then those of the remote server.

use std::{env, sync::Arc};

use recall_kit_client::{Conversation, Draft, Error, QueryRequest};
use recall_kit_shared_types::{QueryExperiencesRequest, SCHEMAS_META, ToolName};
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
    arguments::{ConfirmArguments, ShareArguments, UserAnswer, applies_to},
    asking::{Asking, questions},
    dialogue::{Ask, Refusal, Reply, Sharing},
    drafts::{Answerer, Waiting},
    offer, pass_through,
    share::{self, ShareRequest},
    tools,
};
use crate::{applies, environment};

/// The handler of the only session, over standard input and output.
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
            Err(error) => return answers::invalid(error.to_string()),
        };
        let config = self.agent.client().config();
        let folder = env::current_dir().ok();
        let environment = environment::of(config, folder, vec![keywords.clone()]).await;
        let mut request = QueryRequest::from_text(keywords).with_environment(environment);
        request.limit = limit;
        request.offset = offset;
        match self.agent.servers.query(request).await {
            Ok(results) => {
                self.agent.server_answered();
                answers::found(&results, &offer::server_name(self.agent.client()))
            }
            Err(error) => answers::failed(&error),
        }
    }

    async fn share(
        &self,
        arguments: JsonObject,
        asking: &Asking<'_>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut arguments: ShareArguments = match serde_json::from_value(Value::Object(arguments)) {
            Ok(arguments) => arguments,
            Err(error) => return Ok(answers::invalid(error.to_string()).into()),
        };
        let conversation = arguments.conversation.take();
        let fields: Draft = match arguments.try_into() {
            Ok(fields) => fields,
            Err(error) => return Ok(answers::wrong_applies(&error).into()),
        };
        let request = match conversation.filter(|text| !text.trim().is_empty()) {
            None => ShareRequest::Draft(fields),
            Some(text) => match Conversation::read(&text) {
                Ok(conversation) => ShareRequest::Conversation {
                    conversation,
                    host_has_model: asking.has_model(),
                    fields,
                },
                Err(error) => return Ok(answers::failed(&Error::from(error)).into()),
            },
        };
        let agent = Arc::clone(&self.agent);
        let sharing = Sharing::start(|dialogue| share::share(agent, request, dialogue));
        asking.run(sharing).await
    }

    async fn confirm(
        &self,
        arguments: JsonObject,
        asking: &Asking<'_>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(arguments);
        let ConfirmArguments { draft_id, answer } = match ConfirmArguments::deserialize(&arguments)
        {
            Ok(parsed) => parsed,
            Err(error) => return Ok(answers::invalid(error.to_string()).into()),
        };
        if let Some(misuse) = answer.misuse_with(&arguments) {
            return Ok(answers::invalid(misuse).into());
        }
        let lines = applies_to(&arguments);
        if let Some(Err(error)) = lines.as_deref().map(applies::read) {
            return Ok(answers::wrong_applies(&error).into());
        }
        let waiting = self.agent.drafts.take(&draft_id, Answerer::Agent);
        let Some(Waiting {
            sharing,
            ask,
            reply,
            ..
        }) = waiting
        else {
            return Ok(answers::unknown_draft().into());
        };
        let user_reply = match (answer, &ask) {
            (UserAnswer::Confirm, _) => Reply::Confirm,
            (UserAnswer::Cancel, _) => Reply::No(Refusal::Cancelled),
            (UserAnswer::Edit, Ask::Confirm(shown)) => {
                questions::edited(&shown.draft.to_draft(), &arguments)
            }
            (UserAnswer::Edit, Ask::Edit(draft)) => questions::edited(draft, &arguments),
            (UserAnswer::Edit, Ask::Sample(_)) => Reply::No(Refusal::NotAsked),
        };
        // If the sharing has ended meanwhile, its next step is the end.
        drop(reply.send(user_reply));
        asking.run(sharing).await
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
            .with_instructions(tools::instructions(self.agent.profile))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let own = tools::all().iter().find(|tool| tool.name == name).cloned();
        own.or_else(|| self.agent.offer.tool(name))
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let profile = self.agent.profile;
        let known = offer::current_or_wait(&self.agent).await;
        let of_server = known.map(|known| known.tools.clone()).unwrap_or_default();
        let is_recall = |tool: &Tool| tool.name == ToolName::Recall.as_str();
        let mut tools = tools::listed(profile, of_server.iter().any(is_recall));
        tools.extend(
            of_server
                .into_iter()
                .filter(|tool| tools::is_listed(profile, &tool.name)),
        );
        let has_schemas = context.meta.0.get(SCHEMAS_META) == Some(&Value::Bool(true));
        if !has_schemas {
            for tool in &mut tools {
                tool.output_schema = None;
                tool.icons = None;
            }
        }
        if self.agent.offer.is_stale() {
            let agent = Arc::clone(&self.agent);
            tokio::spawn(async move { agent.offer.refresh(agent.client()).await });
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
            return asking.resume(state, request.input_responses).await;
        }
        match request.name.as_ref() {
            tools::QUERY => Ok(self.query(arguments).await.into()),
            tools::SHARE => self.share(arguments, &asking).await,
            tools::CONFIRM => self.confirm(arguments, &asking).await,
            other => {
                let calling = pass_through::call(&self.agent, other, arguments);
                match self.agent.run_until_cancelled(&context.ct, calling).await {
                    Some(result) => Ok(result?.into()),
                    None => Ok(answers::cancelled(other).into()),
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
        let known = offer::current_or_wait(&self.agent).await;
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
        let known = offer::current_or_wait(&self.agent).await;
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
        let mut changes = self.agent.offer.changes();
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
        let mut changes = self.agent.offer.changes();
        loop {
            tokio::select! {
                changed = changes.changed() => {
                    let notified = context.sink().notify_tool_list_changed().await;
                    if changed.is_err() || notified.is_err() {
                        return Ok(());
                    }
                }
                () = context.cancelled() => return Ok(()),
                () = self.agent.gone.cancelled() => return Ok(()),
            }
        }
    }
}
