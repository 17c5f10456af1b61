//! MCP without sessions, version 2026-07-28, written by hand: every request contains all the server needs to
//! know.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{EventStream, Wire, json_rpc};

const VERSION: &str = "2026-07-28";

/// Sends requests of 2026-07-28 to one server.
#[derive(Debug, Clone)]
pub struct Stateless {
    wire: Wire,
}

impl Stateless {
    /// Talks to the server's `/mcp`.
    pub fn new(wire: &Wire) -> Self {
        Self { wire: wire.clone() }
    }

    /// Sends a request and returns the whole JSON-RPC answer, whether it came as JSON or on a stream.
    pub async fn request(&self, method: &str, params: Value) -> Value {
        let request = Self::request_with_meta(method, params);
        let headers = Self::headers(&request);
        let headers: Vec<_> = headers.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let body = request.to_string();
        let answer = self.wire.send(Method::POST, "/mcp", &headers, body).await;
        answer.message(&request["id"])
    }

    /// Sends a request whose answer is a stream; returns the request's id and the stream.
    pub async fn start(&self, method: &str, params: Value) -> (Value, EventStream) {
        let request = Self::request_with_meta(method, params);
        let headers = Self::headers(&request);
        let headers: Vec<_> = headers.iter().map(|(k, v)| (*k, v.as_str())).collect();
        let body = request.to_string();
        let stream = self.wire.open(Method::POST, "/mcp", &headers, body).await;
        (request["id"].clone(), stream)
    }

    /// Builds a request with the `_meta` fields that the version requires, besides those in `params`.
    fn request_with_meta(method: &str, params: Value) -> Value {
        let mut request = json_rpc(method, params);
        let meta = &mut request["params"]["_meta"];
        meta["io.modelcontextprotocol/protocolVersion"] = json!(VERSION);
        meta["io.modelcontextprotocol/clientInfo"] =
            json!({"name": "behaviour-tests", "version": "1"});
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        request
    }

    fn headers(request: &Value) -> Vec<(&'static str, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut headers = vec![
            ("content-type", "application/json".to_owned()),
            ("accept", "application/json, text/event-stream".to_owned()),
            ("mcp-protocol-version", VERSION.to_owned()),
            ("mcp-method", text(&request["method"])),
        ];
        for named in ["name", "uri"] {
            let value = &request["params"][named];
            if value.is_string() {
                headers.push(("mcp-name", text(value)));
            }
        }
        headers
    }
}
