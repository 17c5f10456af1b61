//! Every route of the server, as a table for tests that must hold on each of them.

use serde_json::{Value, json};

use crate::{RawRest, json_rpc};

/// A request to one face, and the status of its answer where nothing is in the way.
#[derive(Debug, Clone)]
pub struct Face {
    /// The method.
    pub method: &'static str,
    /// The path, with its query.
    pub path: &'static str,
    /// The headers that make it this face's.
    pub headers: Vec<(&'static str, &'static str)>,
    /// The body.
    pub body: String,
    /// The status of the answer.
    pub status: u16,
}

impl Face {
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

/// Routes that say nothing but that the server is there.
pub fn open_faces() -> Vec<Face> {
    ["/healthz", "/readyz", "/mcp/health"]
        .map(|path| Face::get(path, 200))
        .to_vec()
}

/// Every route that does something, in each of its faces.
pub fn guarded_faces() -> Vec<Face> {
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
    let mut faces = vec![
        Face::get("/mcp/tools", 200),
        Face::get("/metrics", 200),
        Face::get("/mcp", 405),
        Face::get("/sse", 200),
        Face::get("/stream", 200),
        Face::get("/ws", 101).with(&upgrade),
        Face::get("/no/such/page", 404),
        Face::post("/tools/list", &[], &list),
        Face::post("/tools/call", &[], &call),
        Face::post("/rpc", &[], &list),
    ];
    let messages = Face::post("/messages?session_id=none", &[], &list);
    faces.push(Face {
        status: 404,
        ..messages
    });
    for path in ["/", "/mcp", "/stream"] {
        faces.push(Face::post(path, &[], &call));
        faces.push(Face::post(path, &[both], &hello));
        faces.push(Face::post(path, &modern, &stateless));
    }
    faces
}
