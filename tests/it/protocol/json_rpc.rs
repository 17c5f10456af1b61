//! Plain JSON-RPC over HTTP: routes, batches, notifications, and errors with their codes.

use recall_kit_tests::{Home, Launch, Server, TOOLS, json_rpc, within_deadline};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

#[tokio::test]
async fn every_route_answers() {
    let home = Home::new();
    let server = Server::start(&home).await;
    for path in ["/mcp", "/", "/rpc", "/tools/list"] {
        let answer = server.wire.rpc_at(path, "tools/list", json!({})).await;
        assert_eq!(tool_names(&answer["result"]["tools"]), TOOLS, "{path}");
    }
    let call = json!({"name": "query_experiences", "arguments": {"keywords": "react"}});
    for path in ["/mcp", "/", "/rpc", "/tools/call"] {
        let answer = server.wire.rpc_at(path, "tools/call", call.clone()).await;
        let data = &answer["result"]["structuredContent"]["data"];
        assert_eq!(data["total"], 0, "{path}: {answer}");
    }
}

#[tokio::test]
async fn pages_and_health_probes_are_served() {
    let home = Home::new();
    let server = Server::start(&home).await;
    for path in ["/mcp/health", "/healthz", "/readyz"] {
        let answer = server.wire.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    }
    let tools = server.wire.get("/mcp/tools").await;
    assert_eq!(tools.status, 200);
    assert_eq!(tool_names(&tools.json()["tools"]), TOOLS);

    assert_eq!(server.wire.get("/mcp").await.status, 405);
    assert_eq!(server.wire.get("/no/such/page").await.status, 404);
}

#[tokio::test]
async fn errors_have_their_code_and_a_helpful_message() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let unknown_tool = json!({"name": "query_experience", "arguments": {}});
    let long = format!("{}1", "[".repeat(100_000));
    let cases = [
        ("{\"jsonrpc\":", -32700, ""),
        ("", -32700, ""),
        ("\u{feff}nonsense", -32700, ""),
        (long.as_str(), -32700, ""),
        ("42", -32600, ""),
        ("{\"id\":1}", -32600, ""),
        ("{\"foo\":1}", -32600, ""),
        ("{}", -32600, ""),
        ("[]", -32600, ""),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}", -32600, ""),
        (
            &json_rpc("tools/lists", json!({})).to_string(),
            -32601,
            "tools/list",
        ),
        (
            &json_rpc("tools/call", unknown_tool).to_string(),
            -32001,
            "query_experiences",
        ),
        (
            &json_rpc("tools/call", json!({"arguments": {}})).to_string(),
            -32602,
            "name",
        ),
        (
            &json_rpc("tools/call", json!({"name": 7})).to_string(),
            -32602,
            "name",
        ),
        (
            &json_rpc(
                "tools/call",
                json!({"name": "query_experiences", "arguments": "react"}),
            )
            .to_string(),
            -32602,
            "arguments",
        ),
        (&json_rpc("tools/call", json!([1])).to_string(), -32602, ""),
    ];
    for (body, code, word) in cases {
        let shown: String = body.chars().take(80).collect();
        let answer = server.wire.post("/mcp", body.to_owned()).await;
        let error = answer.json()["error"].clone();
        assert!(answer.status < 500, "{shown}: {}", answer.status);
        assert_eq!(error["code"], code, "{shown}: {error}");
        let details = error["data"]["details"].as_str().unwrap_or_default();
        assert!(!details.is_empty(), "{shown}: no details in {error}");
        assert!(details.contains(word), "{shown}: {word} not in {details}");
    }
    assert_eq!(server.wire.get("/readyz").await.status, 200);
}

#[tokio::test]
async fn bodies_that_are_not_text_are_refused() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let broken = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":\"\xff\"}}";
    let answer = server.wire.post("/mcp", broken.to_vec()).await;
    assert_eq!(answer.json()["error"]["code"], -32700, "{}", answer.text);
}

#[tokio::test]
async fn batches_are_answered_in_order_and_notifications_not_at_all() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let batch = json!([
        {"jsonrpc": "2.0", "id": "a", "method": "tools/list", "params": {}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "no/such/method"},
        {"jsonrpc": "2.0", "id": null, "method": "ping"},
        7
    ]);
    let answer = server.wire.post("/mcp", batch.to_string()).await.json();
    let answers = answer.as_array().unwrap();
    let by_id = |id: Value| answers.iter().find(|one| one["id"] == id).unwrap();
    assert!(by_id(json!("a"))["result"]["tools"].is_array());
    assert_eq!(by_id(json!(2))["error"]["code"], -32601);
    let codes: Vec<&Value> = answers.iter().map(|one| &one["error"]["code"]).collect();
    assert!(codes.contains(&&json!(-32600)), "{answer}");

    let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    for body in [notification.clone(), json!([notification])] {
        let answer = server.wire.post("/mcp", body.to_string()).await;
        assert_eq!((answer.status, answer.text.as_str()), (202, ""), "{body}");
    }
}

#[tokio::test]
async fn requests_of_other_sites_and_host_names_are_refused() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let body = json_rpc("tools/list", json!({})).to_string();
    for foreign in [
        ("origin", "https://attacker.example"),
        ("host", "attacker.example"),
    ] {
        let headers = [("content-type", "application/json"), foreign];
        let answer = server
            .wire
            .send(Method::POST, "/mcp", &headers, body.clone())
            .await;
        assert_eq!(answer.status, 403, "{foreign:?}: {}", answer.text);
    }
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_and_the_server_keeps_running() {
    let home = Home::new();
    let server = Launch::new(&home)
        .env("RECALL_KIT_LIMITS__BODY_BYTES", 100_000)
        .start()
        .await;
    let mut stream = TcpStream::connect(("127.0.0.1", server.port()))
        .await
        .unwrap();
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 9000000\r\n\r\n";
    let body = "x".repeat(100_001);
    stream
        .write_all(format!("{head}{body}").as_bytes())
        .await
        .unwrap();
    let mut answer = [0; 12];
    within_deadline("the refusal", stream.read_exact(&mut answer))
        .await
        .unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
    assert_eq!(server.wire.get("/readyz").await.status, 200);
}

fn tool_names(tools: &Value) -> Vec<&str> {
    let tools = tools.as_array().expect("tools are a list");
    tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect()
}
