//! Slow servers: one that is still starting, and calls that are cancelled while they run.

use recall_kit_tests::{
    Gate, Home, Launch, StdioPeer, Witness, built, client, json_rpc, script_tool,
};
use serde_json::{Value, json};
use tokio::process::Command;

use super::{CORE_TOOLS, greet, url};

#[tokio::test]
async fn a_cancelled_call_ends_the_work_on_the_server() {
    let home = Home::new();
    let witness = Witness::new(&home, "alive").await;
    let script = format!("{}; sleep 100000 & sleep 100000", witness.hold());
    let settings = script_tool(&script, "timeout_ms = 100000000");
    let server = Launch::new(&home).settings(&settings).start().await;
    let mut program = client(&home, &["--server", &url(&server), "mcp"]);
    // A tool that RecallKit does not know is passed through only if it is named here.
    program.env("RECALL_KIT_CLIENT_TOOLS", "script, share_experience");
    let mut host = StdioPeer::of(program);
    greet(&mut host, json!({})).await;
    let call = json_rpc("tools/call", json!({"name": "script", "arguments": {}}));
    host.send(&call.to_string()).await;
    let running = witness.started().await;
    let cancelled = json!({
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": call["id"], "reason": "no longer needed"},
    });
    host.send(&cancelled.to_string()).await;
    running.ended().await;
    // The connection still serves the next call.
    let calculator = json!({"name": "calculator_add", "arguments": {"a": 1, "b": 2}});
    let answer = host.request("tools/call", calculator).await;
    assert!(answer["result"].to_string().contains('3'), "{answer}");

    // A disconnecting agent ends its calls.
    let call = json_rpc("tools/call", json!({"name": "script", "arguments": {}}));
    host.send(&call.to_string()).await;
    let running = witness.started().await;
    let (code, log) = host.close().await;
    assert_eq!(code, Some(0), "{log}");
    running.ended().await;
}

#[tokio::test]
async fn a_slowly_starting_local_server_is_awaited_and_started_once() {
    let home = Home::new();
    let mut gate = Gate::new(&home, "gate").await;
    let started = home.path().join("started");
    let script = format!(
        "#!/bin/sh\necho once >>'{}'\n{}\nexec '{}' \"$@\"\n",
        started.display(),
        gate.wait(),
        built("recall-kit-server").display()
    );
    let beside = home.write_program("bin/recall-kit-server", &script);
    let program = client(&home, &["mcp"]);
    let copy = beside.with_file_name("recall-kit-client");
    let built = program.as_std().get_program();
    std::fs::hard_link(built, &copy)
        .or_else(|_| std::fs::copy(built, &copy).map(drop))
        .unwrap();
    let mut program = at(copy, &program);
    program.env("RECALL_KIT_CLIENT_SERVER__TIMEOUT", "100000");

    let mut host = StdioPeer::of(program);
    greet(&mut host, json!({})).await;
    let tools = async |host: &mut StdioPeer| {
        let listed = host.request("tools/list", json!({})).await;
        listed["result"]["tools"].as_array().unwrap().len()
    };
    assert_eq!(tools(&mut host).await, 3);
    gate.open().await;
    let changed = |message: &Value| message["method"] == "notifications/tools/list_changed";
    while !changed(&host.receive().await) {}
    assert_eq!(tools(&mut host).await, CORE_TOOLS);
    assert_eq!(std::fs::read_to_string(started).unwrap(), "once\n");
    host.close().await;
}

/// Builds the same command for another program file.
fn at(path: std::path::PathBuf, call: &Command) -> Command {
    let call = call.as_std();
    let mut moved = Command::new(path);
    moved.args(call.get_args()).kill_on_drop(true);
    moved.current_dir(call.get_current_dir().unwrap());
    for (name, value) in call.get_envs() {
        match value {
            Some(value) => moved.env(name, value),
            None => moved.env_remove(name),
        };
    }
    moved
}
