//! An experience with the same text as a visible one is not stored again, on any transport.

use recall_kit_tests::{
    Home, LegacySession, McpSession, Server, Socket, StdioPeer, client, envelope, experience,
    json_rpc, run, server_command,
};
use recall_kit_tests_postgres::Cluster;
use serde_json::{Value, json};

/// An experience with the same text as `experience(title)`, but other whitespace.
fn with_other_whitespace(title: &str) -> Value {
    let mut same = experience(&format!("  {title}\t"));
    same["problem_description"] = json!("It does not work\r\nas  the manual says\n");
    same["keywords"] = json!(["manual"]);
    same
}

fn call(arguments: Value) -> Value {
    json!({"name": "submit_experience", "arguments": arguments})
}

fn check_known(answer: &Value, id: &str) {
    let data = &envelope(answer)["data"];
    let message = format!("Already shared as {id}; nothing was stored twice");
    let expected = json!({"id": id, "status": "published", "message": message});
    assert_eq!(data, &expected, "{answer}");
}

#[tokio::test]
async fn a_duplicate_is_stored_once_on_every_transport() {
    let cluster = Cluster::start();
    let on_postgres = Home::with_database(&cluster.url(&cluster.database()));
    for home in [Home::new(), on_postgres] {
        let server = Server::start(&home).await;
        let wire = &server.wire;
        let id = wire.submit(experience("The café is closed")).await;
        let same = || call(with_other_whitespace("The cafe\u{301} is closed"));
        let session = McpSession::open(wire, "/mcp", "2025-11-25").await;
        let mut legacy = LegacySession::open(wire, "/sse", &[]).await;
        let mut socket = Socket::open(server.port(), &[]).await.unwrap();
        let mut stdio = StdioPeer::start(&home, &[]);
        for answer in [
            wire.rpc("tools/call", same()).await,
            session.request("tools/call", same()).await,
            legacy.request("tools/call", same()).await,
            socket.call(&json_rpc("tools/call", same())).await,
            stdio.request("tools/call", same()).await,
        ] {
            check_known(&answer, &id);
        }
        let mut other = experience("The café is closed");
        other["context"] = json!("on Sundays");
        assert_ne!(wire.submit(other).await, id, "it says more");
        assert_eq!(wire.query("café").await["total"], 2);
    }
}

#[tokio::test]
async fn the_client_reports_a_duplicate() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let id = server.wire.submit(experience("Cargo is slow")).await;
    let url = format!("{}/mcp", server.wire.base());
    let record = experience("Cargo is slow");
    let field = |name: &str| record[name].as_str().unwrap().to_owned();
    let (title, problem) = (field("title"), field("problem_description"));
    let solution = field("solution");
    let args = [
        "--server",
        &url,
        "submit",
        "--yes",
        "--title",
        &title,
        "--problem",
        &problem,
        "--solution",
        &solution,
    ];
    let output = run(client(&home, &args), "").await;
    assert_eq!(output.expect_code(0).trim(), id);
    let message = format!("Already shared as {id}; nothing was stored twice");
    assert!(output.stderr.contains(&message), "{}", output.stderr);
    assert_eq!(server.wire.query("cargo").await["total"], 1);
}

#[tokio::test]
async fn a_hidden_record_does_not_block_a_duplicate_and_is_not_named() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let hidden = server.wire.submit(experience("Shy record")).await;
    let args = ["records", "hide", &hidden];
    run(server_command(&home, &args), "").await.expect_code(0);
    let answer = server
        .wire
        .call("submit_experience", experience("Shy record"))
        .await;
    let data = &answer["data"];
    assert!(!data.to_string().contains(&hidden), "{answer}");
    assert_eq!(
        data["message"],
        "Experience record created and published successfully"
    );
    assert_eq!(server.wire.query("shy").await["total"], 1);
}
