//! The entry that `init --agent` writes, started exactly as it is written.

use std::process::Stdio;

use recall_kit_tests::{Home, client, run, start, within_deadline};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    process::Command,
};

#[tokio::test]
async fn the_written_entry_starts_an_mcp_server() {
    let home = Home::new();
    let args = ["init", "--agent", "cursor", "--yes"];
    run(client(&home, &args), "").await.expect_code(0);
    let written = std::fs::read_to_string(home.path().join(".cursor/mcp.json")).unwrap();
    let settings: Value = serde_json::from_str(&written).unwrap();
    let entry = &settings["mcpServers"]["recall-kit"];
    // The environment is that of the tests; command and arguments are those of the entry.
    let isolated = client(&home, &[]);
    let mut command = Command::new(entry["command"].as_str().unwrap());
    command
        .args(
            entry["args"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_str),
        )
        .current_dir(home.path())
        .stderr(Stdio::inherit())
        .kill_on_drop(true);
    for (name, value) in isolated.as_std().get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let mut peer = start(&mut command);
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "agent", "version": "1"},
    }});
    let mut input = peer.stdin.take().unwrap();
    input
        .write_all(format!("{hello}\n").as_bytes())
        .await
        .unwrap();
    let mut lines = BufReader::new(peer.stdout.take().unwrap()).lines();
    let answer = within_deadline("the server's greeting", lines.next_line()).await;
    let answer: Value = serde_json::from_str(&answer.unwrap().unwrap_or_default()).unwrap();
    assert_eq!(answer["id"], 1, "{answer}");
    let name = &answer["result"]["serverInfo"]["name"];
    assert_eq!(name, "recall-kit-client", "{answer}");
    drop(input);
    let end = within_deadline("the server's end", peer.wait()).await;
    assert!(end.is_ok_and(|status| status.success()));
}
