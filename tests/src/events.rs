//! An event stream (`text/event-stream`) read event by event while it is open.

use reqwest::Response;
use serde_json::Value;

use crate::within_deadline;

/// One event. Source: WHATWG HTML, "Server-sent events".
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// The type; empty for the default, `message`.
    pub name: String,
    /// The id, with which the stream can be resumed.
    pub id: Option<String>,
    /// The data.
    pub data: String,
}

/// An open stream; dropping it cuts the connection.
#[derive(Debug)]
pub struct EventStream {
    response: Response,
    unread: Vec<u8>,
    last_id: Option<String>,
}

impl EventStream {
    /// Reads an answer, which must be an event stream.
    pub(crate) fn new(response: Response) -> Self {
        let kind = response.headers().get("content-type");
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let status = response.status();
        assert!(
            status == 200 && kind.starts_with("text/event-stream"),
            "{status} {kind:?} is no event stream"
        );
        Self {
            response,
            unread: Vec::new(),
            last_id: None,
        }
    }

    /// Returns the id of the newest event that had one.
    pub fn last_id(&self) -> Option<&str> {
        self.last_id.as_deref()
    }

    /// Waits for the next event; `None` at the end of the stream.
    pub async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.take_event() {
                if event.id.is_some() {
                    self.last_id.clone_from(&event.id);
                }
                return Some(event);
            }
            let chunk = within_deadline("the next event", self.response.chunk()).await;
            match chunk {
                Ok(Some(bytes)) => self.unread.extend_from_slice(&bytes),
                Ok(None) | Err(_) => return None,
            }
        }
    }

    /// Waits for the next JSON-RPC message; `None` at the end of the stream.
    pub async fn message(&mut self) -> Option<Value> {
        loop {
            let event = self.next().await?;
            let is_message = matches!(event.name.as_str(), "" | "message");
            if is_message && !event.data.is_empty() {
                let parsed = serde_json::from_str(&event.data);
                return Some(parsed.unwrap_or_else(|error| panic!("{event:?}: {error}")));
            }
        }
    }

    /// Reads messages up to the answer to a request; returns the messages before the answer, and the answer.
    pub async fn answer(&mut self, id: &Value) -> (Vec<Value>, Value) {
        let mut before = Vec::new();
        while let Some(message) = self.message().await {
            if message["id"] == *id && message.get("method").is_none() {
                return (before, message);
            }
            before.push(message);
        }
        panic!("the stream ended without the answer to {id}, after {before:?}");
    }

    /// Waits for the next notification of a method, skipping other messages.
    pub async fn notification(&mut self, method: &str) -> Value {
        while let Some(message) = self.message().await {
            if message["method"] == method {
                return message["params"].clone();
            }
        }
        panic!("the stream ended without {method}");
    }

    /// Removes the first complete event from the data that was read; comments and lone `retry` fields are
    /// skipped.
    fn take_event(&mut self) -> Option<Event> {
        loop {
            let end = self.unread.windows(2).position(|two| two == b"\n\n")?;
            let block: Vec<u8> = self.unread.drain(..end + 2).collect();
            let block = String::from_utf8(block).expect("events are UTF-8");
            let mut event = Event::default();
            for line in block.lines() {
                match line.split_once(':') {
                    Some(("event", value)) => event.name = value.trim_start().to_owned(),
                    Some(("id", value)) => event.id = Some(value.trim_start().to_owned()),
                    Some(("data", value)) => {
                        event
                            .data
                            .push_str(value.strip_prefix(' ').unwrap_or(value));
                    }
                    _ => {}
                }
            }
            if event != Event::default() {
                return Some(event);
            }
        }
    }
}
