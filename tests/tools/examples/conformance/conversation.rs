//! Tools that communicate with the client while they run: logs, progress, and requests to the model and the
//! user.

use std::time::Duration;

use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolResult, ContentBlock, ProgressNotificationParam},
    service::{RequestContext, ServiceError},
};
use serde_json::{Value, json};

use crate::{fixture, log::Log};

/// How long a tool works between two messages, as the suites require.
const STEP: Duration = Duration::from_millis(50);
/// How long the client of a tool may be disconnected.
const AWAY: Duration = Duration::from_millis(500);

/// Calls a tool of this kind; returns `None` if there is none of that name.
pub(crate) async fn call(
    name: &str,
    arguments: &Value,
    context: &RequestContext<RoleServer>,
    log: &Log,
) -> Option<Result<CallToolResult, ErrorData>> {
    let done = match name {
        "test_logging_tool" => log.info(context, "Called").await.map(|()| "Logged".into()),
        "test_tool_with_logging" => log_steps(context, log).await,
        "test_tool_with_progress" => progress_steps(context).await,
        "test_sampling" => ask_model(context, &arguments["prompt"]).await,
        "test_elicitation" => ask_user(context, question(&arguments["message"])).await,
        "test_elicitation_sep1034_defaults" => ask_user(context, every_default()).await,
        "test_elicitation_sep1330_enums" => ask_user(context, every_enum()).await,
        "test_reconnection" => Ok(after_a_while().await),
        _ => return None,
    };
    Some(match done {
        Ok(text) => Ok(CallToolResult::success(vec![ContentBlock::text(text)])),
        Err(ServiceError::McpError(error)) => Err(error),
        Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
    })
}

async fn log_steps(
    context: &RequestContext<RoleServer>,
    log: &Log,
) -> Result<String, ServiceError> {
    log.info(context, "Tool execution started").await?;
    tokio::time::sleep(STEP).await;
    log.info(context, "Tool processing data").await?;
    tokio::time::sleep(STEP).await;
    log.info(context, "Tool execution completed").await?;
    Ok("Logged three messages".to_owned())
}

async fn progress_steps(context: &RequestContext<RoleServer>) -> Result<String, ServiceError> {
    let token = context.meta.get_progress_token();
    for percent in [0.0, 50.0, 100.0] {
        if let Some(token) = &token {
            let progress = ProgressNotificationParam::new(token.clone(), percent).with_total(100.0);
            context.peer.notify_progress(progress).await?;
        }
        tokio::time::sleep(STEP).await;
    }
    Ok("Reported progress".to_owned())
}

#[expect(deprecated, reason = "versions before 2026-07-28 have sampling")]
async fn ask_model(
    context: &RequestContext<RoleServer>,
    prompt: &Value,
) -> Result<String, ServiceError> {
    let request = fixture(json!({
        "messages": [{"role": "user", "content": {"type": "text", "text": prompt}}],
        "maxTokens": 100,
    }));
    let answer = json!(context.peer.create_message(request).await?);
    Ok(format!("LLM response: {}", answer["content"]["text"]))
}

async fn ask_user(
    context: &RequestContext<RoleServer>,
    question: Value,
) -> Result<String, ServiceError> {
    let answer = json!(context.peer.create_elicitation(fixture(question)).await?);
    Ok(format!(
        "Elicitation completed: action={}, content={}",
        answer["action"], answer["content"]
    ))
}

fn question(message: &Value) -> Value {
    json!({
        "message": message,
        "requestedSchema": {
            "type": "object",
            "properties": {
                "username": {"type": "string", "description": "User's response"},
                "email": {"type": "string", "description": "User's email address"},
            },
            "required": ["username", "email"],
        },
    })
}

/// A form with a default for every primitive type (SEP-1034).
fn every_default() -> Value {
    json!({
        "message": "Please check what is filled in",
        "requestedSchema": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "default": "John Doe"},
                "age": {"type": "integer", "default": 30},
                "score": {"type": "number", "default": 95.5},
                "status": {
                    "type": "string",
                    "enum": ["active", "inactive", "pending"],
                    "default": "active",
                },
                "verified": {"type": "boolean", "default": true},
            },
        },
    })
}

/// A form with every kind of enum (SEP-1330).
fn every_enum() -> Value {
    let titled = |of: &str| {
        let one = |(number, word)| json!({"const": format!("value{number}"), "title": format!("{word} {of}")});
        json!([(1, "First"), (2, "Second"), (3, "Third")].map(one))
    };
    let options = json!(["option1", "option2", "option3"]);
    json!({
        "message": "Please choose",
        "requestedSchema": {
            "type": "object",
            "properties": {
                "untitledSingle": {"type": "string", "enum": options},
                "titledSingle": {"type": "string", "oneOf": titled("Option")},
                "legacyEnum": {
                    "type": "string",
                    "enum": ["opt1", "opt2", "opt3"],
                    "enumNames": ["Option One", "Option Two", "Option Three"],
                },
                "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
                "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
            },
        },
    })
}

/// Answers after a while, so that a client can disconnect and resume (SEP-1699).
async fn after_a_while() -> String {
    tokio::time::sleep(AWAY).await;
    "Answered after a while".to_owned()
}
