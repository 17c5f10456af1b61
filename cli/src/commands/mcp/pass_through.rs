//! Calls of the remote server's own tools, prompts and resources.
//!
//! Results are marked as complete, because the host may use a later version of MCP than the server, which
//! requires that. rmcp removes the mark for hosts of earlier versions.

use std::{env, sync::Arc};

use recall_kit_client::{CallContext, Error};
use recall_kit_shared_types::ToolName;
use rmcp::{
    ErrorData,
    model::{
        CallToolResult, CompleteRequestParams, CompleteResult, ContentBlock, GetPromptResult,
        JsonObject, ReadResourceResult, Resource, ResultType,
    },
};

use serde_json::Value;

use super::{agent::Agent, answers, offer, tools};
use crate::environment;

/// Calls a tool of the remote server.
///
/// *Errors*: invalid parameters for a tool that the server does not have.
pub(super) async fn call(
    agent: &Arc<Agent>,
    name: &str,
    arguments: JsonObject,
) -> Result<CallToolResult, ErrorData> {
    if !offer::is_passed_on(name, agent.client().config()) {
        return Err(unknown(name));
    }
    if agent.offer.current().is_none() {
        // A tool call may wait for the server, like any other call.
        agent.offer.refresh(agent.client()).await;
    }
    let Some(tool) = agent.offer.tool(name) else {
        return match agent.offer.current() {
            Some(_) => Err(unknown(name)),
            None => Ok(answers::invalid(format!(
                "the server {} cannot be reached, so its tool `{name}` cannot be called",
                agent.client().server_url()
            ))),
        };
    };
    let known = name.parse().ok();
    let context = match known {
        Some(tool) => context_of(agent, tool, &arguments).await,
        None => CallContext::default(),
    };
    let called = agent.client().call_tool(&tool, arguments, &context);
    match called.await {
        Ok(result) => {
            agent.server_answered();
            let origin = offer::server_name(agent.client());
            let mut result = answers::passed_on(result, name, &origin);
            match known {
                Some(ToolName::Recall) => answers::add_fits(&mut result),
                Some(tool) => answers::add_states(agent, tool, &mut result).await,
                None => {}
            }
            result.result_type = Some(ResultType::COMPLETE);
            Ok(result)
        }
        Err(error @ Error::Protocol { .. }) => Err(answers::protocol_error(&error)),
        Err(error) => Ok(answers::failed(&error)),
    }
}

/// Returns what of the working directory matters to a call; the client decides what of it is sent.
async fn context_of(agent: &Arc<Agent>, tool: ToolName, arguments: &JsonObject) -> CallContext {
    let text = |name: &str| {
        let text = arguments.get(name).and_then(Value::as_str);
        text.map(str::to_owned)
    };
    let client = agent.client();
    let mut context = CallContext::default();
    match tool {
        ToolName::Recall => {
            let texts = text("query").into_iter().collect();
            let folder = env::current_dir().ok();
            context.environment = environment::of(client.config(), folder, texts).await;
        }
        ToolName::ReportOutcome => {
            let id = text("experience_id").unwrap_or_default();
            // An id that is none is the server's to refuse.
            if let Ok(reference) = id.parse() {
                let record = client.look_up(&reference);
                let found = environment::of_outcome(client.config(), text("note"), record);
                context.environment = found.await;
            }
        }
        ToolName::RekallAdd => {
            let texts = [text("title"), text("content")];
            let texts = texts.into_iter().flatten().collect();
            let task_agent = Arc::clone(agent);
            let has_key = move |text: &str| task_agent.client().has_key(text);
            let cited = agent.cited_files.in_texts(client.config(), texts, has_key);
            context.citations = cited.await;
        }
        _ => {}
    }
    context
}

/// Lists the remote server's resources; returns an empty list if it cannot be reached.
pub(super) async fn resources(agent: &Arc<Agent>) -> Result<Vec<Resource>, ErrorData> {
    let known = offer::current_or_wait(agent).await;
    if known.is_none_or(|known| known.templates.is_empty()) {
        return Ok(Vec::new());
    }
    match agent.client().resources().await {
        Ok(mut resources) => {
            let server = offer::server_name(agent.client());
            for resource in &mut resources {
                let text = offer::marked(resource.description.as_deref(), &server);
                resource.description = Some(text);
            }
            Ok(resources)
        }
        Err(Error::Network { .. } | Error::Timeout { .. }) => Ok(Vec::new()),
        Err(error) => Err(answers::protocol_error(&error)),
    }
}

/// Reads a resource of the remote server.
pub(super) async fn read(agent: &Agent, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let read = agent.client().read_resource(uri).await;
    let mut read = read.map_err(|error| answers::protocol_error(&error))?;
    read.result_type = Some(ResultType::COMPLETE);
    Ok(read)
}

/// Requests completions of an argument from the remote server.
pub(super) async fn complete(
    agent: &Agent,
    params: CompleteRequestParams,
) -> Result<CompleteResult, ErrorData> {
    let completed = agent.client().complete(params).await;
    let mut completed = completed.map_err(|error| answers::protocol_error(&error))?;
    completed.result_type = Some(ResultType::COMPLETE);
    Ok(completed)
}

/// Fills in a prompt of the remote server, and replaces the name of its submission tool by that of this program.
pub(super) async fn prompt(
    agent: &Agent,
    name: &str,
    arguments: Option<JsonObject>,
) -> Result<GetPromptResult, ErrorData> {
    let filled = agent.client().prompt(name, arguments).await;
    let mut filled = filled.map_err(|error| answers::protocol_error(&error))?;
    filled.result_type = Some(ResultType::COMPLETE);
    for message in &mut filled.messages {
        if let ContentBlock::Text(block) = &mut message.content {
            let remote = ToolName::SubmitExperience.as_str();
            block.text = block.text.replace(remote, tools::SHARE);
        }
    }
    Ok(filled)
}

pub(super) fn unknown(name: &str) -> ErrorData {
    let name: String = name.chars().take(100).collect();
    ErrorData::invalid_params(format!("there is no tool `{name}`"), None)
}
