//! Calls over loopback on many connections, each with one call at a time.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};
use reqwest::Client;
use serde_json::{Value, json};
use tokio::task::JoinSet;

/// Calls for one server.
pub(crate) struct Calls {
    pub(crate) url: String,
    pub(crate) bodies: Vec<String>,
    /// The number of connections that share the calls.
    pub(crate) connections: usize,
}

/// The results of calls: how long each took, sorted, and the total time.
#[derive(Debug, Default)]
pub(crate) struct Done {
    pub(crate) times: Vec<Duration>,
    pub(crate) took: Duration,
    /// The number of records in all answers.
    pub(crate) records: usize,
}

impl Done {
    /// Returns the time in milliseconds within which a share of the calls was answered.
    pub(crate) fn milliseconds(&self, share: f64) -> f64 {
        let at = (self.times.len().saturating_sub(1) as f64 * share) as usize;
        self.times.get(at).map_or(0.0, Duration::as_secs_f64) * 1e3
    }
}

/// Returns the body of a query.
pub(crate) fn query(keywords: &str) -> String {
    let arguments = json!({ "keywords": keywords, "limit": 10 });
    body("query_experiences", &arguments)
}

/// Returns the body of a submission.
pub(crate) fn submit(title: &str, text: &str) -> String {
    let arguments = json!({
        "title": title,
        "problem_description": text,
        "solution": text,
        "keywords": ["bench"],
    });
    body("submit_experience", &arguments)
}

fn body(tool: &str, arguments: &Value) -> String {
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string()
}

/// Sends the calls to all servers at once and waits for the answers.
///
/// *Errors*: the error of the first call that was refused.
pub(crate) async fn send(all: Vec<Calls>) -> anyhow::Result<Done> {
    let began = Instant::now();
    let mut tasks = JoinSet::new();
    for calls in all {
        let connections = calls.connections;
        let (calls, next) = (Arc::new(calls), Arc::new(AtomicUsize::new(0)));
        for _ in 0..connections {
            tasks.spawn(connection(Arc::clone(&calls), Arc::clone(&next)));
        }
    }
    let mut done = Done::default();
    while let Some(ended) = tasks.join_next().await {
        let (times, records) = ended??;
        done.times.extend(times);
        done.records += records;
    }
    done.times.sort_unstable();
    done.took = began.elapsed();
    Ok(done)
}

/// Sends the remaining calls one after the other over one connection.
async fn connection(
    calls: Arc<Calls>,
    next: Arc<AtomicUsize>,
) -> anyhow::Result<(Vec<Duration>, usize)> {
    let client = Client::builder().tcp_nodelay(true).build()?;
    let (mut times, mut records) = (Vec::new(), 0);
    while let Some(body) = calls.bodies.get(next.fetch_add(1, Ordering::Relaxed)) {
        let began = Instant::now();
        let call = client.post(&calls.url).body(body.clone());
        let answer = call.header("content-type", "application/json").send();
        let answer = answer.await?.error_for_status()?.bytes().await?;
        times.push(began.elapsed());
        records += records_of(&answer)?;
    }
    Ok((times, records))
}

fn records_of(answer: &[u8]) -> anyhow::Result<usize> {
    let answer: Value = serde_json::from_slice(answer).context("the answer is no JSON")?;
    let result = &answer["result"];
    ensure!(
        result.is_object() && result["isError"] != json!(true),
        "refused: {answer}"
    );
    let records = &result["structuredContent"]["data"]["experiences"];
    Ok(records.as_array().map_or(0, Vec::len))
}
