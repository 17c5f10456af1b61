//! The same request over MCP and over plain JSON-RPC: both must give the same answer.

use serde_json::{Value, json};

use crate::{McpSession, Wire};

/// One server, called over MCP and over plain JSON-RPC.
#[derive(Debug)]
pub struct BothProtocols {
    wire: Wire,
    session: McpSession,
}

impl BothProtocols {
    /// Opens an MCP session beside plain JSON-RPC.
    pub async fn open(wire: &Wire) -> Self {
        Self {
            wire: wire.clone(),
            session: McpSession::open(wire, "/mcp", "2025-11-25").await,
        }
    }

    /// Returns the result if both protocols return the same one. If both return an error with the same
    /// `details`, returns the error of plain JSON-RPC.
    pub async fn ask(&self, method: &str, params: Value) -> Value {
        let plain = self.wire.rpc(method, params.clone()).await;
        let mcp = self.session.request(method, params).await;
        if plain.get("error").is_some() {
            let details = |answer: &Value| answer["error"]["data"]["details"].clone();
            assert_eq!(details(&plain), details(&mcp), "{plain}, {mcp}");
            return plain["error"].clone();
        }
        assert_eq!(plain["result"], mcp["result"], "{method}: {mcp}");
        plain["result"].clone()
    }

    /// Calls a tool like [`Self::ask`].
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        self.ask("tools/call", params).await
    }
}
