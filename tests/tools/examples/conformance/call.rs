//! Dispatches calls to the tools.

use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock},
    service::RequestContext,
};
use serde_json::{Value, json};

use crate::{
    changes::Change,
    content, conversation, fixture,
    handler::capabilities_of,
    input_required::{self, Outcome},
    round::Round,
    session::Fixtures,
    tasks,
};

/// Calls a tool.
///
/// *Errors*: invalid parameters, if there is no tool of that name; or the error of the tool.
pub(crate) async fn call(
    fixtures: &Fixtures,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let name = request.name.as_ref();
    if let Some(change) = Change::of_tool(name) {
        // Fails if no client is listening.
        fixtures.shared.changes.send(change).ok();
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
    if let Some(result) = conversation::call(name, &arguments, &context, &fixtures.log).await {
        return result.map(Into::into);
    }
    let client = capabilities_of(&context);
    let manager = &fixtures.shared.tasks;
    if let Some(result) = tasks::call(manager, name, &arguments, &client).await {
        return result;
    }
    let round = Round::of_tool(&request, &fixtures.shared.codec, client.clone())?;
    match input_required::call(&round) {
        Some(Outcome::Done(text)) if name == "test_tool_with_task" => {
            tasks::say(manager, text, &client)
        }
        Some(Outcome::Done(text)) => {
            Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
        }
        Some(Outcome::Needs(requests, state)) => round.ask(requests, state).map(Into::into),
        None => {
            let details = format!("there is no tool {name}");
            Err(ErrorData::invalid_params(details, None))
        }
    }
}
