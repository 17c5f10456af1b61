//! Calls that do not end normally: cancelled, disconnected, resumed, or running when the server stops.

use recall_kit_tests::{
    Gate, Home, Launch, McpSession, RunningProgram, Server, Stateless, StdioPeer, Witness,
    json_rpc, script_tool,
};
use reqwest::Method;
use serde_json::{Value, json};

fn call(tool: &str, arguments: Value) -> Value {
    json!({"name": tool, "arguments": arguments})
}

/// Starts a server with a tool whose program and its child never end; both hold the pipe `alive` open.
async fn endless(home: &Home) -> (Server, Witness) {
    let witness = Witness::new(home, "alive").await;
    let script = format!("{}; sleep 100000 & sleep 100000", witness.hold());
    let settings = script_tool(&script, "timeout_ms = 100000000");
    let server = Launch::new(home).settings(&settings).start().await;
    (server, witness)
}

#[tokio::test]
async fn an_abandoned_call_ends_the_program_and_its_child() {
    let home = Home::new();
    let (server, witness) = endless(&home).await;
    let params = || call("script", json!({}));

    let session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    let (id, mut stream) = session.start("tools/call", params()).await;
    let running = witness.started().await;
    let reason = json!({"requestId": id, "reason": "no longer needed"});
    session.notify("notifications/cancelled", reason).await;
    running.ended().await;
    assert_eq!(
        stream.message().await,
        None,
        "a cancelled call has no answer"
    );
    let alive = session.request("ping", json!({})).await;
    assert_eq!(alive["result"], json!({}));

    // Closing a session ends its calls.
    let (_, stream) = session.start("tools/call", params()).await;
    let running = witness.started().await;
    assert_eq!(session.close().await, 204);
    running.ended().await;
    drop(stream);

    // Without a session, closing the connection ends the call.
    let modern = Stateless::new(&server.wire);
    let called = tokio::spawn(async move { modern.request("tools/call", params()).await });
    let running = witness.started().await;
    called.abort();
    running.ended().await;

    let (wire, body) = (server.wire.clone(), json_rpc("tools/call", params()));
    let headers = [("content-type", "application/json")];
    let called = tokio::spawn(async move {
        wire.send(Method::POST, "/mcp", &headers, body.to_string())
            .await
    });
    let running = witness.started().await;
    called.abort();
    running.ended().await;
}

#[tokio::test]
async fn on_stdio_a_call_ends_when_cancelled_and_with_the_server() {
    let home = Home::new();
    let witness = Witness::new(&home, "alive").await;
    let script = format!("{}; sleep 100000 & sleep 100000", witness.hold());
    let config = home.write(
        "server.toml",
        script_tool(&script, "timeout_ms = 100000000"),
    );
    let mut peer = StdioPeer::start(&home, &["--config", &config.to_string_lossy()]);
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "behaviour-tests", "version": "1"},
    });
    peer.request("initialize", hello).await;
    peer.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        .await;
    let start = async |peer: &mut StdioPeer| -> (Value, RunningProgram) {
        let request = json_rpc("tools/call", call("script", json!({})));
        peer.send(&request.to_string()).await;
        (request["id"].clone(), witness.started().await)
    };
    let (id, running) = start(&mut peer).await;
    let cancelled = json!({
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": id},
    });
    peer.send(&cancelled.to_string()).await;
    running.ended().await;
    let alive = peer.request("ping", json!({})).await;
    assert_eq!(alive["result"], json!({}));

    let (_, running) = start(&mut peer).await;
    peer.signal("TERM").await;
    running.ended().await;
    assert_eq!(peer.close().await.0, Some(0));
}

