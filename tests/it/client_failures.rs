//! The client when things go wrong: lost answers, a restarted server, timeouts, Ctrl-C.

use recall_kit_tests::{
    AnswerDroppingProxy, EmbeddingsEndpoint, Home, Launch, Output, Script, Server, client, run,
    start, within_deadline,
};
use tokio::process::Command;

#[tokio::test]
async fn an_answer_lost_twice_stores_once() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let proxy = AnswerDroppingProxy::start(server.port(), 2).await;
    let submitted = tokio::spawn(run(submit(&home, proxy.port(), "Sent three times"), ""));
    for losses in 1..=2 {
        proxy.lost(losses).await;
        proxy.resume(server.port());
    }
    check_stored_once(&server, &submitted.await.unwrap(), "sent three times").await;
}

#[tokio::test]
async fn a_server_restarted_between_tries_stores_once() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let proxy = AnswerDroppingProxy::start(server.port(), 1).await;
    let submitted = tokio::spawn(run(submit(&home, proxy.port(), "Sent to two servers"), ""));
    proxy.lost(1).await;
    server.kill().await;
    let server = Server::start(&home).await;
    proxy.resume(server.port());
    check_stored_once(&server, &submitted.await.unwrap(), "two servers").await;
}

#[tokio::test]
async fn a_server_that_is_not_there_is_reported_with_a_hint() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let port = server.port();
    server.stop().await;
    let output = run(submit(&home, port, "Never sent"), "").await;
    output.expect_code(1);
    let said = &output.stderr;
    assert!(
        said.contains("error: ") && said.contains("hint: "),
        "{said}"
    );
    assert!(said.contains(" tries)"), "{said}");
    assert_eq!(output.stdout, "");
}

#[tokio::test]
async fn a_timeout_is_reported_with_a_hint() {
    let home = Home::new();
    let (endpoint, server) = slow_server(&home).await;
    let mut command = submit(&home, server.port(), "Never answered");
    command.env("RECALL_KIT_CLIENT_SERVER__TIMEOUT", "700");
    let output = run(command, "").await;
    output.expect_code(1);
    let said = &output.stderr;
    assert!(said.contains("700 ms"), "{said}");
    assert!(
        said.contains("hint: ") && said.contains("network"),
        "{said}"
    );
    endpoint.now(Script::Answer);
}

#[tokio::test]
async fn an_interrupt_while_sending_ends_the_client_and_stores_whole_or_not_at_all() {
    let home = Home::new();
    let (endpoint, server) = slow_server(&home).await;
    let sending = start(&mut submit(&home, server.port(), "Interrupted"));
    endpoint.asked("Interrupted").await;
    let id = sending.id().expect("it waits for the answer");
    let interrupt = format!("kill -INT {id}");
    let sent = Command::new("sh").args(["-c", &interrupt]).status().await;
    assert!(sent.unwrap().success());
    let output = within_deadline("the client's end", sending.wait_with_output()).await;
    let output = output.unwrap();
    assert!(!output.status.success());
    assert!(output.stdout.is_empty());
    endpoint.now(Script::Answer);
    server.stop().await;

    let server = Server::start(&home).await;
    let data = server.wire.query("interrupted").await;
    for record in data["experiences"].as_array().unwrap() {
        assert_eq!(record["solution"], "Send it again");
    }
    assert!(data["total"].as_u64().unwrap() <= 1, "{data}");
}

async fn check_stored_once(server: &Server, output: &Output, words: &str) {
    let id = output.expect_code(0).trim().to_owned();
    let data = server.wire.query(words).await;
    assert_eq!(data["total"], 1, "{data}");
    assert_eq!(
        data["experiences"][0]["id"],
        id.as_str(),
        "{}",
        output.stderr
    );
}

/// A server that takes a submission and then waits for its embeddings.
async fn slow_server(home: &Home) -> (EmbeddingsEndpoint, Server) {
    let endpoint = EmbeddingsEndpoint::start(Script::Hang).await;
    let server = Launch::new(home)
        .embeddings("openai")
        .env("RECALL_KIT_EMBEDDINGS__BASE_URL", endpoint.url())
        .env("RECALL_KIT_EMBEDDINGS__TIMEOUT_MS", 60_000)
        .start()
        .await;
    (endpoint, server)
}

fn submit(home: &Home, port: u16, title: &str) -> Command {
    let url = format!("http://127.0.0.1:{port}/mcp");
    let mut command = client(home, &["--server", &url, "submit", "--yes"]);
    command
        .args(["--title", title])
        .args(["--problem", "The answer does not arrive"])
        .args(["--solution", "Send it again"])
        .env("RECALL_KIT_CLIENT_SERVER__TIMEOUT", "60000");
    command
}
