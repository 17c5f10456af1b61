//! The same question over MCP and over the plain face: both must give one answer.

use serde_json::{Value, json};

use crate::{McpSession, Wire};

/// One server, asked over both faces.
#[derive(Debug)]
pub struct BothFaces {
    wire: Wire,
    session: McpSession,
}

impl BothFaces {
    /// Opens a session besides the plain face.
    pub async fn open(wire: &Wire) -> Self {
        Self {
            wire: wire.clone(),
            session: McpSession::open(wire, "/mcp", "2025-11-25").await,
        }
    }

    /// Returns the result that both faces agree on; or the plain face's error, when both say the
    /// same in `details`.
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

    /// Calls a tool, as [`Self::ask`].
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        self.ask("tools/call", params).await
    }
}
