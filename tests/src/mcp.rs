//! MCP over Streamable HTTP by hand, message by message, to see exactly what the server sends.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{EventStream, HttpAnswer, Wire, json_rpc};

const SESSION: &str = "mcp-session-id";

/// An initialized session.
#[derive(Debug)]
pub struct McpSession {
    wire: Wire,
    path: String,
    session: Option<String>,
    version: String,
    /// The server's answer to `initialize`.
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
        session.server = answer.message(&hello["id"])["result"].clone();
        session.notify("notifications/initialized", json!({})).await;
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
        answer.message(&request["id"])
    }

    /// Sends a request; returns its id and the stream on which its answer will come.
    pub async fn start(&self, method: &str, params: Value) -> (Value, EventStream) {
        let request = json_rpc(method, params);
        let body = request.to_string();
        let stream = self.open_stream(Method::POST, &self.headers(), body).await;
        (request["id"].clone(), stream)
    }

    /// Sends a notification.
    pub async fn notify(&self, method: &str, params: Value) {
        let notification = json!({"jsonrpc": "2.0", "method": method, "params": params});
        let answer = self.post(&notification).await;
        assert_eq!(answer.status, 202, "{method}: {}", answer.text);
    }

    /// Opens the session's own stream, for messages that belong to no request.
    pub async fn events(&self) -> EventStream {
        self.open_stream(Method::GET, &self.headers(), String::new())
            .await
    }

    /// Reopens a stream after the event with this id.
    pub async fn resume(&self, last_event_id: &str) -> EventStream {
        let mut headers = self.headers();
        headers.push(("last-event-id", last_event_id.to_owned()));
        self.open_stream(Method::GET, &headers, String::new()).await
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

    async fn open_stream(
        &self,
        method: Method,
        headers: &[(&'static str, String)],
        body: String,
    ) -> EventStream {
        let headers: Vec<_> = headers.iter().map(|(k, v)| (*k, v.as_str())).collect();
        self.wire.open(method, &self.path, &headers, body).await
    }

    /// Sends a message as it is.
    pub async fn post(&self, body: &Value) -> HttpAnswer {
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
