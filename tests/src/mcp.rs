//! MCP Streamable HTTP by hand, message by message, to see exactly what the server sends.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{HttpAnswer, Wire, json_rpc};

const SESSION: &str = "mcp-session-id";

/// An initialized session.
#[derive(Debug)]
pub struct McpSession {
    wire: Wire,
    path: String,
    session: Option<String>,
    version: String,
    /// What the server said about itself.
    pub server: Value,
}

impl McpSession {
    /// Initializes a session at `path` with the given protocol version.
    pub async fn open(wire: &Wire, path: &str, version: &str) -> Self {
        let mut session = Self {
            wire: wire.clone(),
            path: path.to_owned(),
            session: None,
            version: version.to_owned(),
            server: Value::Null,
        };
        let hello = json_rpc(
            "initialize",
            json!({
                "protocolVersion": version,
                "capabilities": {},
                "clientInfo": {"name": "behaviour-tests", "version": "1"},
            }),
        );
        let answer = session.post(&hello).await;
        let id = answer.headers.get(SESSION);
        session.session = id.and_then(|id| id.to_str().ok()).map(str::to_owned);
        session.server = message(&answer, &hello["id"])["result"].clone();
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(session.post(&ready).await.status, 202);
        session
    }

    /// Returns the session's id.
    pub fn id(&self) -> &str {
        self.session.as_deref().expect("the server gave an id")
    }

    /// Sends a request and returns the whole JSON-RPC answer.
    pub async fn request(&self, method: &str, params: Value) -> Value {
        let request = json_rpc(method, params);
        let answer = self.post(&request).await;
        message(&answer, &request["id"])
    }

    /// Calls a tool and returns the result or the error.
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
            .await
    }

    /// Ends the session and returns the answer's status.
    pub async fn close(self) -> u16 {
        let headers = self.headers();
        let headers: Vec<_> = headers.iter().map(|(k, v)| (*k, v.as_str())).collect();
        self.wire
            .send(Method::DELETE, &self.path, &headers, "")
            .await
            .status
    }

    async fn post(&self, body: &Value) -> HttpAnswer {
        let headers = self.headers();
        let headers: Vec<_> = headers.iter().map(|(k, v)| (*k, v.as_str())).collect();
        self.wire
            .send(Method::POST, &self.path, &headers, body.to_string())
            .await
    }

    fn headers(&self) -> Vec<(&'static str, String)> {
        let mut headers = vec![
            ("content-type", "application/json".to_owned()),
            ("accept", "application/json, text/event-stream".to_owned()),
        ];
        if let Some(session) = &self.session {
            headers.push((SESSION, session.clone()));
            headers.push(("mcp-protocol-version", self.version.clone()));
        }
        headers
    }
}

/// Finds the answer to request `id` in a JSON body or among the events of a stream.
fn message(answer: &HttpAnswer, id: &Value) -> Value {
    let messages: Vec<Value> = if answer.text.trim_start().starts_with('{') {
        vec![answer.json()]
    } else {
        let data = answer
            .text
            .lines()
            .filter_map(|line| line.strip_prefix("data:"));
        data.filter_map(|data| serde_json::from_str(data).ok())
            .collect()
    };
    let found = messages.into_iter().find(|message| message["id"] == *id);
    found.unwrap_or_else(|| panic!("no answer to {id} in {answer:?}"))
}
