//! The server over standard input and output: plain JSON-RPC lines, and MCP after `initialize`.

use recall_kit_tests::{Home, StdioPeer, TOOLS, envelope, experience, run, server_command};
use serde_json::{Value, json};

#[tokio::test]
async fn one_piped_line_is_answered() {
    let home = Home::new();
    let command = server_command(&home, &["--transport", "stdio"]);
    let line = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;
    let output = run(command, format!("{line}\n")).await;
    let answer: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    assert_eq!(answer["id"], 1);
    assert_eq!(
        answer["result"]["tools"].as_array().unwrap().len(),
        TOOLS.len()
    );
}

#[tokio::test]
async fn other_names_of_the_same_transport_work() {
    let home = Home::new();
    let line = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n";
    let output = run(server_command(&home, &["mcp-server"]), line).await;
    let answer: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    assert_eq!(answer["result"], json!({}), "{answer}");
}

#[tokio::test]
async fn plain_lines_can_submit_query_and_get_errors() {
    let home = Home::new();
    let mut peer = StdioPeer::start(&home, &[]);
    let call = |tool: &str, arguments: Value| json!({"name": tool, "arguments": arguments});
    let params = call(
        "submit_experience",
        experience("Über line feeds \u{2028} in JSON"),
    );
    let submitted = peer.request("tools/call", params).await;
    let id = envelope(&submitted)["data"]["id"].clone();
    let params = call("query_experiences", json!({"keywords": "line feeds"}));
    let found = peer.request("tools/call", params).await;
    assert!(id.is_string(), "{submitted}");
    assert_eq!(envelope(&found)["data"]["experiences"][0]["id"], id);

    for (line, code) in [
        ("{\"jsonrpc\"", -32700),
        ("[]", -32600),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}",
            -32600,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"no/such\"}",
            -32601,
        ),
    ] {
        peer.send(line).await;
        let answer = peer.receive().await;
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
    }
    peer.send("").await;
    peer.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}")
        .await;
    let alive = peer.request("ping", json!({})).await;
    assert_eq!(alive["result"], json!({}));
    assert_eq!(peer.close().await.0, Some(0));
}

#[tokio::test]
async fn initialize_switches_the_stream_to_mcp() {
    let home = Home::new();
    let mut peer = StdioPeer::start(&home, &[]);
    let before = peer.request("tools/list", json!({})).await;
    let hello = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "behaviour-tests", "version": "1"},
    });
    let welcome = peer.request("initialize", hello).await;
    assert_eq!(welcome["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(welcome["result"]["serverInfo"]["name"], "recall-kit-server");
    peer.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}")
        .await;
    let after = peer.request("tools/list", json!({})).await;
    assert!(after["result"]["tools"].is_array(), "{after}");
    assert_eq!(after["result"]["tools"], before["result"]["tools"]);

    let unknown = json!({"name": "no_such_tool", "arguments": {}});
    let answer = peer.request("tools/call", unknown).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let refused = json!({"name": "query_experiences", "arguments": {"keywords": ""}});
    let answer = peer.request("tools/call", refused).await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert_eq!(envelope(&answer)["error"]["code"], "INVALID_KEYWORDS");
    assert_eq!(peer.close().await.0, Some(0));
}

#[tokio::test]
async fn invalid_json_is_answered_before_and_after_initialize() {
    let home = Home::new();
    let mut peer = StdioPeer::start(&home, &[]);
    let lone_surrogate = r#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"query_experiences","arguments":{"keywords":"\ud800"}}}"#;
    for opened in [false, true] {
        if opened {
            let hello = json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "behaviour-tests", "version": "1"},
            });
            peer.request("initialize", hello).await;
            peer.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}")
                .await;
        }
        for (line, code) in [("{\"jsonrpc\"", -32700), (lone_surrogate, -32602)] {
            peer.send(line).await;
            let answer = peer.receive().await;
            assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
            assert!(answer["error"]["data"]["details"].is_string(), "{answer}");
        }
        let alive = peer.request("ping", json!({})).await;
        assert_eq!(alive["result"], json!({}));
    }
    assert_eq!(peer.close().await.0, Some(0));
}

#[tokio::test]
async fn requests_before_the_end_of_input_are_answered() {
    let home = Home::new();
    let lines: String = (0..20)
        .map(|number| {
            let params = json!({
                "name": "submit_experience",
                "arguments": experience(&format!("Line number {number}")),
            });
            let line =
                json!({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params});
            format!("{line}\n")
        })
        .collect();
    let command = server_command(&home, &["--transport", "stdio"]);
    let output = run(command, lines).await;
    let answered = output.expect_code(0).lines().count();
    assert_eq!(answered, 20, "{}", output.stdout);
}
