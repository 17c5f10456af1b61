//! Sessions that are suspended and resumed, through rmcp.

#![allow(clippy::unwrap_used)]

use std::{net::IpAddr, time::Duration};

use axum::{body::to_bytes, http};
use futures::future::join_all;
use rmcp::model::{ServerCapabilities, ServerConfig};

use super::*;
use crate::transports::guard::rate::Counted;

const INITIALIZE: &str = r#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-11-25", "capabilities": {},
    "clientInfo": {"name": "a client", "version": "1"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc": "2.0", "method": "notifications/initialized"}"#;
/// Longer than a session is idle until it is suspended.
const IDLE: Duration = Duration::from_secs(20);

struct Listing;

impl ServerHandler for Listing {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

struct Client {
    mcp: StreamableHttp,
    session: Option<String>,
}

impl Client {
    /// Opens a session.
    async fn open(stop: CancellationToken) -> Self {
        let mcp = StreamableHttp::new(stop, || Listing);
        let mut client = Self { mcp, session: None };
        let opened = client.send(Method::POST, INITIALIZE).await;
        let session = opened.headers()[SESSION].to_str().unwrap();
        client.session = Some(session.to_owned());
        client
    }

    async fn send(&self, method: Method, body: &str) -> Response {
        let request = http::Request::builder().method(method).uri("/mcp");
        let request = request
            .header("host", "localhost")
            .header("content-type", "application/json");
        let request = match &self.session {
            Some(session) => request.header(SESSION, session),
            None => request,
        };
        let request = request.body(Body::from(body.to_owned())).unwrap();
        let opener = Opener {
            key: None,
            counted: Counted::address(IpAddr::from([127, 0, 0, 1])),
            limit: 10,
            share: 10,
        };
        self.mcp.call(request, opener).await.unwrap()
    }

    /// Requests the list of tools and checks the answer.
    async fn list(&self, id: u32) {
        let body = format!(r#"{{"jsonrpc": "2.0", "id": {id}, "method": "tools/list"}}"#);
        let answer = self.send(Method::POST, &body).await;
        assert_eq!(answer.status(), StatusCode::OK);
        let text = to_bytes(answer.into_body(), usize::MAX).await.unwrap();
        let text = String::from_utf8(text.to_vec()).unwrap();
        assert!(text.contains(r#""tools":[]"#), "{text}");
    }

    fn is_suspended(&self) -> bool {
        self.mcp.is_suspended(self.session.as_deref().unwrap())
    }
}

#[tokio::test(start_paused = true)]
async fn a_suspended_session_resumes_when_it_is_used() {
    let client = Client::open(CancellationToken::new()).await;
    tokio::time::sleep(IDLE).await;
    assert!(!client.is_suspended(), "the client is not initialized");
    let ready = client.send(Method::POST, INITIALIZED).await;
    assert_eq!(ready.status(), StatusCode::ACCEPTED);
    for round in 0..3 {
        assert!(!client.is_suspended());
        tokio::time::sleep(IDLE).await;
        assert!(client.is_suspended());
        join_all((0..8).map(|id| client.list(round * 10 + id))).await;
    }
    let listening = client.send(Method::GET, "").await;
    tokio::time::sleep(IDLE).await;
    assert!(!client.is_suspended(), "a client reads its stream");
    drop(listening);
    tokio::time::sleep(IDLE).await;
    assert!(client.is_suspended());
    assert_eq!(client.mcp.sessions(), 1);
    let ended = client.send(Method::DELETE, "").await;
    assert_eq!(ended.status(), StatusCode::NO_CONTENT);
    assert_eq!(client.mcp.sessions(), 0);
    let late = client.send(Method::POST, INITIALIZED).await;
    assert_eq!(late.status(), StatusCode::NOT_FOUND);
}

#[tokio::test(start_paused = true)]
async fn a_session_ends_after_an_idle_hour_or_with_the_server() {
    let client = Client::open(CancellationToken::new()).await;
    client.send(Method::POST, INITIALIZED).await;
    tokio::time::sleep(Duration::from_secs(59 * 60)).await;
    assert_eq!(client.mcp.sessions(), 1);
    tokio::time::sleep(Duration::from_secs(2 * 60)).await;
    assert_eq!(client.mcp.sessions(), 0);

    for was_suspended in [false, true] {
        let stop = CancellationToken::new();
        let client = Client::open(stop.clone()).await;
        client.send(Method::POST, INITIALIZED).await;
        if was_suspended {
            tokio::time::sleep(IDLE).await;
            client.list(1).await;
        }
        stop.cancel();
        tokio::time::sleep(IDLE).await;
        assert_eq!(client.mcp.sessions(), 0, "{was_suspended}");
    }
}