#[tokio::test]
async fn a_broken_stream_can_be_resumed_and_delivers_the_answer() {
    for answers_meanwhile in [false, true] {
        let home = Home::new();
        let mut gate = Gate::new(&home, "gate").await;
        let ended = Witness::new(&home, "ended").await;
        // The script reports progress, waits for the gate, and answers.
        let script = format!(
            r#"echo '{{"progress": 1}}' >&2; {}; {}; echo '{{"progress": 2}}' >&2; echo the answer"#,
            ended.hold(),
            gate.wait(),
        );
        let server = Launch::new(&home)
            .settings(&script_tool(&script, ""))
            .start()
            .await;
        let session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
        let mut params = call("script", json!({}));
        params["_meta"] = json!({"progressToken": 1});
        let (id, mut stream) = session.start("tools/call", params).await;
        let running = ended.started().await;
        stream.notification("notifications/progress").await;
        let last_id = stream.last_id().unwrap().to_owned();
        drop(stream);
        if answers_meanwhile {
            gate.open().await;
            running.ended().await;
            server.logged("Tool called: script").await;
        }
        let mut resumed = session.resume(&last_id).await;
        if !answers_meanwhile {
            gate.open().await;
        }
        let (before, answer) = resumed.answer(&id).await;
        let progress: Vec<&Value> = before.iter().map(|m| &m["params"]["progress"]).collect();
        assert_eq!(
            progress,
            [&json!(2.0)],
            "what came before is not sent again"
        );
        assert_eq!(answer["result"]["content"][0]["text"], "the answer");
        assert_eq!(resumed.message().await, None, "the answer ends the stream");
        // Another session cannot resume the stream.
        let other_session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
        assert_eq!(other_session.resume(&last_id).await.message().await, None);
    }
}

#[tokio::test]
async fn a_running_call_is_finished_before_the_server_stops() {
    let home = Home::new();
    let (mut gate, alive) = (
        Gate::new(&home, "gate").await,
        Witness::new(&home, "alive").await,
    );
    let script = format!("{}; {}; echo through", alive.hold(), gate.wait());
    let settings = script_tool(&script, "");
    let params = || call("script", json!({}));
    for transport in ["session", "stateless", "plain"] {
        let mut server = Launch::new(&home).settings(&settings).start().await;
        let (wire, session) = (
            server.wire.clone(),
            McpSession::open(&server.wire, "/mcp", "2025-11-25").await,
        );
        let mut events = session.events().await;
        let calling = tokio::spawn(async move {
            match transport {
                "session" => session.request("tools/call", params()).await,
                "stateless" => Stateless::new(&wire).request("tools/call", params()).await,
                _ => wire.rpc("tools/call", params()).await,
            }
        });
        let running = alive.started().await;
        server.signal("TERM").await;
        server.logged("stopping").await;
        gate.open().await;
        running.ended().await;
        let answer = calling.await.unwrap();
        assert_eq!(
            answer["result"]["content"][0]["text"], "through",
            "{transport}: {answer}"
        );
        assert_eq!(events.message().await, None, "idle streams end");
        assert_eq!(server.ended().await.code(), Some(0), "{transport}");
    }
}

/// The answers of two calls with the same id could not be told apart.
#[tokio::test]
async fn an_id_belongs_to_one_call_at_a_time() {
    let home = Home::new();
    let mut gate = Gate::new(&home, "gate").await;
    let server = Launch::new(&home)
        .settings(&script_tool(&format!("{}; echo done", gate.wait()), ""))
        .start()
        .await;
    let session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    let (id, mut first) = session.start("tools/call", call("script", json!({}))).await;
    let twice = json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
    let refused = session.post(&twice).await;
    assert_eq!(refused.status, 400, "{}", refused.text);
    let details = &refused.json()["error"]["data"]["details"];
    assert!(details.to_string().contains("id of its own"), "{details}");
    gate.open().await;
    let (_, answer) = first.answer(&id).await;
    assert_eq!(answer["result"]["content"][0]["text"], "done", "{answer}");
    // An id can be used again after its answer.
    assert_eq!(session.post(&twice).await.status, 200);
}
