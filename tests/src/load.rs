//! Many concurrent clients, each on its own connection, that query and submit for a while.

use std::{
    collections::{BTreeMap, HashSet},
    fmt,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::{RawConnection, RawRest, json_rpc};

/// One of this many requests is a submission.
const SUBMIT_EVERY: u64 = 10;
/// The queries; some match many records, some none.
const QUERIES: [&str; 8] = [
    "connection refused",
    "docker build fails",
    "磁盘空间不足",
    "load record",
    "E0502 cannot borrow",
    "timeout after deploy",
    "no such thing as this",
    "permission denied",
];

/// The number of clients, and how long they run.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    /// Concurrent clients; every second one uses an MCP session.
    pub clients: u64,
    /// How long the clients run.
    pub duration: Duration,
}

/// The results of the requests.
#[derive(Debug, Default)]
pub struct LoadReport {
    /// The ids of acknowledged submissions.
    pub acknowledged: HashSet<String>,
    /// The number of errors, by their kind.
    pub errors: BTreeMap<String, u64>,
    queries: Vec<Duration>,
    submits: Vec<Duration>,
}

impl Load {
    /// Runs the clients against the server at a port until all of them are done.
    pub async fn run(self, port: u16) -> LoadReport {
        let end = Instant::now() + self.duration;
        let clients: JoinSet<LoadReport> = (0..self.clients)
            .map(|number| run_client(port, number, end))
            .collect();
        let reports = clients.join_all().await;
        reports
            .into_iter()
            .fold(LoadReport::default(), LoadReport::with)
    }
}

impl LoadReport {
    fn with(mut self, other: Self) -> Self {
        self.acknowledged.extend(other.acknowledged);
        for (kind, count) in other.errors {
            *self.errors.entry(kind).or_default() += count;
        }
        self.queries.extend(other.queries);
        self.submits.extend(other.submits);
        self
    }

    fn note(&mut self, is_submit: bool, took: Duration, answer: Result<Value, String>) {
        let data = answer.and_then(|envelope| match envelope["success"].as_bool() {
            Some(true) => Ok(envelope["data"].clone()),
            _ => Err(envelope["error"]["code"].to_string()),
        });
        match data {
            Err(kind) => *self.errors.entry(kind).or_default() += 1,
            Ok(data) if is_submit => {
                let id = data["id"].as_str().expect("a stored record has an id");
                let is_new = self.acknowledged.insert(id.to_owned());
                assert!(is_new, "{id} was given twice");
                self.submits.push(took);
            }
            Ok(_) => self.queries.push(took),
        }
    }
}

impl fmt::Display for LoadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (kind, took) in [("queries", &self.queries), ("submits", &self.submits)] {
            let mut took = took.clone();
            took.sort_unstable();
            let at = |share: usize| took.get(took.len() * share / 100).copied();
            let [p50, p95, p99] = [50, 95, 99].map(|share| at(share).unwrap_or_default());
            let slowest = took.last().copied().unwrap_or_default();
            writeln!(
                f,
                "{:>8} {kind}: p50 {p50:.1?}, p95 {p95:.1?}, p99 {p99:.1?}, slowest {slowest:.1?}",
                took.len(),
            )?;
        }
        write!(f, "  errors: {:?}", self.errors)
    }
}

async fn run_client(port: u16, number: u64, end: Instant) -> LoadReport {
    let mut report = LoadReport::default();
    let mut client = None;
    for turn in number.. {
        if Instant::now() >= end {
            break;
        }
        if client.is_none() {
            match Client::open(port, number % 2 == 1).await {
                Ok(opened) => client = Some(opened),
                Err(kind) => {
                    *report.errors.entry(kind).or_default() += 1;
                    continue;
                }
            }
        }
        let Some(open) = &mut client else { continue };
        let is_submit = turn % SUBMIT_EVERY == 0;
        let params = if is_submit {
            submit(number, turn)
        } else {
            query(turn)
        };
        let started = Instant::now();
        let answer = open.call(params).await;
        if answer.is_err() {
            client = None;
        }
        report.note(is_submit, started.elapsed(), answer);
    }
    report
}

