//! A peer that asks and does not read the answers costs nobody but itself.

use recall_kit_tests::{
    Gate, Home, Launch, Server, Socket, json_rpc, make_key, revoke_key, script_tool,
    within_deadline,
};
use serde_json::{Value, json};

fn call(tool: &str, arguments: Value) -> String {
    json_rpc("tools/call", json!({"name": tool, "arguments": arguments})).to_string()
}

/// Lets a peer go unread, and a page of large records be found, however long it takes.
fn patient(launch: Launch<'_>) -> Launch<'_> {
    launch
        .env("RECALL_KIT_LIMITS__WRITE_TIMEOUT_MS", 3_600_000)
        .env("RECALL_KIT_QUERY__TIMEOUT_MS", 3_600_000)
}

/// Stores records whose page is far larger than what the system keeps of a connection.
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

/// Asks for a page of large records and waits until its answer has begun.
async fn ask_for_much(socket: &mut Socket) {
    let much = json!({"keywords": "large widget", "limit": 50});
    socket.send(call("query_experiences", much)).await;
    socket.until_something_came().await;
}

fn entry(title: String) -> Value {
    json!({"type": "bug", "title": title, "content": "what was seen"})
}

#[tokio::test]
async fn finished_calls_release_what_they_held_although_answers_are_unread() {
    let home = Home::new();
    let mut gate = Gate::new(&home, "gate").await;
    let settings = script_tool(&format!("{}; echo through", gate.wait()), "at_once = 1");
    let server = patient(Launch::new(&home).settings(&settings))
        .start()
        .await;
    store_large_records(&server).await;
    let mut socket = Socket::open_narrow(server.port(), &[]).await.unwrap();
    socket.send(call("script", json!({}))).await;
    // The call before is under way once a later one was answered.
    let ping = json_rpc("ping", json!({}));
    assert_eq!(socket.call(&ping).await["id"], ping["id"]);
    ask_for_much(&mut socket).await;
    for number in 0..12 {
        let title = format!("Unread {number}");
        socket.send(call("rekall_add", entry(title))).await;
    }

    // The one place of the program is taken until the call on the socket is done.
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
    // What was asked on the socket was done as well.
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
    let server = patient(launch).start().await;
    store_large_records(&server).await;
    let key = make_key(&home, "silent", "read").await;
    let headers = [("x-api-key", key.as_str())];
    let mut socket = Socket::open_narrow(server.port(), &headers).await.unwrap();
    ask_for_much(&mut socket).await;
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
