//! JSON-RPC over WebSocket.

use futures::{SinkExt as _, StreamExt as _};
use recall_kit_tests::{
    Gate, Home, Launch, Server, envelope, experience, json_rpc, script_tool, within_deadline,
};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{
        self, Message,
        client::IntoClientRequest as _,
        protocol::{CloseFrame, frame::coding::CloseCode},
    },
};

/// An open socket.
struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    async fn open(server: &Server) -> Self {
        match try_open(server, &[]).await {
            Ok(socket) => socket,
            Err(error) => panic!("the socket was refused: {error}"),
        }
    }

    async fn send(&mut self, text: &str) {
        self.0.send(Message::text(text)).await.unwrap();
    }

    /// Waits for the next message; the error is the server's close frame.
    async fn next(&mut self) -> Result<Value, Option<CloseFrame>> {
        loop {
            match within_deadline("a message of the socket", self.0.next()).await {
                Some(Ok(Message::Text(text))) => {
                    return Ok(serde_json::from_str(&text).unwrap());
                }
                Some(Ok(Message::Close(frame))) => return Err(frame),
                Some(Ok(_)) => {}
                Some(Err(error)) => panic!("the socket broke: {error}"),
                None => panic!("the socket ended without a close frame"),
            }
        }
    }

    async fn ask(&mut self, request: &str) -> Value {
        self.send(request).await;
        self.next().await.unwrap()
    }

    async fn request(&mut self, method: &str, params: Value) -> Value {
        let request = json_rpc(method, params);
        let answer = self.ask(&request.to_string()).await;
        assert_eq!(answer["id"], request["id"], "{answer}");
        answer
    }

    /// Waits for the server's close frame and returns its code.
    async fn close_code(&mut self) -> CloseCode {
        let frame = self
            .next()
            .await
            .unwrap_err()
            .expect("a close frame has a code");
        assert!(!frame.reason.is_empty(), "{frame:?}");
        frame.code
    }
}

async fn try_open(
    server: &Server,
    headers: &[(&'static str, &str)],
) -> Result<Socket, tungstenite::Error> {
    let url = format!("ws://127.0.0.1:{}/ws", server.port());
    let mut request = url.into_client_request()?;
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    let opened = within_deadline("the socket", connect_async(request)).await;
    opened.map(|(stream, _)| Socket(stream))
}

#[tokio::test]
async fn calls_are_answered() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let mut socket = Socket::open(&server).await;
    let call = |tool: &str, arguments: Value| json!({"name": tool, "arguments": arguments});
    let submit = call("submit_experience", experience("Sockets stay open"));
    let submitted = socket.request("tools/call", submit).await;
    let id = envelope(&submitted)["data"]["id"].clone();
    let query = call("query_experiences", json!({"keywords": "sockets"}));
    let found = socket.request("tools/call", query).await;
    assert!(id.is_string(), "{submitted}");
    assert_eq!(envelope(&found)["data"]["experiences"][0]["id"], id);
    let plain = server.wire.rpc("tools/list", json!({})).await;
    let listed = socket.request("tools/list", json!({})).await;
    assert!(listed["result"]["tools"].is_array(), "{listed}");
    assert_eq!(listed["result"], plain["result"]);

    // Binary messages work like text messages.
    let ping = json_rpc("ping", json!({}));
    let bytes = Message::binary(ping.to_string());
    socket.0.send(bytes).await.unwrap();
    assert_eq!(socket.next().await.unwrap()["id"], ping["id"]);
    socket.0.close(None).await.unwrap();
    assert!(within_deadline("the end", socket.0.next()).await.is_some());
}

#[tokio::test]
async fn notifications_get_no_answer_and_batches_one() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let mut socket = Socket::open(&server).await;
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    socket.send(&notification.to_string()).await;
    socket
        .send(&json!([notification, notification]).to_string())
        .await;
    let batch = json!([
        {"jsonrpc": "2.0", "id": "a", "method": "ping"},
        notification,
        {"jsonrpc": "2.0", "id": "b", "method": "no/such/method"},
    ]);
    let answers = socket.ask(&batch.to_string()).await;
    let answers = answers.as_array().expect("a batch is answered by a batch");
    assert_eq!(answers.len(), 2);
    let of = |id: &str| answers.iter().find(|answer| answer["id"] == id).unwrap();
    assert_eq!(of("a")["result"], json!({}));
    assert_eq!(of("b")["error"]["code"], -32601);
    let long = Value::Array(vec![notification; 51]);
    let refused = socket.ask(&long.to_string()).await;
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
}