fn submit(number: u64, turn: u64) -> Value {
    let title = format!("Load record {turn} of client {number}");
    json!({
        "name": "submit_experience",
        "arguments": {
            "title": title,
            "problem_description": "The connection is refused after a deploy, and the log says nothing",
            "solution": "Wait for the readiness probe before the old process is stopped",
            "keywords": ["load", "deploy"],
        },
        "_meta": {"io.recallkit/idempotency-key": format!("load-{number}-{turn}")},
    })
}

fn query(turn: u64) -> Value {
    let index = usize::try_from(turn).unwrap_or_default() % QUERIES.len();
    json!({
        "name": "query_experiences",
        "arguments": {"keywords": QUERIES[index], "limit": 10},
    })
}

/// One connection, for plain JSON-RPC or an MCP session.
struct Client {
    connection: RawConnection,
    session: Option<String>,
}

impl Client {
    async fn open(port: u16, in_session: bool) -> Result<Self, String> {
        let connection = RawConnection::try_open(port).await;
        let mut client = Self {
            connection: connection.map_err(|error| error.kind().to_string())?,
            session: None,
        };
        if in_session {
            client.initialize().await?;
        }
        Ok(client)
    }

    async fn initialize(&mut self) -> Result<(), String> {
        let hello = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "load", "version": "1"},
        });
        let hello = json_rpc("initialize", hello).to_string();
        let accept = [("accept", "application/json, text/event-stream")];
        let (id, _) = self.post(&accept, &hello).await?;
        self.session = id;
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
        self.post_in_session(&ready).await?;
        Ok(())
    }

    /// Calls a tool and returns its envelope.
    async fn call(&mut self, params: Value) -> Result<Value, String> {
        let request = json_rpc("tools/call", params);
        let body = self.post_in_session(&request.to_string()).await?;
        // The answer is the body itself, or the one event of a stream.
        let messages = body
            .lines()
            .map(|line| line.strip_prefix("data: ").unwrap_or(line));
        let mut messages = messages.filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let answer = messages.find(|message| message["id"] == request["id"]);
        let answer = answer.ok_or("no answer in the body")?;
        match answer.get("error") {
            Some(error) => Err(format!("error {}", error["code"])),
            None => Ok(answer["result"]["structuredContent"].clone()),
        }
    }

    async fn post_in_session(&mut self, body: &str) -> Result<String, String> {
        let session = self.session.clone();
        let headers = session.as_deref().map(|id| {
            [
                ("mcp-session-id", id),
                ("mcp-protocol-version", "2025-11-25"),
                ("accept", "application/json, text/event-stream"),
            ]
        });
        let headers = headers.as_ref().map_or(&[][..], |headers| headers);
        Ok(self.post(headers, body).await?.1)
    }

    /// Posts a message; returns the session id, if the answer has one, and the body.
    async fn post(
        &mut self,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Result<(Option<String>, String), String> {
        let json = [("content-type", "application/json")];
        let rest = RawRest {
            headers: &[&json, headers].concat(),
            body,
            ..RawRest::default()
        };
        let request = rest.request("POST", "/mcp");
        if !self.connection.send(request).await {
            return Err("closed before the request".to_owned());
        }
        let answer = self.connection.answer().await;
        let answer = answer.ok_or("closed before the answer")?;
        if !matches!(answer.status, 200 | 202) {
            return Err(format!("status {}", answer.status));
        }
        let id = answer.header("mcp-session-id").map(str::to_owned);
        if answer.header("content-type") == Some("text/event-stream") {
            let events = self.connection.until("\r\n0\r\n\r\n").await;
            return Ok((id, events.map_err(|_| "closed within the stream")?));
        }
        Ok((id, answer.body))
    }
}
