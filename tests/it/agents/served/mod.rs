//! `recall-kit-client mcp` beside an agent: an independently written host starts it, and a real server shows
//! what was stored.

mod away;
mod canaries;
mod failures;
mod outcomes;
mod passed_through;
mod sampling;
mod sharing;
mod working;

use recall_kit_tests::{Home, Output, Server, StdioPeer, client, python};
use serde_json::{Value, json};

/// How many tools an agent is shown unless it asks for all: two of the client and five of the server.
const CORE_TOOLS: usize = 7;
/// The MCP versions differ in how the client asks the user: with a request of its own, or with a result that
/// asks for input.
const MODES: [&str; 2] = ["legacy", "2026-07-28"];

/// Runs a host's scripted session and returns what the host saw. It returns after the program has ended; the
/// program logs everything, and the log must not contain the secret.
async fn play(home: &Home, url: &str, mode: &str, script: &Value) -> Value {
    let output = played(home, url, mode, script).await;
    seen_in(&output)
}

/// Parses what the host saw in a session.
fn seen_in(output: &Output) -> Value {
    let seen = serde_json::from_str(output.expect_code(0));
    seen.unwrap_or_else(|error| panic!("{error}: {} {}", output.stdout, output.stderr))
}

/// Runs a host's scripted session to its end.
async fn played(home: &Home, url: &str, mode: &str, script: &Value) -> Output {
    let program = client(home, &["-vv", "--server", url, "mcp"]);
    let program = program.as_std();
    let mut args = vec![mode.to_owned(), script.to_string()];
    args.push(program.get_program().to_string_lossy().into_owned());
    args.extend(
        program
            .get_args()
            .map(|arg| arg.to_string_lossy().into_owned()),
    );
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let output = python(home, "host_agent.py", &args).await;
    assert!(!output.stderr.contains(&token()), "{}", output.stderr);
    output
}

/// Opens a session of MCP 2025-11-25 without the scripted host.
pub(crate) async fn greet(host: &mut StdioPeer, capabilities: Value) {
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": capabilities,
        "clientInfo": {"name": "behaviour-tests", "version": "1"},
    });
    let answer = host.request("initialize", hello).await;
    assert_eq!(answer["result"]["serverInfo"]["name"], "recall-kit-client");
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    host.send(&ready.to_string()).await;
}

fn url(server: &Server) -> String {
    format!("{}/mcp", server.wire.base())
}

/// Returns the number of stored records with a title that no other record has.
async fn stored(server: &Server, title: &str) -> usize {
    let titles = server.wire.titles(title).await;
    titles
        .iter()
        .filter(|stored| stored.contains(title))
        .count()
}

fn share(title: &str) -> Value {
    json!({"tool": "share_experience", "arguments": {
        "title": title,
        "problem_description": "The registry says that the token is missing",
        "solution": "Log in first",
        "context": format!("export TOKEN={}\ncargo publish\n", token()),
        "keywords": ["cargo", "publish"],
    }})
}

fn token() -> String {
    ["ghp", &"aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5"[..36]].join("_")
}
