//! The HTTP+SSE transport of 2024-11-05, message by message.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{RawConnection, RawRest, Wire, json_rpc};

/// An initialized session: a stream down, messages up.
#[derive(Debug)]
pub struct LegacySession {
    stream: RawConnection,
    wire: Wire,
    headers: Vec<(String, String)>,
    /// Where messages go.
    pub address: String,
}

impl LegacySession {
    /// Opens the stream at `path` and initializes, with further headers on every request.
    pub async fn open(wire: &Wire, path: &str, headers: &[(&str, &str)]) -> Self {
        let mut stream = RawConnection::open(wire.port()).await;
        let rest = RawRest {
            headers,
            ..RawRest::default()
        };
        let answer = stream.request("GET", path, &rest).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let first = stream.until("\n\n").await.expect("the stream is open");
        let address = first.lines().find_map(|line| line.strip_prefix("data: "));
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let mut session = Self {
            address: address.unwrap_or_default().trim().to_owned(),
            headers: headers.iter().map(owned).collect(),
            wire: wire.clone(),
            stream,
        };
        let hello = json!({
            "protocolVersion": "2024-11-05",
            "capabilities": {},
            "clientInfo": {"name": "behaviour-tests", "version": "1"},
        });
        session.request("initialize", hello).await;
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(session.post(&ready).await, 202);
        session
    }

    /// Sends a request and waits for its answer on the stream.
    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        let request = json_rpc(method, params);
        assert_eq!(self.post(&request).await, 202, "{request}");
        loop {
            let event = self.stream.until("\n\n").await.expect("the stream is open");
            let data = event.lines().filter_map(|line| line.strip_prefix("data: "));
            let mut messages = data.filter_map(|data| serde_json::from_str::<Value>(data).ok());
            if let Some(answer) = messages.find(|message| message["id"] == request["id"]) {
                return answer;
            }
        }
    }

    /// Sends a message and returns the answer's status.
    pub async fn post(&self, message: &Value) -> u16 {
        let headers = self.headers.iter().map(|(k, v)| (k.as_str(), v.as_str()));
        let headers: Vec<_> = headers.collect();
        let body = message.to_string();
        let sent = self.wire.send(Method::POST, &self.address, &headers, body);
        sent.await.status
    }

    /// Waits until the server ends the stream.
    pub async fn ended(mut self) {
        // Either as a body ends, or with the connection.
        drop(self.stream.until("\r\n0\r\n\r\n").await);
    }
}
