//! The errors of the protocol, as an agent sees them.

use recall_kit_tests::{CuttableProxy, Home, Server, StdioPeer, client, run};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
    task::JoinSet,
};

use super::{
    MODES,
    away::{outbox_folder, share_and_confirm, submit, waiting},
    greet, play, share, stored, url,
};

#[tokio::test]
async fn each_error_says_what_to_do() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let (failing, silent) = (Scripted::start(true).await, Scripted::start(false).await);
    let gone = Server::start(&Home::new()).await;
    let nobody = url(&gone);
    gone.stop().await;
    let few = json!({"keywords": "cargo"});
    for (url, arguments, message, hint, logged) in [
        (
            nobody,
            &few,
            "(4 tries)",
            "check that the server runs",
            "trying again",
        ),
        (silent.url(), &few, "within 400 ms", "check the network", ""),
        (
            failing.url(),
            &few,
            "500",
            "try again later",
            "the server failed",
        ),
        (
            url(&server),
            &json!({"keywords": "cargo", "limit": 51}),
            "Limit",
            "1 to 50",
            "",
        ),
    ] {
        let mut program = client(&home, &["--server", &url, "mcp"]);
        program.env("RECALL_KIT_CLIENT_SERVER__TIMEOUT", "400");
        let mut host = StdioPeer::of(program);
        greet(&mut host, json!({})).await;
        let call = json!({"name": "query_experiences", "arguments": arguments});
        let answer = host.request("tools/call", call).await;
        let result = &answer["result"];
        assert_eq!(result["isError"], true, "{url}: {answer}");
        let error = &result["structuredContent"]["error"];
        let contains = |field: &str, part: &str| error[field].as_str().unwrap().contains(part);
        assert!(contains("message", message), "{url}: {answer}");
        assert!(contains("hint", hint), "{url}: {answer}");
        let (code, log) = host.close().await;
        assert_eq!(code, Some(0), "{log}");
        assert!(log.contains(logged), "{url}: {log}");
    }
}

#[tokio::test]
async fn an_experience_not_acknowledged_in_time_is_kept_and_stored_once() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let proxy = CuttableProxy::start(server.port()).await;
    proxy.hold_answers();
    let here = format!("http://127.0.0.1:{}/mcp", proxy.port());
    let confirm = json!({"action": "accept", "content": {"answer": "confirm"}});
    let script = json!({
        "elicitation": [confirm],
        "calls": [share("Acknowledged too late")],
        "env": {"RECALL_KIT_CLIENT_SERVER__TIMEOUT": "700"},
    });
    let seen = play(&home, &here, MODES[0], &script).await;
    let outcome = &seen["answers"][0]["data"];
    assert_eq!(outcome["status"], "kept", "{seen}");
    assert!(
        outcome["message"].as_str().unwrap().contains("700 ms"),
        "{seen}"
    );
    proxy.restore();
    let flush = client(&home, &["--server", &here, "outbox", "flush"]);
    run(flush, "").await.expect_code(0);
    assert_eq!(stored(&server, "Acknowledged too late").await, 1);
}

/// Makes the entries of the outbox look a week old.
fn age_all(home: &Home) {
    for file in std::fs::read_dir(outbox_folder(home)).unwrap().flatten() {
        if file.file_name().to_string_lossy().ends_with(".experience") {
            let text = std::fs::read(file.path()).unwrap();
            let mut record: Value = serde_json::from_slice(&text).unwrap();
            record["kept_at"] = json!(record["kept_at"].as_u64().unwrap() - 7 * 86_400);
            std::fs::write(file.path(), record.to_string()).unwrap();
        }
    }
}

#[tokio::test]
async fn an_experience_that_a_server_fails_on_waits_without_blocking_the_others() {
    let home = Home::new();
    let failing = Scripted::start(true).await;
    let here = failing.url();
    for title in ["Older", "Newer"] {
        submit(&home, &here, title).await.expect_code(1);
    }
    let flush = |url: &str| client(&home, &["--server", url, "outbox", "flush", "--any-server"]);
    let attempts = async || {
        let mut all: Vec<u64> = Vec::new();
        for one in waiting(&home, &here).await {
            assert_eq!(one["refused"], false, "{one}");
            all.push(one["attempts"].as_u64().unwrap());
        }
        all.iter().sum::<u64>()
    };
    assert_eq!(attempts().await, 2);
    run(flush(&here), "").await.expect_code(1);
    assert_eq!(attempts().await, 4);
    // Servers forget idempotency keys after a week. An older entry is sent only after a query shows that it is
    // not stored yet, and that query fails here.
    age_all(&home);
    run(flush(&here), "").await.expect_code(1);
    assert_eq!(attempts().await, 5);

    let server = Server::start(&home).await;
    let other = Home::new();
    submit(&other, &url(&server), "Older").await.expect_code(0);
    run(flush(&url(&server)), "").await.expect_code(0);
    for title in ["Older", "Newer"] {
        assert_eq!(stored(&server, title).await, 1, "{title}");
    }
}

#[tokio::test]
async fn a_confirmed_experience_survives_a_kill_while_the_server_is_silent() {
    let home = Home::new();
    let silent = Scripted::start(false).await;
    let mut program = client(&home, &["--server", &silent.url(), "mcp"]);
    // A timeout longer than this test runs.
    program.env("RECALL_KIT_CLIENT_SERVER__TIMEOUT", "600000");
    let mut host = StdioPeer::of(program);
    greet(&mut host, json!({"elicitation": {}})).await;
    share_and_confirm(&mut host, "Killed while sending").await;
    let on_disk = async { while waiting(&home, &silent.url()).await.is_empty() {} };
    recall_kit_tests::within_deadline("what was confirmed to be on disk", on_disk).await;

    // While the sending process lives, no other process sends the entry; it would wait for the same silent
    // server.
    let here = silent.url();
    let flush = |url: &str| client(&home, &["--server", url, "outbox", "flush", "--any-server"]);
    let beside = run(flush(&here), "").await;
    beside.expect_code(0);

    host.signal("KILL").await;
    host.close().await;
    let server = Server::start(&home).await;
    run(flush(&url(&server)), "").await.expect_code(0);
    assert_eq!(stored(&server, "Killed while sending").await, 1);
    assert!(waiting(&home, &here).await.is_empty());
}

/// A server that answers every request with status 500, or never answers.
struct Scripted {
    port: u16,
    _task: JoinSet<()>,
}

impl Scripted {
    async fn start(answers: bool) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut open = Vec::new();
            while let Ok((mut peer, _)) = listener.accept().await {
                if answers {
                    let mut request = vec![0; 65_536];
                    let _ = peer.read(&mut request).await;
                    let failure = "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n";
                    let _ = peer.write_all(failure.as_bytes()).await;
                }
                open.push(peer);
            }
        });
        Self { port, _task: task }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }
}
