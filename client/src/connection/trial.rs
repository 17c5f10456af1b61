//! A first call through the command that an agent's settings contain, started as the agent starts it.

use std::time::{Duration, Instant};

use recall_kit_shared_types::ToolName;
use rmcp::model::{RequestMetaObject, Tool};
use serde_json::{Map, Value, json};
use tokio::process::Command;

use super::{Connection, ToolCall, answer::quoted, program::spawn};
use crate::Error;

/// How long start, list of tools and call may take together. The first start of a server creates its database and
/// loads its model.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How often and how far apart the tools are listed again while `recall` is missing.
const REPEATS: (u32, Duration) = (20, Duration::from_millis(250));

/// The result of a first call.
#[derive(Debug, Clone, PartialEq)]
pub struct FirstCall {
    /// The number of tools that the program lists.
    pub tools: usize,
    /// The tool that was called.
    pub tool: ToolName,
    /// The structured answer.
    pub answer: Value,
    /// How long it took, from the start of the program to the answer.
    pub took: Duration,
}

impl FirstCall {
    /// Returns the titles of what was found, best first.
    pub fn titles(&self) -> Vec<&str> {
        let found = match self.tool {
            ToolName::Recall => self.answer.get("results"),
            _ => self.answer.pointer("/data/experiences"),
        };
        let found = found.and_then(Value::as_array).into_iter().flatten();
        found
            .map(|one| one.get("title").and_then(Value::as_str).unwrap_or_default())
            .collect()
    }
}

/// Starts an MCP server as an agent does, lists its tools, and asks `recall` once; `query_experiences` if it does not
/// list `recall`.
///
/// *Errors*: [`Error::Network`] if it does not start or ends early, [`Error::Timeout`] after a minute,
/// [`Error::Answer`] if it has neither tool or the call failed.
pub async fn first_call(
    program: &str,
    arguments: &[String],
    query: &str,
) -> Result<FirstCall, Error> {
    let started = Instant::now();
    let mut command = Command::new(program);
    command.args(arguments);
    let server = program.to_owned();
    let trial = async {
        let running = spawn(command, &server, false)?;
        let connection = Connection::over_pipes(running, server.clone()).await?;
        let outcome = ask(&connection, &server, query).await;
        let took = started.elapsed();
        connection.close().await;
        let (tools, tool, answer) = outcome?;
        Ok(FirstCall {
            tools,
            tool,
            answer,
            took,
        })
    };
    let outcome = tokio::time::timeout(TIMEOUT, trial).await;
    outcome.unwrap_or_else(|_| {
        Err(Error::Timeout {
            server: program.to_owned(),
            after: TIMEOUT,
        })
    })
}

/// Lists the tools. The client beside an agent lists those of its server only once the server has answered, so it is
/// asked again for a while.
async fn listed(connection: &Connection) -> Result<Vec<Tool>, Error> {
    let (repeats, pause) = REPEATS;
    let mut tools = connection.tools().await?;
    for _ in 0..repeats {
        if tools.iter().any(|it| it.name == ToolName::Recall.as_str()) {
            break;
        }
        tokio::time::sleep(pause).await;
        tools = connection.tools().await?;
    }
    Ok(tools)
}

async fn ask(
    connection: &Connection,
    server: &str,
    query: &str,
) -> Result<(usize, ToolName, Value), Error> {
    let tools = listed(connection).await?;
    let lists = |tool: ToolName| tools.iter().any(|it| it.name == tool.as_str());
    let (tool, arguments) = match lists(ToolName::Recall) {
        true => (ToolName::Recall, json!({"query": query})),
        false => (ToolName::QueryExperiences, json!({"keywords": query})),
    };
    let failed = |reason: String| Error::Answer {
        server: server.to_owned(),
        reason,
    };
    if !lists(tool) {
        let names = [ToolName::Recall, ToolName::QueryExperiences].map(ToolName::as_str);
        return Err(failed(format!("it lists neither {}", names.join(" nor "))));
    }
    let arguments: Map<String, Value> = arguments.as_object().cloned().unwrap_or_default();
    let call = ToolCall {
        tool: tool.as_str().to_owned(),
        arguments,
        meta: RequestMetaObject::new(),
    };
    let result = connection.call(call).await?;
    let text = result.content.iter().find_map(|it| it.as_text());
    let text = text.map(|it| it.text.as_str()).unwrap_or_default();
    if result.is_error == Some(true) {
        return Err(failed(quoted(text)));
    }
    let answer = match result.structured_content {
        Some(answer) => answer,
        None => serde_json::from_str(text).unwrap_or_default(),
    };
    let has_failed = answer.get("success") == Some(&Value::Bool(false));
    match has_failed {
        true => Err(failed(quoted(text))),
        false => Ok((tools.len(), tool, answer)),
    }
}
