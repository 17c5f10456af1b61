//! MCP: Streamable HTTP by hand in every version with sessions, and the official Python SDK.

use recall_kit_tests::{
    Home, Launch, McpSession, Server, Wire, envelope, experience, json_rpc, python, server_command,
    sorted_tools,
};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{client::sdks::check_calls, libraries::with_library};

#[tokio::test]
async fn sessions_work_in_every_version_and_on_every_path() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let plain = server.wire.rpc("tools/list", json!({})).await;
    for (path, version) in [
        ("/mcp", "2025-03-26"),
        ("/mcp", "2025-06-18"),
        ("/mcp", "2025-11-25"),
        ("/", "2025-06-18"),
    ] {
        let session = McpSession::open(&server.wire, path, version).await;
        let server_info = &session.server;
        assert_eq!(server_info["protocolVersion"], version, "{server_info}");
        assert_eq!(server_info["serverInfo"]["name"], "recall-kit-server");
        let tools = session.request("tools/list", json!({})).await;
        assert!(tools["result"]["tools"].is_array(), "{tools}");
        assert_eq!(tools["result"]["tools"], plain["result"]["tools"]);

        let submitted = session
            .call("submit_experience", experience("Sessions end"))
            .await;
        let id = envelope(&submitted)["data"]["id"].clone();
        assert!(has_record(&server.wire, &id).await, "{submitted}");
        assert_eq!(session.close().await, 204, "{version} at {path}");
    }
}

#[tokio::test]
async fn protocol_errors_have_the_codes_of_mcp() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    let unknown = session.call("query_experience", json!({})).await;
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    // MCP has its own error code here; the code of plain JSON-RPC is in the details.
    assert_eq!(unknown["error"]["data"]["code"], -32001, "{unknown}");
    let missing = json!({"uri": "memo://nowhere"});
    let missing = session.request("resources/read", missing).await;
    assert_eq!(missing["error"]["code"], -32002, "{missing}");
    assert_eq!(missing["error"]["data"]["code"], -32003, "{missing}");
    let unknown = session.request("no/such/method", json!({})).await;
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");

    let without_session = [
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-session-id", "no-such-session"),
    ];
    let body = json_rpc("tools/list", json!({})).to_string();
    let answer = server
        .wire
        .send(Method::POST, "/mcp", &without_session, body)
        .await;
    assert_eq!(answer.status, 404, "{}", answer.text);

    // JSON that is no message is an invalid request, in a session as elsewhere.
    let in_session = [
        without_session[0],
        without_session[1],
        ("mcp-session-id", session.id()),
    ];
    let wrong = server
        .wire
        .send(Method::POST, "/mcp", &in_session, "{\"foo\":1}".to_owned());
    assert_eq!(wrong.await.json()["error"]["code"], -32600);
}

/// Settings with which lists have the schemas that the SDK checks answers against.
pub(crate) const WITH_SCHEMAS: &str = "[tools]\noutput_schemas = true\n";

#[tokio::test]
async fn the_python_sdk_works_over_streamable_http() {
    for mode in ["legacy", "auto", "2026-07-28"] {
        let home = Home::new();
        with_library(&home).await;
        let server = Launch::new(&home).settings(WITH_SCHEMAS).start().await;
        let url = format!("{}/mcp", server.wire.base());
        let output = python(&home, "mcp_sdk.py", &[mode, &url]).await;
        check_sdk(mode, output.expect_code(0));
        server.logged_calls_without_errors();
    }
}

#[tokio::test]
async fn the_python_sdk_works_over_stdio() {
    for mode in ["legacy", "auto", "2026-07-28"] {
        let home = Home::new();
        with_library(&home).await;
        let program = server_command(&home, &[]);
        let program = program.as_std().get_program().to_string_lossy();
        let data_dir = home.data_dir();
        let settings = home.write("server.toml", WITH_SCHEMAS);
        let args = [
            mode,
            &program,
            "--config",
            &settings.to_string_lossy(),
            "--transport",
            "stdio",
            "--embeddings",
            "off",
            "--data-dir",
            &data_dir.to_string_lossy(),
        ];
        let output = python(&home, "mcp_sdk.py", &args).await;
        check_sdk(mode, output.expect_code(0));
    }
}

fn check_sdk(mode: &str, seen: &str) {
    let seen: Value = serde_json::from_str(seen).unwrap();
    assert_eq!(seen["tools"], json!(sorted_tools()));
    let newest = "2026-07-28";
    if mode != "legacy" {
        assert_eq!(seen["protocol"], newest, "{mode}");
    }
    check_calls(&seen, &["cargo", "lock"]);
    check_knowledge(&seen["knowledge"]);
    check_libraries(&seen["libraries"]);
}

async fn has_record(wire: &Wire, id: &Value) -> bool {
    wire.all("sessions end", 50)
        .await
        .contains_key(id.as_str().unwrap_or_default())
}

/// Checks what the script saw of the knowledge base, without embeddings.
fn check_knowledge(seen: &Value) {
    let added = &seen["added"];
    assert_eq!(added["created"], true, "{added}");
    assert!(
        seen["help"]["guide"]
            .as_str()
            .unwrap()
            .contains("Citations")
    );
    let found = &seen["found"]["results"][0];
    let short = found["id"].as_str().unwrap();
    assert!(added["id"].as_str().unwrap().starts_with(short), "{found}");
    assert_eq!(seen["linked"]["created"], true, "{seen}");
    let link = &seen["shown"]["links"]["outgoing"][0];
    assert_eq!(link["target_title"], "Proxy limits", "{seen}");
    for (call, code) in [
        ("links", "EMBEDDINGS_DISABLED"),
        ("generalizations", "EMBEDDINGS_DISABLED"),
        ("accepted", "SUGGESTION_NOT_FOUND"),
        ("rejected", "SUGGESTION_NOT_FOUND"),
    ] {
        assert_eq!(seen[call]["error"]["code"], code, "{call}: {seen}");
    }
}

/// Checks what the script saw of the only library.
fn check_libraries(seen: &Value) {
    assert_eq!(seen["found"]["libraries"][0]["name"], "Gin", "{seen}");
    let code = &seen["code"]["documents"][0];
    assert_eq!(
        (&code["mode"], &code["version"]),
        (&json!("code"), &json!("v1"))
    );
    assert_eq!(seen["unknown"]["error"]["code"], "LIBRARY_NOT_FOUND");
    let listed = ["recall-kit:///knowledge/graph", "recall-kit:///library/1"];
    assert_eq!(seen["listed"], json!(listed));
    assert_eq!(seen["library"]["type"], "application/json");
    assert_eq!(seen["docs"]["type"], "text/markdown");
    let text = seen["docs"]["text"].as_str().unwrap();
    assert!(text.contains("```go\nfunc main()"), "{text}");
}
