//! The client that the MCP conformance suites start: it uses everything that the server offers once.
//!
//! It uses the transport that the library creates for its own connections. The suites pass the scenario's server
//! as the last argument, and further data to send in the environment.

use std::time::Duration;

use anyhow::Context as _;
use recall_kit_client::{ServerUrl, http_transport};
use rmcp::{
    ClientHandler, ClientServiceExt as _, ErrorData, RoleClient,
    model::{
        CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
        ElicitationAction, ElicitationCapability, GetPromptRequestParams, Implementation,
        JsonObject, ProtocolVersion, ReadResourceRequestParams, Tool,
    },
    service::{ClientLifecycleMode, RequestContext, RunningService},
};
use serde_json::{Value, json};

/// The variable with the protocol version of a scenario.
const VERSION: &str = "MCP_CONFORMANCE_PROTOCOL_VERSION";
/// The variable with the data that a scenario wants to be sent, as JSON; not every scenario sets it.
const CONTEXT: &str = "MCP_CONFORMANCE_CONTEXT";

/// The time to wait for the stream on which a server sends requests. It is opened in parallel with the first
/// requests, rmcp does not report when, and requests that the server sends earlier are lost.
const SETTLE: Duration = Duration::from_secs(1);

/// An open connection.
type Session = RunningService<RoleClient, Visitor>;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let url = std::env::args().next_back().context("no server is given")?;
    let url: ServerUrl = url.parse()?;
    let version = std::env::var(VERSION).unwrap_or_default();
    let stateless = version.as_str() >= ProtocolVersion::V_2026_07_28.as_str();
    let lifecycle = if stateless {
        ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        }
    } else {
        ClientLifecycleMode::Initialize
    };
    let mut session = Visitor
        .serve_with_lifecycle(http_transport(&url)?, lifecycle)
        .await?;
    if !stateless {
        tokio::time::sleep(SETTLE).await;
    }
    call_tools(&session).await?;
    read_resources(&session).await?;
    get_prompts(&session).await?;
    session.close().await?;
    Ok(())
}

/// Calls the tools that the scenario names, or else every tool.
async fn call_tools(session: &Session) -> anyhow::Result<()> {
    let tools = session.list_all_tools().await?;
    let context: Value = match std::env::var(CONTEXT) {
        Ok(context) => serde_json::from_str(&context)?,
        Err(_) => Value::Null,
    };
    let calls: Vec<CallToolRequestParams> = match context.get("toolCalls") {
        Some(calls) => serde_json::from_value(calls.clone())?,
        None => tools.iter().map(|tool| call_of(tool, &tools)).collect(),
    };
    for call in calls {
        let name = call.name.clone();
        match session.call_tool(call).await {
            Ok(result) => eprintln!("{name}: {}", json!(result.content)),
            // The scenario checks what was sent, even if it answers with an error.
            Err(error) => eprintln!("{name}: {error}"),
        }
    }
    Ok(())
}

async fn read_resources(session: &Session) -> anyhow::Result<()> {
    if has(session, "resources") {
        for resource in session.list_all_resources().await? {
            let request = ReadResourceRequestParams::new(resource.uri);
            session.read_resource(request).await?;
        }
    }
    Ok(())
}

async fn get_prompts(session: &Session) -> anyhow::Result<()> {
    if has(session, "prompts") {
        for prompt in session.list_all_prompts().await? {
            let request = GetPromptRequestParams::new(prompt.name);
            session.get_prompt(request).await?;
        }
    }
    Ok(())
}

/// Returns whether the server declared a capability.
fn has(session: &Session, capability: &str) -> bool {
    let info = session.peer_info().map(|info| json!(*info));
    info.is_some_and(|info| info["capabilities"].get(capability).is_some())
}

/// Creates a call of a tool with the arguments that its schema requires.
fn call_of(tool: &Tool, tools: &[Tool]) -> CallToolRequestParams {
    let schema = Value::Object((*tool.input_schema).clone());
    let required = schema["required"].as_array().into_iter().flatten();
    let arguments: JsonObject = required
        .filter_map(Value::as_str)
        .map(|name| {
            let value = match name {
                // An echo tool checks how the schema of the first tool was received.
                "schema" => json!(tools.first().map(|first| &first.input_schema)),
                _ => made_up(&schema["properties"][name]),
            };
            (name.to_owned(), value)
        })
        .collect();
    CallToolRequestParams::new(tool.name.clone()).with_arguments(arguments)
}

/// Returns the default of a schema, or else a value of its type.
fn made_up(schema: &Value) -> Value {
    if let Some(default) = schema.get("default") {
        return default.clone();
    }
    match schema["type"].as_str() {
        Some("number" | "integer") => json!(2),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => schema["enum"].get(0).cloned().unwrap_or(json!("word")),
    }
}

/// A client whose user accepts every form unchanged.
struct Visitor;

impl ClientHandler for Visitor {
    fn get_info(&self) -> ClientConfig {
        let name = Implementation::new("recall-kit-conformance-client", "1.0.0");
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = Some(ElicitationCapability::default());
        ClientConfig::new(capabilities, name)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let form = json!(request)["requestedSchema"]["properties"].take();
        let filled: JsonObject = form
            .as_object()
            .into_iter()
            .flatten()
            .map(|(field, schema)| (field.clone(), made_up(schema)))
            .collect();
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(Value::Object(filled)))
    }
}
