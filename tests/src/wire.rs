//! Plain JSON-RPC and plain HTTP requests to a running server.

use std::{
    collections::HashMap,
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

use reqwest::{
    Certificate, Client, ClientBuilder, Method,
    header::{HeaderMap, HeaderName},
    redirect::Policy,
};
use serde_json::{Value, json};

use crate::{EventStream, within_deadline};

/// A client of one server.
#[derive(Debug, Clone)]
pub struct Wire {
    http: Client,
    base: String,
}

/// An HTTP answer, read to its end.
#[derive(Debug, Clone)]
pub struct HttpAnswer {
    /// The status code.
    pub status: u16,
    /// The answer's headers.
    pub headers: HeaderMap,
    /// The whole body.
    pub text: String,
}

impl HttpAnswer {
    /// Reads the body as JSON.
    pub fn json(&self) -> Value {
        match serde_json::from_str(&self.text) {
            Ok(value) => value,
            Err(error) => panic!("{} {:?} is not JSON: {error}", self.status, self.text),
        }
    }

    /// Finds the answer to request `id` in a JSON body or among the events of a stream.
    pub fn message(&self, id: &Value) -> Value {
        let messages: Vec<Value> = if self.text.trim_start().starts_with('{') {
            vec![self.json()]
        } else {
            let lines = self.text.lines();
            let data = lines.filter_map(|line| line.strip_prefix("data:"));
            data.filter_map(|data| serde_json::from_str(data).ok())
                .collect()
        };
        let found = messages.into_iter().find(|message| message["id"] == *id);
        found.unwrap_or_else(|| panic!("no answer to {id} in {self:?}"))
    }
}

impl Wire {
    /// Returns a client of the server at `base`, such as `http://127.0.0.1:8090`.
    pub fn new(base: &str) -> Self {
        Self {
            http: http_client(),
            base: base.to_owned(),
        }
    }

    /// Returns a client of the server at `base` that sends these headers with every request.
    pub fn with_headers(base: &str, headers: &[(&str, &str)]) -> Self {
        let headers = headers.iter().map(|(name, value)| {
            let name = HeaderName::from_bytes(name.as_bytes()).expect("a header name");
            (name, value.parse().expect("a header value"))
        });
        let http = client_builder().default_headers(headers.collect()).build();
        Self {
            http: http.expect("the client has no settings that can fail"),
            base: base.to_owned(),
        }
    }

    /// Returns a client of the server at `base` that trusts only this certificate, given as PEM.
    pub fn trusting(base: &str, certificate: &str) -> Self {
        let root = Certificate::from_pem(certificate.as_bytes()).expect("a certificate");
        let http = client_builder().tls_certs_only([root]).build();
        Self {
            http: http.expect("the certificate can be trusted"),
            base: base.to_owned(),
        }
    }

    /// Returns the server's port.
    pub fn port(&self) -> u16 {
        let port = self.base.rsplit(':').next();
        port.and_then(|port| port.parse().ok())
            .expect("the address ends with the port")
    }

    /// Returns the server's address without a path.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Sends a request with any method, headers and body.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<reqwest::Body>,
    ) -> HttpAnswer {
        let what = format!("{method} {path}");
        match self.try_send(method, path, headers, body).await {
            Ok(answer) => answer,
            Err(error) => panic!("{what}: {error:?}"),
        }
    }

    /// Sends a request like [`Self::send`].
    ///
    /// # Errors
    ///
    /// An error below HTTP, such as a broken connection.
    pub async fn try_send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<reqwest::Body>,
    ) -> Result<HttpAnswer, reqwest::Error> {
        let what = format!("{method} {path}");
        let request = self.request(method, path, headers, body);
        let answered = async {
            let response = request.send().await?;
            Ok(HttpAnswer {
                status: response.status().as_u16(),
                headers: response.headers().clone(),
                text: response.text().await?,
            })
        };
        within_deadline(&what, answered).await
    }

    /// Sends a request whose answer is an event stream, and returns the open stream.
    pub async fn open(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<reqwest::Body>,
    ) -> EventStream {
        let what = format!("{method} {path}");
        let request = self.request(method, path, headers, body);
        let response = within_deadline(&what, request.send()).await;
        EventStream::new(response.unwrap_or_else(|error| panic!("{what}: {error:?}")))
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<reqwest::Body>,
    ) -> reqwest::RequestBuilder {
        let url = format!("{}{path}", self.base);
        let request = self.http.request(method, url).body(body);
        let add = |request: reqwest::RequestBuilder, (name, value): &(&str, &str)| {
            request.header(*name, *value)
        };
        headers.iter().fold(request, add)
    }

    /// Opens a stream and reads only its head.
    pub async fn stream(&self, path: &str) -> reqwest::Response {
        let sending = self.http.get(format!("{}{path}", self.base)).send();
        let response = within_deadline(&format!("the stream {path}"), sending).await;
        response.expect("the stream opens")
    }

    /// Sends a GET request.
    pub async fn get(&self, path: &str) -> HttpAnswer {
        self.send(Method::GET, path, &[], "").await
    }

    /// Posts a body as JSON, without any header of MCP.
    pub async fn post(&self, path: &str, body: impl Into<reqwest::Body>) -> HttpAnswer {
        let headers = [("content-type", "application/json")];
        self.send(Method::POST, path, &headers, body).await
    }

    /// Calls a JSON-RPC method at `/mcp` and returns the whole answer.
    pub async fn rpc(&self, method: &str, params: Value) -> Value {
        self.rpc_at("/mcp", method, params).await
    }

    /// Calls a JSON-RPC method at `path` and returns the whole answer.
    pub async fn rpc_at(&self, path: &str, method: &str, params: Value) -> Value {
        let request = json_rpc(method, params);
        let answer = self.post(path, request.to_string()).await;
        let body = answer.json();
        assert_eq!(answer.status, 200, "{body}");
        assert_eq!(body["jsonrpc"], "2.0", "{body}");
        assert_eq!(body["id"], request["id"], "{body}");
        body
    }

    /// Calls a tool and returns its envelope.
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments});
        envelope(&self.rpc("tools/call", params).await)
    }

    /// Submits an experience and returns the id in the acknowledgement.
    pub async fn submit(&self, experience: Value) -> String {
        let answer = self.call("submit_experience", experience).await;
        let id = answer["data"]["id"].as_str();
        id.unwrap_or_else(|| panic!("submit was refused: {answer}"))
            .to_owned()
    }

    /// Submits, waits until the record has its vectors, and returns its id.
    pub async fn submit_embedded(&self, experience: Value) -> String {
        let id = self.submit(experience).await;
        self.vectors_made().await;
        id
    }

    /// Waits until no submission waits for its vectors.
    pub async fn vectors_made(&self) {
        let made = async {
            let none_waits = "\nrecall_kit_queue_vectors 0\n";
            while !self.get("/metrics").await.text.contains(none_waits) {}
        };
        within_deadline("vectors of what was submitted", made).await;
    }

    /// Submits to a server that may be killed during the call; returns `None` if no acknowledgement came.
    pub async fn submit_if_alive(&self, experience: Value) -> Option<String> {
        let params = json!({"name": "submit_experience", "arguments": experience});
        let body = json_rpc("tools/call", params).to_string();
        let headers = [("content-type", "application/json")];
        let sent = self.try_send(Method::POST, "/mcp", &headers, body).await;
        let answer = envelope(&sent.ok()?.json());
        answer["data"]["id"].as_str().map(str::to_owned)
    }

    /// Submits with an idempotency key and returns the envelope.
    pub async fn submit_keyed(&self, key: &str, experience: Value) -> Value {
        let params = json!({
            "name": "submit_experience",
            "arguments": experience,
            "_meta": {"io.recallkit/idempotency-key": key},
        });
        envelope(&self.rpc("tools/call", params).await)
    }

    /// Queries with the default page and returns the envelope's `data`.
    pub async fn query(&self, keywords: &str) -> Value {
        self.query_page(keywords, 10, 0).await
    }

    /// Queries one page and returns the envelope's `data`.
    pub async fn query_page(&self, keywords: &str, limit: u64, offset: u64) -> Value {
        let arguments = json!({"keywords": keywords, "limit": limit, "offset": offset});
        let answer = self.call("query_experiences", arguments).await;
        assert_eq!(answer["success"], true, "{keywords:?}: {answer}");
        answer["data"].clone()
    }

    /// Queries and returns the titles of the first page, best first.
    pub async fn titles(&self, keywords: &str) -> Vec<String> {
        let data = self.query_page(keywords, 50, 0).await;
        let page = data["experiences"].as_array().expect("a page is a list");
        page.iter()
            .map(|record| record["title"].as_str().unwrap_or_default().to_owned())
            .collect()
    }

    /// Reads all pages of the results and returns the records by id. Query counts are updated every second,
    /// which may move a record to a later page; in that case the walk starts again.
    ///
    /// Fails if records come twice in every attempt, or if the pages do not add up to `total`.
    pub async fn all(&self, keywords: &str, page_size: u64) -> HashMap<String, Value> {
        for _ in 0..5 {
            if let Some(records) = self.walk(keywords, page_size).await {
                return records;
            }
        }
        panic!("a record came twice each time");
    }

    /// Reads all pages once; returns `None` if a record came twice.
    async fn walk(&self, keywords: &str, page_size: u64) -> Option<HashMap<String, Value>> {
        let mut records = HashMap::new();
        loop {
            let offset = records.len() as u64;
            let data = self.query_page(keywords, page_size, offset).await;
            let page = data["experiences"].as_array().expect("a page is a list");
            for record in page {
                let id = record["id"].as_str().unwrap_or_default().to_owned();
                if records.insert(id, record.clone()).is_some() {
                    return None;
                }
            }
            if page.is_empty() || page.len() < page_size as usize {
                assert_eq!(data["total"], records.len(), "total is what the pages hold");
                return Some(records);
            }
        }
    }
}

