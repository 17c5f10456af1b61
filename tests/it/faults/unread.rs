//! A client that sends requests and does not read the answers harms only itself.

use recall_kit_tests::{
    Gate, Home, Launch, Server, Socket, json_rpc, make_key, revoke_key, script_tool,
    within_deadline,
};
use serde_json::{Value, json};

fn call(tool: &str, arguments: Value) -> String {
    json_rpc("tools/call", json!({"name": tool, "arguments": arguments})).to_string()
}

/// Sets long timeouts, so that answers may stay unread and finding a page of large records may be slow.
fn with_long_timeouts(launch: Launch<'_>) -> Launch<'_> {
    launch
        .env("RECALL_KIT_LIMITS__WRITE_TIMEOUT_MS", 3_600_000)
        .env("RECALL_KIT_QUERY__TIMEOUT_MS", 3_600_000)
}

/// Stores records, one page of which is far larger than the system's buffers of a connection.
async fn store_large_records(server: &Server) {
    for number in 0..10 {
        let record = json!({
            "title": format!("Large widget {number}"),
            "problem_description": "it fails",
            "solution": format!("turn knob {number}. ").repeat(30_000),
        });
        let stored = server.wire.call("submit_experience", record).await;
        assert_eq!(stored["success"], true, "{stored}");
    }
}

/// Queries a page of large records and waits until its answer has begun.
async fn query_large_page(socket: &mut Socket) {
    let large_query = json!({"keywords": "large widget", "limit": 50});
    socket.send(call("query_experiences", large_query)).await;
    socket.wait_for_data().await;
}

fn entry(title: String) -> Value {
    json!({"type": "bug", "title": title, "content": "what was seen"})
}

#[tokio::test]
async fn finished_calls_release_their_resources_even_if_answers_are_unread() {
    let home = Home::new();
    let mut gate = Gate::new(&home, "gate").await;
    let settings = script_tool(&format!("{}; echo through", gate.wait()), "at_once = 1");
    let server = with_long_timeouts(Launch::new(&home).settings(&settings))
        .start()
        .await;
    store_large_records(&server).await;
    let mut socket = Socket::open_narrow(server.port(), &[]).await.unwrap();
    socket.send(call("script", json!({}))).await;
    // The previous call is running once a later one was answered.
    let ping = json_rpc("ping", json!({}));
    assert_eq!(socket.call(&ping).await["id"], ping["id"]);
    query_large_page(&mut socket).await;
    for number in 0..12 {
        let title = format!("Unread {number}");
        socket.send(call("rekall_add", entry(title))).await;
    }

    // Only one instance of the program may run; its slot is free when the call on the socket is done.
    gate.open().await;
    gate.open().await;
    let through = async {
        loop {
            let params = json!({"name": "script", "arguments": {}});
            let answer = server.wire.rpc("tools/call", params).await;
            if answer["result"]["content"][0]["text"] == "through" {
                return;
            }
        }
    };
    within_deadline("the place of the program", through).await;
    for number in 0..3 {
        let added = server
            .wire
            .call("rekall_add", entry(format!("Other {number}")));
        assert_eq!(added.await["created"], true);
        let record =
            json!({"title": format!("t {number}"), "problem_description": "p", "solution": "s"});
        let stored = server.wire.call("submit_experience", record).await;
        assert_eq!(stored["success"], true, "{stored}");
        assert!(server.wire.query("knob").await["total"].is_u64());
    }
    // The other calls on the socket were done as well.
    let unread = async {
        loop {
            let search = json!({"query": "unread", "limit": 20});
            let found = server.wire.call("rekall_search", search).await;
            if found["total"] == 12 {
                return;
            }
        }
    };
    within_deadline("the entries of the socket", unread).await;
}

#[tokio::test]
async fn an_unread_socket_closes_when_its_key_is_revoked() {
    let home = Home::new();
    let launch = Launch::new(&home).env("RECALL_KIT_LIMITS__SOCKETS", 1);
    let server = with_long_timeouts(launch).start().await;
    store_large_records(&server).await;
    let key = make_key(&home, "silent", "read").await;
    let headers = [("x-api-key", key.as_str())];
    let mut socket = Socket::open_narrow(server.port(), &headers).await.unwrap();
    query_large_page(&mut socket).await;
    assert_eq!(Socket::open(server.port(), &[]).await.err(), Some(503));
    revoke_key(&home, "silent").await;
    let opening = async {
        loop {
            if let Ok(socket) = Socket::open(server.port(), &[]).await {
                return socket;
            }
        }
    };
    let mut next = within_deadline("the place of the socket", opening).await;
    let ping = json_rpc("ping", json!({}));
    assert_eq!(next.call(&ping).await["result"], json!({}));
}
