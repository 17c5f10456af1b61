//! Snapshots of what users and agents read: `--help`, and the tools as the server lists them.
//!
//! `cargo insta review` shows and accepts intended changes.

use insta::{assert_json_snapshot, assert_snapshot};
use recall_kit_tests::{Home, Server, client, run, server_command};
use serde_json::json;

#[tokio::test]
async fn help_of_the_client() {
    let home = Home::new();
    for command in [
        "",
        "init",
        "keys",
        "keys set",
        "keys remove",
        "query",
        "recall",
        "show",
        "knowledge",
        "docs",
        "submit",
        "outcome",
        "environment",
        "import-from",
        "summarize",
        "sanitize",
        "mcp",
        "outbox",
        "trust",
        "demo",
        "doctor",
        "man",
        "hook",
    ] {
        let args: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let output = run(client(&home, &args), "").await;
        let name = format!("client_help_{command}").replace(' ', "_");
        assert_snapshot!(name.trim_end_matches('_'), output.expect_code(0));
    }
}

#[tokio::test]
async fn help_of_the_server() {
    let home = Home::new();
    for command in [
        "",
        "keys",
        "keys create",
        "keys list",
        "keys revoke",
        "users",
        "users create",
        "users list",
        "users password",
        "users disable",
        "users enable",
        "export",
        "import",
        "backup",
        "restore",
        "index",
        "index save",
        "index load",
        "migrate",
        "migrate-store",
        "ingest",
        "records",
        "records list",
        "records edit",
        "records hide",
        "records show",
        "entries",
        "libraries",
        "libraries list",
        "libraries search",
        "libraries docs",
        "libraries show",
        "libraries set",
        "libraries refresh",
        "libraries remove",
        "doctor",
        "reembed",
        "health",
    ] {
        let args: Vec<&str> = command.split_whitespace().chain(["--help"]).collect();
        let output = run(server_command(&home, &args), "").await;
        let name = format!("server_help {command}")
            .trim_end()
            .replace(' ', "_");
        assert_snapshot!(name, output.expect_code(0));
    }
}

#[tokio::test]
async fn the_tools_as_listed() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let params = json!({"_meta": {"io.recallkit/schemas": true}});
    let answer = server.wire.rpc("tools/list", params).await;
    assert_json_snapshot!("tools", answer["result"]["tools"]);
}
