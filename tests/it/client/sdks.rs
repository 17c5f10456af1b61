//! Independent MCP clients, written in TypeScript, against the built server.

use recall_kit_tests::{Home, Output, Server, node, node_package, server_command, sorted_tools};
use serde_json::{Value, json};

const INSPECTOR: &str = "@modelcontextprotocol/inspector/clients/launcher/build/index.js";
/// The last MCP version with a handshake, and the first one without.
const WITH_HANDSHAKE: &str = "2025-11-25";
const WITHOUT_HANDSHAKE: &str = "2026-07-28";

#[tokio::test]
async fn the_typescript_sdks_work_over_streamable_http() {
    for (sdk, protocol) in [
        ("v1", WITH_HANDSHAKE),
        ("legacy", WITH_HANDSHAKE),
        ("auto", WITHOUT_HANDSHAKE),
        (WITHOUT_HANDSHAKE, WITHOUT_HANDSHAKE),
    ] {
        let home = Home::new();
        let server = Server::start(&home).await;
        let url = format!("{}/mcp", server.wire.base());
        let output = node(&home, "mcp_sdk.mjs", &[sdk, "http", &url]).await;
        check(sdk, Some(protocol), &output);
        server.logged_calls_without_errors();
    }
}

#[tokio::test]
async fn the_typescript_sdks_work_over_legacy_sse() {
    for sdk in ["v1", "legacy"] {
        let home = Home::new();
        let server = Server::start(&home).await;
        let url = format!("{}/sse", server.wire.base());
        let output = node(&home, "mcp_sdk.mjs", &[sdk, "sse", &url]).await;
        check(sdk, Some(WITH_HANDSHAKE), &output);
        server.logged_calls_without_errors();
    }
}

#[tokio::test]
async fn the_typescript_sdks_work_over_stdio() {
    for (sdk, protocol) in [
        // Version 1 of the SDK does not expose the protocol version on stdio.
        ("v1", None),
        ("legacy", Some(WITH_HANDSHAKE)),
        ("auto", Some(WITHOUT_HANDSHAKE)),
        (WITHOUT_HANDSHAKE, Some(WITHOUT_HANDSHAKE)),
    ] {
        let home = Home::new();
        let program = stdio_server(&home);
        let mut args = vec![sdk, "stdio"];
        args.extend(program.iter().map(String::as_str));
        let output = node(&home, "mcp_sdk.mjs", &args).await;
        check(sdk, protocol, &output);
    }
}

#[tokio::test]
async fn the_inspector_works_over_streamable_http_and_stdio() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let url = format!("{}/mcp", server.wire.base());
    inspect(&home, &["--transport", "http", "--server-url", &url], &[]).await;

    let home = Home::new();
    inspect(&home, &["--transport", "stdio"], &stdio_server(&home)).await;
}

/// Lists the tools, lets the inspector validate their schemas, and calls one.
async fn inspect(home: &Home, transport: &[&str], program: &[String]) {
    let inspect = async |method: &[&str]| {
        let mut args = vec!["--cli"];
        args.extend(transport);
        args.extend(method);
        if !program.is_empty() {
            args.push("--");
            args.extend(program.iter().map(String::as_str));
        }
        let output = node_package(home, INSPECTOR, &args).await;
        serde_json::from_str::<Value>(output.expect_code(0)).unwrap()
    };
    let listed = inspect(&["--method", "tools/list", "--strict"]).await;
    assert_eq!(names(&listed["tools"]), sorted_tools(), "{listed}");
    let keywords = ["--tool-arg", "keywords=nothing is stored yet"];
    let call = ["--method", "tools/call", "--tool-name", "query_experiences"];
    let answer = inspect(&[&call[..], &keywords].concat()).await;
    assert_eq!(answer["structuredContent"]["data"]["total"], 0, "{answer}");
}

fn names(tools: &Value) -> Vec<&str> {
    let tools = tools.as_array().into_iter().flatten();
    let mut names: Vec<&str> = tools.filter_map(|tool| tool["name"].as_str()).collect();
    names.sort_unstable();
    names
}

/// Returns the command line of a server on stdio.
fn stdio_server(home: &Home) -> Vec<String> {
    let program = server_command(home, &[]);
    let data_dir = home.data_dir();
    [
        program.as_std().get_program().to_string_lossy().as_ref(),
        "--transport",
        "stdio",
        "--embeddings",
        "off",
        "--data-dir",
        &data_dir.to_string_lossy(),
    ]
    .map(str::to_owned)
    .to_vec()
}

/// Checks what the script saw; `protocol` is given where the SDK exposes the protocol version.
fn check(sdk: &str, protocol: Option<&str>, output: &Output) {
    let seen: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    assert_eq!(seen["tools"], json!(sorted_tools()), "{sdk}");
    assert_eq!(seen["server"], "recall-kit-server", "{sdk}");
    if let Some(protocol) = protocol {
        assert_eq!(seen["protocol"], protocol, "{sdk}");
    }
    check_calls(&seen, &["npm", "peer"]);
}

/// Checks what the script of any SDK saw: it submitted a record with these keywords and found it again; an
/// invalid submission and a call of an unknown tool were refused.
pub(crate) fn check_calls(seen: &Value, keywords: &[&str]) {
    assert_eq!(seen["found"]["data"]["total"], 1, "{seen}");
    let record = &seen["found"]["data"]["experiences"][0];
    assert_eq!(record["id"], seen["submitted"]["data"]["id"]);
    assert_eq!(record["keywords"], json!(keywords));
    assert_eq!(seen["refused"]["error"]["code"], "INVALID_KEYWORDS");
    assert_eq!(seen["unknown_tool"], -32602);
}
