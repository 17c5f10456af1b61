//! Every route of the server, as a table for tests that must hold on each of them.

use serde_json::{Value, json};

use crate::{RawRest, json_rpc};

/// A request to one route over one of its protocols, and the status of its answer when nothing refuses it.
#[derive(Debug, Clone)]
pub struct RouteRequest {
    /// The method.
    pub method: &'static str,
    /// The path, with its query.
    pub path: &'static str,
    /// The headers that select the protocol.
    pub headers: Vec<(&'static str, &'static str)>,
    /// The body.
    pub body: String,
    /// The status of the answer.
    pub status: u16,
}

impl RouteRequest {
    fn get(path: &'static str, status: u16) -> Self {
        Self {
            method: "GET",
            path,
            headers: Vec::new(),
            body: String::new(),
            status,
        }
    }

    fn post(path: &'static str, headers: &[(&'static str, &'static str)], body: &Value) -> Self {
        let json = ("content-type", "application/json");
        Self {
            method: "POST",
            path,
            headers: [&[json], headers].concat(),
            body: body.to_string(),
            status: 200,
        }
    }

    fn with(mut self, headers: &[(&'static str, &'static str)]) -> Self {
        self.headers.extend(headers);
        self
    }

    /// Returns the request with a host and further headers.
    pub fn request(&self, host: Option<&str>, more: &[(&str, &str)]) -> String {
        let headers = [&self.headers[..], more].concat();
        let rest = RawRest {
            host,
            headers: &headers,
            body: &self.body,
        };
        rest.request(self.method, self.path)
    }
}

/// Routes that report only that the server is up; they need no key.
pub fn open_routes() -> Vec<RouteRequest> {
    ["/healthz", "/readyz", "/mcp/health"]
        .map(|path| RouteRequest::get(path, 200))
        .to_vec()
}

/// Every other route, once for each protocol that it serves.
pub fn guarded_routes() -> Vec<RouteRequest> {
    let list = json_rpc("tools/list", json!({}));
    let call = json!({"name": "query_experiences", "arguments": {"keywords": "face"}});
    let call = json_rpc("tools/call", call);
    let client = json!({"name": "behaviour-tests", "version": "1"});
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let hello = json_rpc("initialize", hello);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": client,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let stateless = json_rpc("tools/list", json!({"_meta": meta}));
    let both = ("accept", "application/json, text/event-stream");
    let modern = [
        both,
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/list"),
    ];
    let upgrade = [
        ("connection", "upgrade"),
        ("upgrade", "websocket"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", "AAAAAAAAAAAAAAAAAAAAAA=="),
    ];
    let mut routes = vec![
        RouteRequest::get("/mcp/tools", 200),
        RouteRequest::get("/metrics", 200),
        RouteRequest::get("/mcp", 405),
        RouteRequest::get("/sse", 200),
        RouteRequest::get("/stream", 200),
        RouteRequest::get("/ws", 101).with(&upgrade),
        RouteRequest::get("/no/such/page", 404),
        RouteRequest::post("/tools/list", &[], &list),
        RouteRequest::post("/tools/call", &[], &call),
        RouteRequest::post("/rpc", &[], &list),
    ];
    let messages = RouteRequest::post("/messages?session_id=none", &[], &list);
    routes.push(RouteRequest {
        status: 404,
        ..messages
    });
    for path in ["/", "/mcp", "/stream"] {
        routes.push(RouteRequest::post(path, &[], &call));
        routes.push(RouteRequest::post(path, &[both], &hello));
        routes.push(RouteRequest::post(path, &modern, &stateless));
    }
    routes
}