#[tokio::test]
async fn errors_are_answered_and_the_socket_stays_open() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let mut socket = Socket::open(&server).await;
    for (body, code) in [
        ("{\"jsonrpc\":", -32700),
        ("", -32700),
        ("42", -32600),
        ("[]", -32600),
        ("{\"id\": 1}", -32600),
        ("{\"foo\": 1}", -32600),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/unknown"}"#,
            -32601,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}"#,
            -32001,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x:y"}}"#,
            -32003,
        ),
    ] {
        let answer = socket.ask(body).await;
        assert_eq!(answer["error"]["code"], code, "{body}: {answer}");
        assert!(answer["error"]["data"]["details"].is_string(), "{answer}");
    }
    let alive = socket.request("ping", json!({})).await;
    assert_eq!(alive["result"], json!({}));
}

#[tokio::test]
async fn a_message_over_the_limit_closes_the_socket_with_the_reason() {
    let home = Home::new();
    let server = Launch::new(&home)
        .env("RECALL_KIT_LIMITS__BODY_BYTES", 10_000)
        .start()
        .await;
    let mut socket = Socket::open(&server).await;
    let ping = |size: usize| json_rpc("ping", json!({"x": "y".repeat(size)})).to_string();
    let fits = socket.ask(&ping(9_000)).await;
    assert_eq!(fits["result"], json!({}));
    socket.send(&ping(10_000)).await;
    assert_eq!(socket.close_code().await, CloseCode::Size);
    assert_eq!(
        Socket::open(&server).await.request("ping", json!({})).await["result"],
        json!({})
    );
}

#[tokio::test]
async fn calls_on_one_socket_run_concurrently() {
    let home = Home::new();
    let mut gate = Gate::new(&home, "gate").await;
    let settings = script_tool(&format!("{}; echo through", gate.wait()), "");
    let server = Launch::new(&home).settings(&settings).start().await;
    let mut socket = Socket::open(&server).await;
    let waiting = json_rpc("tools/call", json!({"name": "script", "arguments": {}}));
    socket.send(&waiting.to_string()).await;
    for number in 0..5 {
        let call = json!({"name": "calculator_add", "arguments": {"a": number, "b": 1}});
        let answer = socket.request("tools/call", call).await;
        let text = &answer["result"]["content"][0]["text"];
        assert_eq!(*text, (number + 1).to_string());
    }
    gate.open().await;
    let answer = socket.next().await.unwrap();
    assert_eq!(answer["id"], waiting["id"]);
    assert_eq!(answer["result"]["content"][0]["text"], "through");
}

#[tokio::test]
async fn other_sites_and_host_names_cannot_open_a_socket() {
    let home = Home::new();
    let server = Server::start(&home).await;
    for foreign in [
        ("origin", "https://attacker.example"),
        ("origin", "null"),
        ("origin", "http://localhost:3000"),
        ("sec-fetch-site", "cross-site"),
        ("host", "attacker.example"),
    ] {
        let refused = try_open(&server, &[foreign]).await.err();
        let status = match refused {
            Some(tungstenite::Error::Http(answer)) => answer.status().as_u16(),
            other => panic!("{foreign:?}: {other:?}"),
        };
        assert_eq!(status, 403, "{foreign:?}");
    }
    let own = format!("http://localhost:{}", server.port());
    let mut socket = try_open(&server, &[("origin", &own)]).await.unwrap();
    assert_eq!(socket.request("ping", json!({})).await["result"], json!({}));
    // A GET without an upgrade is refused.
    let plain = server.wire.get("/ws").await.status;
    assert!((400..500).contains(&plain), "{plain}");
}

#[tokio::test]
async fn the_number_of_sockets_is_limited() {
    let home = Home::new();
    let server = Launch::new(&home)
        .env("RECALL_KIT_LIMITS__SOCKETS", 1)
        .start()
        .await;
    let mut only = Socket::open(&server).await;
    match try_open(&server, &[]).await.err() {
        Some(tungstenite::Error::Http(answer)) => {
            assert_eq!(answer.status(), 503);
            assert!(answer.headers().contains_key("retry-after"));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(only.request("ping", json!({})).await["result"], json!({}));
}

#[tokio::test]
async fn running_calls_are_answered_before_a_stopping_server_closes_the_socket() {
    let home = Home::new();
    let mut gate = Gate::new(&home, "gate").await;
    let settings = script_tool(&format!("{}; echo through", gate.wait()), "");
    let mut server = Launch::new(&home).settings(&settings).start().await;
    let mut idle = Socket::open(&server).await;
    let mut busy = Socket::open(&server).await;
    let waiting = json_rpc("tools/call", json!({"name": "script", "arguments": {}}));
    busy.send(&waiting.to_string()).await;
    // The previous call is running once a later one was answered.
    busy.request("ping", json!({})).await;
    server.signal("TERM").await;
    assert_eq!(idle.close_code().await, CloseCode::Away);
    gate.open().await;
    let answer = busy.next().await.unwrap();
    assert_eq!(
        answer["result"]["content"][0]["text"], "through",
        "{answer}"
    );
    assert_eq!(busy.close_code().await, CloseCode::Away);
    assert_eq!(server.ended().await.code(), Some(0));
}
