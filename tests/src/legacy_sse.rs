//! The HTTP+SSE transport of 2024-11-05, message by message.

use reqwest::Method;
use serde_json::{Value, json};

use crate::{EventStream, HttpAnswer, Wire, json_rpc};

/// An initialized session: the server's messages come on a stream, the client's messages are posted.
#[derive(Debug)]
pub struct LegacySession {
    /// The stream of the server's messages.
    pub events: EventStream,
    /// The address to post messages to.
    pub address: String,
    wire: Wire,
    headers: Vec<(String, String)>,
}

impl LegacySession {
    /// Opens the stream at `path` and initializes, with further headers on every request.
    pub async fn open(wire: &Wire, path: &str, headers: &[(&str, &str)]) -> Self {
        let mut events = wire.open(Method::GET, path, headers, "").await;
        let first = events.next().await.expect("the stream is open");
        assert_eq!(first.name, "endpoint");
        assert!(first.data.starts_with("/messages?session_id="), "{first:?}");
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let mut session = Self {
            events,
            address: first.data,
            wire: wire.clone(),
            headers: headers.iter().map(owned).collect(),
        };
        let hello = json!({
            "protocolVersion": "2024-11-05",
            "capabilities": {},
            "clientInfo": {"name": "behaviour-tests", "version": "1"},
        });
        let welcome = session.request("initialize", hello).await;
        assert_eq!(
            welcome["result"]["protocolVersion"], "2024-11-05",
            "{welcome}"
        );
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(session.send(ready.to_string()).await.status, 202);
        session
    }

    /// Sends a request and waits for its answer on the stream.
    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        let request = json_rpc(method, params);
        let accepted = self.send(request.to_string()).await;
        assert_eq!(
            (accepted.status, accepted.text.as_str()),
            (202, ""),
            "{method}"
        );
        self.events.answer(&request["id"]).await.1
    }

    /// Sends a body as it is.
    pub async fn send(&self, body: String) -> HttpAnswer {
        let headers = self.headers.iter().map(|(k, v)| (k.as_str(), v.as_str()));
        let headers: Vec<_> = headers.collect();
        let sending = self.wire.send(Method::POST, &self.address, &headers, body);
        sending.await
    }

    /// Waits until the server ends the stream.
    pub async fn ended(mut self) {
        while self.events.next().await.is_some() {}
    }
}
