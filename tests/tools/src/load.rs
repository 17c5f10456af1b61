//! Load on a server: rounds of one request over many connections, and how long they take.

use std::time::{Duration, Instant};

use criterion::{BenchmarkGroup, measurement::WallTime};
use reqwest::header::HeaderMap;
use serde_json::Value;
use tokio::{runtime::Runtime, task::JoinSet};

/// The number of concurrent connections.
pub const CONNECTIONS: usize = 32;
/// Requests on each connection in one measured round.
const ROUND: usize = 25;
/// Requests on each connection in a round that is compared with others: enough to be longer than the resolution
/// of the clock.
const ROUND_IN_TURN: usize = 250;
/// The number of turns of such rounds.
const TURNS: usize = 15;
/// Requests in one measured round.
pub const REQUESTS: usize = CONNECTIONS * ROUND;

/// A request that is sent repeatedly.
#[derive(Clone)]
pub struct Request {
    /// The URL.
    pub url: String,
    /// Headers besides `Content-Type` and `Accept`.
    pub headers: Vec<(&'static str, String)>,
    /// The body, as JSON.
    pub body: String,
}

impl Request {
    /// Creates a request without further headers.
    pub fn new(url: &str, body: &Value) -> Self {
        Self {
            url: url.to_owned(),
            headers: Vec::new(),
            body: body.to_string(),
        }
    }

    /// Adds a header.
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

/// Returns a client that reuses its connections.
pub fn client() -> reqwest::Client {
    let builder = reqwest::Client::builder().pool_max_idle_per_host(CONNECTIONS);
    builder.tcp_nodelay(true).build().expect("a client")
}

/// Sends a request and returns the whole answer.
pub async fn send(client: &reqwest::Client, request: &Request) -> (HeaderMap, Vec<u8>) {
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

/// The cost of a request at full load: the median over all turns.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// Requests answered per second.
    pub requests_a_second: f64,
    /// The requests per second relative to those of the other request in the same turn.
    pub share: f64,
    /// The processor time of client and server together, in microseconds; other programs on the machine hardly
    /// affect it. Available only if there is `/proc`.
    pub processor_micros: f64,
    /// The processor time of the other request relative to this one's, in the same turn.
    pub processor_share: f64,
}

/// One round: its duration and its processor time, in seconds.
#[derive(Debug, Clone, Copy)]
struct Round {
    took: f64,
    processor: f64,
}

/// Measures rounds of a request, for criterion's own report.
pub fn measure(
    group: &mut BenchmarkGroup<'_, WallTime>,
    runtime: &Runtime,
    name: &str,
    request: &Request,
) {
    let client = client();
    let (_, answer) = runtime.block_on(send(&client, request));
    let answer = String::from_utf8_lossy(&answer);
    assert!(!answer.contains("\"error\""), "{name}: {answer}");
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|iterations| {
            let rounds = (0..iterations).map(|_| runtime.block_on(round(&client, request, ROUND)));
            rounds.sum()
        });
    });
}

/// Measures requests alternately, so that a temporary slowdown of the machine affects all of them; each is
/// compared with another request of the list, given by its index.
pub fn compare(runtime: &Runtime, requests: &[(&Request, usize)]) -> Vec<Cost> {
    let clients: Vec<_> = requests.iter().map(|_| client()).collect();
    let mut turns: Vec<Vec<Round>> = Vec::new();
    for _ in 0..TURNS {
        let in_turn = requests.iter().zip(&clients).map(|((request, _), client)| {
            let before = processor_time();
            let took = runtime.block_on(round(client, request, ROUND_IN_TURN));
            let processor = processor_time() - before;
            Round {
                took: took.as_secs_f64(),
                processor,
            }
        });
        turns.push(in_turn.collect());
    }
    let sent = (CONNECTIONS * ROUND_IN_TURN) as f64;
    let over_turns = |value: &dyn Fn(&Vec<Round>) -> f64| middle(turns.iter().map(value).collect());
    let costs = requests.iter().enumerate().map(|(at, (_, other))| Cost {
        requests_a_second: over_turns(&|turn| sent / turn[at].took),
        share: over_turns(&|turn| turn[*other].took / turn[at].took),
        processor_micros: over_turns(&|turn| turn[at].processor * 1e6 / sent),
        processor_share: over_turns(&|turn| turn[*other].processor / turn[at].processor),
    });
    costs.collect()
}

fn middle(mut all: Vec<f64>) -> f64 {
    all.sort_unstable_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or_default()
}

/// Returns the processor time of this process in seconds, in steps of a hundredth.
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(") ").next().unwrap_or_default();
    let ticks = after_name.split(' ').skip(11).take(2);
    let ticks = ticks.filter_map(|ticks| ticks.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// Sends a round of requests on every connection at once and waits for all answers.
async fn round(client: &reqwest::Client, request: &Request, on_each: usize) -> Duration {
    let started = Instant::now();
    let mut tasks = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let (client, request) = (client.clone(), request.clone());
        tasks.spawn(async move {
            for _ in 0..on_each {
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
pub fn measure_latency(
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
