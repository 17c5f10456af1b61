//! Measures the cost of `recall-kit-client mcp`: its start, its memory, and a query through it compared with the
//! same query sent directly to the server.
//!
//! Usage: `bench_mcp RECALL_KIT_CLIENT SERVER_URL [QUERIES]`; the server must be running. Direct and passed-on
//! queries alternate, so that both run under the same conditions.

#![expect(clippy::print_stdout, reason = "the benchmark's answer")]

use std::{
    env,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use recall_kit_client::{ServerUrl, http_transport};
use rmcp::{
    RoleClient, ServiceExt as _, model::CallToolRequestParams, service::RunningService,
    transport::TokioChildProcess,
};
use serde_json::json;
use tokio::process::Command;

/// How often the program is started.
const STARTS: usize = 20;
/// The default number of queries.
const QUERIES: usize = 2000;
/// The number of queries before the first measured one.
const WARM_UP: usize = 50;

type Session = RunningService<RoleClient, ()>;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut args = env::args().skip(1);
    let usage = "bench_mcp RECALL_KIT_CLIENT SERVER_URL [QUERIES]";
    let program = args.next().context(usage)?;
    let url = args.next().context(usage)?;
    let queries = args.next().map_or(Ok(QUERIES), |count| count.parse())?;

    let mut starts = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let (session, handshake, listed, _) = start(&program, &url).await?;
        starts.0.push(handshake);
        starts.1.push(listed);
        session.cancel().await?;
    }
    report("start until the handshake is answered", starts.0);
    report("start until the tools are listed", starts.1);

    let (through, _, _, process) = start(&program, &url).await?;
    let server: ServerUrl = url.parse()?;
    let direct: Session = ().serve(http_transport(&server)?).await?;
    for turn in 0..WARM_UP {
        query(&through, turn).await?;
        query(&direct, turn).await?;
    }
    let (mut passed_on, mut straight) = (Vec::new(), Vec::new());
    for turn in 0..queries {
        straight.push(query(&direct, turn).await?);
        passed_on.push(query(&through, turn).await?);
    }
    let overhead = median(&mut passed_on).saturating_sub(median(&mut straight));
    report("query, straight to the server", straight);
    report("query, through the program", passed_on);
    println!("overhead of the medians: {overhead:.2?}");
    if let Some(kib) = process.and_then(memory) {
        println!("memory of the program: {:.1} MiB", kib as f64 / 1024.0);
    }
    through.cancel().await?;
    direct.cancel().await?;
    Ok(())
}

/// Starts the program. Returns the session, the times until the handshake and until the list of tools, and the
/// process id.
async fn start(
    program: &str,
    url: &str,
) -> anyhow::Result<(Session, Duration, Duration, Option<u32>)> {
    let started = Instant::now();
    let mut command = Command::new(program);
    command.args(["--server", url, "mcp"]);
    let transport = TokioChildProcess::new(command)?;
    let process = transport.id();
    let session = ().serve(transport).await?;
    let handshake = started.elapsed();
    session.list_all_tools().await?;
    Ok((session, handshake, started.elapsed(), process))
}

async fn query(session: &Session, turn: usize) -> anyhow::Result<Duration> {
    let started = Instant::now();
    let words = [
        "cargo build hangs",
        "useState not updating",
        "connection refused",
    ];
    // Each query was sent during the warm-up, so that no embedding has to be calculated.
    let turn = turn % WARM_UP;
    let keywords = words.get(turn % words.len()).copied().unwrap_or_default();
    let arguments = json!({"keywords": format!("{keywords} {turn}"), "limit": 5});
    let mut call = CallToolRequestParams::new("query_experiences");
    call.arguments = arguments.as_object().cloned();
    session.call_tool(call).await?;
    Ok(started.elapsed())
}

fn median(all: &mut [Duration]) -> Duration {
    all.sort_unstable();
    all.get(all.len() / 2).copied().unwrap_or_default()
}

fn report(what: &str, mut all: Vec<Duration>) {
    let p50 = median(&mut all);
    let at = |percent: usize| all.get(all.len() * percent / 100).copied();
    let p95 = at(95).unwrap_or_default();
    println!("{what}: p50 {p50:.2?}  p95 {p95:.2?}  of {}", all.len());
}

/// Returns the memory of a process, if the system reports it. *Unit*: KiB.
fn memory(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}
