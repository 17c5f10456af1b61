//! The MCP face of the tools: rmcp's handler over the one table.

use std::sync::{Arc, LazyLock};

use recall_kit_shared_types::RpcError;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorCode,
        Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
        Tool,
    },
    service::RequestContext,
};
use serde_json::{Value, json};

use super::{CallError, Object, Outcome, call, table};
use crate::app::App;

/// What agents are told about the server when they connect.
const INSTRUCTIONS: &str = "Shared memory of solved problems. Before debugging an error, call query_experiences with \
                            the error message. After solving one, offer the user to share it with submit_experience.";

/// One MCP session's handler.
#[derive(Clone)]
pub struct Handler {
    app: Arc<App>,
}

impl Handler {
    /// Makes a handler for one session.
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}

/// What `initialize` says about the server.
pub fn server_config() -> ServerConfig {
    let mut implementation = Implementation::new("recall-kit-server", env!("CARGO_PKG_VERSION"));
    implementation.title = Some("RecallKit".to_owned());
    ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
        .with_server_info(implementation)
        .with_instructions(INSTRUCTIONS)
}

/// Every tool in rmcp's shape, made once.
fn tools() -> &'static [Tool] {
    static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
        let shape = |tool| {
            serde_json::from_value(json!(tool)).expect("the table has the shape of MCP tools")
        };
        table().iter().map(shape).collect()
    });
    &TOOLS
}

/// An outcome as rmcp sends it.
fn tool_result(outcome: Outcome) -> CallToolResult {
    let structured = outcome.structured.map(|json| {
        serde_json::from_str(json.get()).expect("structured content was written as JSON")
    });
    let mut result = CallToolResult::success(vec![ContentBlock::text(outcome.text)]);
    result.structured_content = structured;
    result.is_error = Some(outcome.is_error);
    result
}

/// A protocol error as rmcp sends it.
pub fn error_data(error: CallError) -> ErrorData {
    let message = match error.cause {
        RpcError::ToolNotFound => error.details.clone(),
        cause => format!("{}: {}", cause.message(), error.details),
    };
    ErrorData::new(
        ErrorCode(error.cause.mcp_code()),
        message,
        Some(json!({ "details": error.details })),
    )
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        server_config()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools().iter().find(|tool| tool.name == name).cloned()
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools().to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let meta = match json!(context.meta) {
            Value::Object(meta) => meta,
            _ => Object::new(),
        };
        let outcome = call(
            &self.app,
            &request.name,
            request.arguments.unwrap_or_default(),
            meta,
        )
        .await;
        match outcome {
            Ok(outcome) => Ok(tool_result(outcome).into()),
            // A tool that broke down is the tool's failure, not the protocol's.
            Err(error) if error.cause == RpcError::ToolFailed => {
                Ok(CallToolResult::error(vec![ContentBlock::text(error.details)]).into())
            }
            Err(error) => Err(error_data(error)),
        }
    }
}
