//! The server's protocols against minimal servers, in one run, over 32 connections.
//!
//! Plain JSON-RPC is compared with an axum JSON echo of the same request, and MCP with an rmcp server with one
//! trivial tool. Client and servers share this process and its cores. No log is written, since there is no log
//! subscriber. The queries search 100 records in memory, without the model, and return one.
//!
//! The table at the end shows, for each request, the requests per second and the processor time of client and
//! server together, each with its ratio to the minimal server. A 2025-11-25 call without a session is answered
//! by plain JSON-RPC.

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use recall_kit_server::serve_app;
use recall_kit_settings::EmbeddingProvider;
use recall_kit_tools::{
    application, bare,
    load::{self, REQUESTS, Request, compare, measure, measure_latency},
};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

const BOTH: &str = "application/json, text/event-stream";
/// The last MCP version with sessions.
const SESSIONS: &str = "2025-11-25";
/// The first MCP version without sessions.
const STATELESS: &str = "2026-07-28";

fn request(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

/// Returns a tool call as clients of the given version send it.
fn mcp(url: &str, version: &str, tool: &str, arguments: Value) -> Request {
    let mut params = json!({ "name": tool, "arguments": arguments });
    if version == STATELESS {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
    }
    let call = Request::new(url, &request("tools/call", params));
    let call = call.header("accept", BOTH);
    let call = call.header("mcp-protocol-version", version);
    if version == STATELESS {
        let call = call.header("mcp-method", "tools/call");
        call.header("mcp-name", tool)
    } else {
        call
    }
}

/// Opens a session and returns the request with the session's id.
async fn in_session(request_in_session: Request) -> Request {
    let client = load::client();
    let params = json!({
        "protocolVersion": SESSIONS,
        "clientInfo": { "name": "bench", "version": "1" },
        "capabilities": {},
    });
    let url = &request_in_session.url;
    let open = Request::new(url, &request("initialize", params)).header("accept", BOTH);
    let (headers, _) = load::send(&client, &open).await;
    let id = headers.get("mcp-session-id").expect("a session is opened");
    let id = id.to_str().expect("an id is text");
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let ready = Request::new(url, &ready).header("accept", BOTH);
    load::send(&client, &ready.header("mcp-session-id", id)).await;
    request_in_session.header("mcp-session-id", id)
}

fn benchmark(criterion: &mut Criterion) {
    drop(rustls::crypto::ring::default_provider().install_default());
    // The client has its own threads, as a client in another process would.
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    let servers = tokio::runtime::Runtime::new().expect("a runtime starts");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let stop = CancellationToken::new();
    let (minimal, ours) = servers.block_on(async {
        let app = application::app(folder.path(), EmbeddingProvider::Off, 100).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        tokio::spawn(serve_app(app, listener, stop.clone()));
        (bare::serve().await, format!("http://{address}/mcp"))
    });
    let minimal_mcp = format!("{minimal}/mcp");
    let ping = request("ping", json!({}));
    let query = json!({ "keywords": "borrow lifetime", "limit": 1 });
    let tool = "query_experiences";
    let plain_query = request("tools/call", json!({ "name": tool, "arguments": query }));
    let table = [
        ("axum JSON echo", 0, Request::new(&minimal, &plain_query)),
        ("plain JSON-RPC, ping", 0, Request::new(&ours, &ping)),
        (
            "plain JSON-RPC, query",
            0,
            Request::new(&ours, &plain_query),
        ),
        (
            "rmcp 2025-11-25",
            3,
            mcp(&minimal_mcp, SESSIONS, "hello", json!({})),
        ),
        (
            "MCP 2025-11-25, query",
            3,
            mcp(&ours, SESSIONS, tool, query.clone()),
        ),
        (
            "rmcp 2026-07-28",
            5,
            mcp(&minimal_mcp, STATELESS, "hello", json!({})),
        ),
        (
            "MCP 2026-07-28, query",
            5,
            mcp(&ours, STATELESS, tool, query.clone()),
        ),
    ];
    let mut group = criterion.benchmark_group("requests over 32 connections");
    group
        .sample_size(15)
        .measurement_time(Duration::from_secs(5));
    group.throughput(Throughput::Elements(REQUESTS as u64));
    for (name, _, request) in &table {
        measure(&mut group, &runtime, name, request);
    }
    group.finish();
    let requests: Vec<_> = table.iter().map(|(_, against, r)| (r, *against)).collect();
    let costs = compare(&runtime, &requests);
    let mut group = criterion.benchmark_group("one call at a time");
    group
        .sample_size(15)
        .measurement_time(Duration::from_secs(3));
    let stateful = runtime.block_on(in_session(mcp(&ours, SESSIONS, tool, query)));
    let latency = measure_latency(&mut group, &runtime, "in a session, streamed", &stateful);
    group.finish();
    for ((name, ..), cost) in table.iter().zip(&costs) {
        print_line(&format!(
            "{name:22} {:7.0}/s  {:.2}   {:6.1} µs  {:.2}",
            cost.requests_a_second, cost.share, cost.processor_micros, cost.processor_share,
        ));
    }
    print_line(&format!(
        "in a session, streamed: {latency:.2?} at the median"
    ));
    stop.cancel();
}

#[expect(clippy::print_stdout, reason = "the benchmark's answer")]
fn print_line(line: &str) {
    println!("{line}");
}

criterion_group!(benches, benchmark);
criterion_main!(benches);
