//! Load on a server: rounds of one request over many connections, and what they took.

use std::time::{Duration, Instant};

use criterion::{BenchmarkGroup, measurement::WallTime};
use reqwest::header::HeaderMap;
use serde_json::Value;
use tokio::{runtime::Runtime, task::JoinSet};

/// Connections that send at once.
pub(crate) const CONNECTIONS: usize = 32;
/// Requests on each connection in one measured round.
const ROUND: usize = 25;
/// Requests in one measured round.
pub(crate) const REQUESTS: usize = CONNECTIONS * ROUND;

/// A request to be sent again and again.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) url: String,
    /// Besides `Content-Type` and `Accept`.
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

impl Request {
    pub(crate) fn new(url: &str, body: &Value) -> Self {
        Self {
            url: url.to_owned(),
            headers: Vec::new(),
            body: body.to_string(),
        }
    }

    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

/// A client that keeps its connections.
pub(crate) fn client() -> reqwest::Client {
    let builder = reqwest::Client::builder().pool_max_idle_per_host(CONNECTIONS);
    builder.tcp_nodelay(true).build().expect("a client")
}

/// Sends a request and returns the whole answer.
pub(crate) async fn send(client: &reqwest::Client, request: &Request) -> (HeaderMap, Vec<u8>) {
    let mut builder = client
        .post(&request.url)
        .header("content-type", "application/json")
        .body(request.body.clone());
    for (name, value) in &request.headers {
        builder = builder.header(*name, value);
    }
    let answer = builder.send().await.expect("an answer comes");
    assert!(answer.status().is_success(), "{}", answer.status());
    let headers = answer.headers().clone();
    let body = answer.bytes().await.expect("the body comes");
    (headers, body.to_vec())
}

/// What a request costs at full load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    /// Of the median round.
    pub(crate) requests_a_second: f64,
    /// Of client and server together, in microseconds; other programs on the machine hardly change
    /// it. Only where `/proc` tells it.
    pub(crate) processor_micros: f64,
}

/// Measures rounds of a request.
pub(crate) fn measure(
    group: &mut BenchmarkGroup<'_, WallTime>,
    runtime: &Runtime,
    name: &str,
    request: &Request,
) -> Cost {
    let client = client();
    let (_, answer) = runtime.block_on(send(&client, request));
    let answer = String::from_utf8_lossy(&answer);
    assert!(!answer.contains("\"error\""), "{name}: {answer}");
    let mut rounds = Vec::new();
    let before = processor_time();
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|iterations| {
            let took: Vec<Duration> = (0..iterations)
                .map(|_| runtime.block_on(round(&client, request)))
                .collect();
            rounds.extend_from_slice(&took);
            took.iter().sum()
        });
    });
    let spent = processor_time() - before;
    Cost {
        processor_micros: spent * 1e6 / (rounds.len() * REQUESTS) as f64,
        requests_a_second: REQUESTS as f64 / median(rounds).as_secs_f64(),
    }
}

/// The processor time of this process in seconds, in steps of a hundredth.
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(") ").next().unwrap_or_default();
    let ticks = after_name.split(' ').skip(11).take(2);
    let ticks = ticks.filter_map(|ticks| ticks.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// Sends a round of requests on every connection at once and waits for all answers.
async fn round(client: &reqwest::Client, request: &Request) -> Duration {
    let started = Instant::now();
    let mut tasks = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let (client, request) = (client.clone(), request.clone());
        tasks.spawn(async move {
            for _ in 0..ROUND {
                send(&client, &request).await;
            }
        });
    }
    while let Some(finished) = tasks.join_next().await {
        finished.expect("a connection works");
    }
    started.elapsed()
}

/// Measures one request at a time; returns the median.
pub(crate) fn measure_latency(
    group: &mut BenchmarkGroup<'_, WallTime>,
    runtime: &Runtime,
    name: &str,
    request: &Request,
) -> Duration {
    let client = client();
    let mut calls = Vec::new();
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|iterations| {
            let call = || {
                let started = Instant::now();
                runtime.block_on(send(&client, request));
                started.elapsed()
            };
            let took: Vec<Duration> = (0..iterations).map(|_| call()).collect();
            calls.extend_from_slice(&took);
            took.iter().sum()
        });
    });
    median(calls)
}

fn median(mut all: Vec<Duration>) -> Duration {
    all.sort_unstable();
    all.get(all.len() / 2).copied().unwrap_or_default()
}