/// Returns a JSON-RPC request with a fresh id.
pub fn json_rpc(method: &str, params: Value) -> Value {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// Returns the JSON that a tool's answer contains, after checking that its text and its structured content
/// agree.
pub fn envelope(answer: &Value) -> Value {
    let result = &answer["result"];
    let structured = &result["structuredContent"];
    assert!(structured.is_object(), "no structured content: {answer}");
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    let text: Value = serde_json::from_str(text).expect("the text content is JSON");
    assert_eq!(&text, structured, "text and structured content differ");
    // The tools of the knowledge base have no `success` field.
    let failed = match structured.get("success") {
        Some(success) => success == false,
        None => structured.get("error").is_some(),
    };
    assert_eq!(result["isError"].as_bool().unwrap_or(false), failed);
    structured.clone()
}

/// Returns a valid experience with the given title.
pub fn experience(title: &str) -> Value {
    json!({
        "title": title,
        "problem_description": "It does not work as the manual says",
        "solution": "Follow the release notes instead",
    })
}

fn http_client() -> Client {
    client_builder()
        .build()
        .expect("the client has no settings that can fail")
}

fn client_builder() -> ClientBuilder {
    static PROVIDER: OnceLock<()> = OnceLock::new();
    PROVIDER.get_or_init(|| {
        // Fails only if another part of this process has installed one already.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    Client::builder().no_proxy().redirect(Policy::none())
}
