//! The client when things go wrong: lost answers, a restarted server, timeouts, Ctrl-C.

use recall_kit_tests::{
    AnswerDroppingProxy, EmbeddingsEndpoint, Home, Keystroke, Launch, Output, Script, Server,
    client, on_terminal, run, start, within_deadline,
};
use serde_json::Value;
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
async fn what_was_confirmed_outlives_every_end_of_the_client_and_is_stored_once() {
    let confirm = Keystroke {
        after: "Edit",
        keys: "\r",
    };
    // The answer was lost and the next try is under way, or the person is asked what now.
    let sending = |keys| {
        vec![
            confirm,
            Keystroke {
                after: "trying again",
                keys,
            },
        ]
    };
    let asked = |keys| {
        let mut steps = sending("SIGCONT");
        let after = "Give up";
        steps.push(Keystroke { after, keys });
        steps
    };
    for (steps, timeout, code, note) in [
        (sending("SIGKILL"), "60000", 137, ""),
        (sending("SIGTERM"), "60000", 143, ""),
        (sending("SIGINT"), "60000", 130, "outbox drop"),
        (asked("\u{3}"), "2000", 130, "outbox drop"),
        (asked("SIGKILL"), "2000", 137, ""),
    ] {
        let home = Home::new();
        let server = Server::start(&home).await;
        let proxy = AnswerDroppingProxy::start(server.port(), 1).await;
        let url = format!("http://127.0.0.1:{}/mcp", proxy.port());
        let mut command = client(&home, &["-v", "--server", &url, "submit"]);
        command
            .args(["--title", "Confirmed at a terminal"])
            .args(["--problem", "p", "--solution", "s"])
            .env("RECALL_KIT_CLIENT_SERVER__TIMEOUT", timeout);
        let output = on_terminal(&home, &command, &steps).await;
        let shown = output.stdout.clone();
        output.expect_code(code);
        assert!(shown.contains(note), "{shown}");
        assert_eq!(waiting(&home, &url).await, ["Confirmed at a terminal"]);
        proxy.resume(server.port());
        check_flushed_once(&home, &url, &server, "Confirmed at a terminal").await;
    }
}

#[tokio::test]
async fn an_interrupt_while_the_server_works_stores_once() {
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
    assert_eq!(output.status.code(), Some(130));
    assert!(output.stdout.is_empty());
    endpoint.now(Script::Answer);
    let url = format!("{}/mcp", server.wire.base());
    check_flushed_once(&home, &url, &server, "Interrupted").await;
}

/// The titles of what waits.
async fn waiting(home: &Home, url: &str) -> Vec<String> {
    let list = client(home, &["--server", url, "--json", "outbox", "list"]);
    let listed = run(list, "").await;
    let listed: Value = serde_json::from_str(listed.expect_code(0)).unwrap();
    let titles = listed["experiences"].as_array().unwrap().iter();
    titles
        .map(|one| one["title"].as_str().unwrap().to_owned())
        .collect()
}

/// Sends what waits, of which the server may have all.
async fn check_flushed_once(home: &Home, url: &str, server: &Server, title: &str) {
    let flush = client(home, &["--server", url, "outbox", "flush"]);
    run(flush, "").await.expect_code(0);
    assert!(waiting(home, url).await.is_empty());
    let data = server.wire.query(title).await;
    assert_eq!(data["total"], 1, "{data}");
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
