//! The plain JSON-RPC face against a bare axum JSON echo, in one run, over 32 connections.

mod setup;

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use axum::{Json, Router, routing::post};
use criterion::{
    BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use recall_kit_server::{serve_app, settings::EmbeddingProvider};
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::JoinSet};
use tokio_util::sync::CancellationToken;

const CONNECTIONS: usize = 32;
/// Requests on each connection in one measured round.
const ROUND: usize = 25;

/// Sends a round of requests on every connection at once and waits for all answers.
async fn round(client: &reqwest::Client, url: &str, body: &Value) -> Duration {
    let started = Instant::now();
    let mut tasks = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let (client, url, body) = (client.clone(), url.to_owned(), body.to_string());
        tasks.spawn(async move {
            for _ in 0..ROUND {
                let request = client
                    .post(&url)
                    .header("content-type", "application/json")
                    .body(body.clone());
                let answer = request.send().await.expect("an answer comes");
                assert!(answer.status().is_success(), "{}", answer.status());
                answer.bytes().await.expect("the body comes");
            }
        });
    }
    while let Some(finished) = tasks.join_next().await {
        finished.expect("a connection works");
    }
    started.elapsed()
}

fn measure(
    group: &mut BenchmarkGroup<'_, WallTime>,
    runtime: &tokio::runtime::Runtime,
    name: &str,
    url: &str,
    body: &Value,
) {
    let client = reqwest::Client::builder()
        .pool_max_idle_per_host(CONNECTIONS)
        .build()
        .expect("a client");
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|iterations| {
            runtime.block_on(async {
                let mut sum = Duration::ZERO;
                for _ in 0..iterations {
                    sum += round(&client, url, body).await;
                }
                sum
            })
        });
    });
}

async fn echo() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    let router = Router::new().route(
        "/",
        post(|Json(body): Json<Value>| async move { Json(body) }),
    );
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

fn benchmark(criterion: &mut Criterion) {
    drop(rustls::crypto::ring::default_provider().install_default());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let stop = CancellationToken::new();
    let (echo, server) = runtime.block_on(async {
        let app = setup::app(folder.path(), EmbeddingProvider::Off, 100).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        tokio::spawn(serve_app(app, listener, stop.clone()));
        (echo().await, address)
    });
    let call = |name: &str, arguments: Value| {
        let params = json!({ "name": name, "arguments": arguments });
        json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
    };
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" });
    let query = call(
        "query_experiences",
        json!({ "keywords": "borrow lifetime", "limit": 1 }),
    );
    let mut group = criterion.benchmark_group("requests over 32 connections");
    group
        .sample_size(15)
        .measurement_time(Duration::from_secs(6));
    group.throughput(Throughput::Elements((CONNECTIONS * ROUND) as u64));
    measure(
        &mut group,
        &runtime,
        "axum JSON echo",
        &format!("http://{echo}/"),
        &ping,
    );
    measure(
        &mut group,
        &runtime,
        "plain face, ping",
        &format!("http://{server}/mcp"),
        &ping,
    );
    measure(
        &mut group,
        &runtime,
        "plain face, query of 100 records",
        &format!("http://{server}/mcp"),
        &query,
    );
    group.finish();
    stop.cancel();
}

criterion_group!(benches, benchmark);
criterion_main!(benches);
