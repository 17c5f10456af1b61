//! Tools that run as tasks (SEP-2663): the client gets a handle at once, and the result when it polls.

use std::time::Duration;

use rmcp::{
    ErrorData,
    model::{CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, CreateTaskResult},
    task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions},
};
use serde_json::{Value, json};

use crate::{fixture, round::form};

/// The polling interval for clients, in milliseconds.
const POLL_MS: u64 = 100;

/// The work of a task.
#[derive(Debug, Clone)]
enum Work {
    Compute(Duration),
    Fail,
    BreakDown,
    Confirm,
    AskTwo,
    Say(String),
}

/// Calls a tool of this kind; returns `None` if there is none of that name.
pub(crate) async fn call(
    manager: &TaskManager,
    name: &str,
    arguments: &Value,
    client: &ClientCapabilities,
) -> Option<Result<CallToolResponse, ErrorData>> {
    let work = match name {
        "greet" => {
            let greeting = format!("Hello, {}!", arguments["name"].as_str().unwrap_or("you"));
            return Some(Ok(text_result(&greeting).into()));
        }
        "slow_compute" => {
            let seconds = arguments["seconds"].as_f64().unwrap_or_default();
            Work::Compute(Duration::try_from_secs_f64(seconds).unwrap_or_default())
        }
        "failing_job" => Work::Fail,
        "protocol_error_job" => Work::BreakDown,
        "confirm_delete" => Work::Confirm,
        "multi_input" => Work::AskTwo,
        _ => return None,
    };
    if let (Work::Compute(time), false) = (&work, client.supports_tasks()) {
        // This tool works without tasks: the client waits for the answer.
        tokio::time::sleep(*time).await;
        return Some(Ok(computed(*time).into()));
    }
    Some(start(manager, work, client))
}

/// Starts a task that returns a text in the end.
pub(crate) fn say(
    manager: &TaskManager,
    text: String,
    client: &ClientCapabilities,
) -> Result<CallToolResponse, ErrorData> {
    start(manager, Work::Say(text), client)
}

fn start(
    manager: &TaskManager,
    work: Work,
    client: &ClientCapabilities,
) -> Result<CallToolResponse, ErrorData> {
    if !client.supports_tasks() {
        let needed = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
        return Err(ErrorData::missing_required_client_capability(fixture(
            needed,
        )));
    }
    let options = TaskOptions::new().with_poll_interval_ms(POLL_MS);
    let task = manager.spawn(options, |context| Box::pin(run(work, context)));
    Ok(CreateTaskResult::new(task).into())
}

async fn run(work: Work, context: TaskContext) -> Result<CallToolResult, TaskExit> {
    match work {
        Work::Compute(time) => {
            tokio::select! {
                () = tokio::time::sleep(time) => Ok(computed(time)),
                () = context.cancelled() => Err(TaskExit::Cancelled),
            }
        }
        Work::Fail => {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let text = ContentBlock::text("The job failed, as it always does");
            Ok(CallToolResult::error(vec![text]))
        }
        Work::BreakDown => {
            let error = ErrorData::internal_error("the job broke down, as it always does", None);
            Err(TaskExit::Error(error))
        }
        Work::Confirm => {
            let answer = ask(&context, "confirm", "Delete it?").await?;
            Ok(text_result(&format!("Asked, and the answer was {answer}")))
        }
        Work::AskTwo => {
            let (first, second) = tokio::try_join!(
                ask(&context, "first", "What comes first?"),
                ask(&context, "second", "What comes second?"),
            )?;
            Ok(text_result(&format!("{first}, then {second}")))
        }
        Work::Say(text) => Ok(text_result(&text)),
    }
}

async fn ask(context: &TaskContext, key: &str, message: &str) -> Result<Value, TaskExit> {
    let form = fixture(form(message, "answer", "string"));
    context.request_input(key, form).await
}

fn computed(time: Duration) -> CallToolResult {
    text_result(&format!("Computed for {} s", time.as_secs_f64()))
}

fn text_result(text: &str) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}
