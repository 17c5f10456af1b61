//! The server is unreachable: confirmed experiences wait in the outbox and are sent once.

use std::os::unix::fs::PermissionsExt as _;

use recall_kit_tests::{
    AnswerDroppingProxy, Home, Keystroke, Launch, Output, Server, StdioPeer, answers, client,
    json_rpc, on_terminal, run,
};
use serde_json::{Value, json};

use super::{CORE_TOOLS, MODES, greet, play, share, stored, token, url};

/// Starts and stops a server; returns the port that it had.
async fn stopped_server(home: &Home) -> u16 {
    let server = Server::start(home).await;
    let port = server.port();
    server.stop().await;
    port
}

fn url_of(port: u16) -> String {
    format!("http://127.0.0.1:{port}/mcp")
}

async fn outbox(home: &Home, url: &str, args: &[&str]) -> Output {
    let args = [&["--server", url, "--json", "outbox"], args].concat();
    run(client(home, &args), "").await
}

pub(super) async fn waiting(home: &Home, url: &str) -> Vec<Value> {
    let output = outbox(home, url, &["list"]).await;
    let listed: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    listed["experiences"].as_array().unwrap().clone()
}

pub(super) async fn submit(home: &Home, url: &str, title: &str) -> Output {
    let mut command = client(home, &["--server", url, "submit", "--yes"]);
    command
        .args(["--title", title])
        .args(["--problem", "The server does not answer"])
        .args(["--solution", "Wait for it"]);
    run(command, "").await
}

#[tokio::test]
async fn a_confirmed_experience_waits_and_the_next_session_sends_it_once() {
    for mode in MODES {
        let home = Home::new();
        let port = stopped_server(&home).await;
        let confirm = json!({"action": "accept", "content": {"answer": "confirm"}});
        let calls = json!([{"list": "tools"}, share("Confirmed while away")]);
        let script = json!({"elicitation": [confirm], "calls": calls});
        let seen = play(&home, &url_of(port), mode, &script).await;
        // The client serves its own tools although the server is unreachable.
        assert_eq!(seen["answers"][0].as_array().unwrap().len(), 3, "{seen}");
        let result = &seen["answers"][1]["data"];
        assert_eq!(result["status"], "kept", "{seen}");

        let listed = waiting(&home, &url_of(port)).await;
        assert_eq!(listed[0]["id"], result["outbox_id"]);
        assert_eq!(listed[0]["title"], "Confirmed while away");
        check_files(&home);

        let server = Launch::new(&home).port(port).start().await;
        let query = json!({"tool": "query_experiences", "arguments": {"keywords": "away"}});
        let script = json!({"calls": [query, {"list": "tools"}]});
        let sent = async {
            loop {
                play(&home, &url(&server), mode, &script).await;
                if waiting(&home, &url(&server)).await.is_empty() {
                    return;
                }
            }
        };
        recall_kit_tests::within_deadline("what waits to be sent", sent).await;
        assert_eq!(stored(&server, "Confirmed while away").await, 1);
    }
}

#[tokio::test]
async fn a_confirmation_counts_even_if_the_host_then_disconnects() {
    for is_away in [false, true] {
        let home = Home::new();
        let server = Server::start(&home).await;
        let here = url(&server);
        let server = match is_away {
            true => {
                server.stop().await;
                None
            }
            false => Some(server),
        };
        let mut host = StdioPeer::of(client(&home, &["--server", &here, "mcp"]));
        greet(&mut host, json!({"elicitation": {}})).await;
        share_and_confirm(&mut host, "The last word").await;
        let (code, log) = host.close().await;
        assert_eq!(code, Some(0), "{log}");
        match server {
            Some(server) => assert_eq!(stored(&server, "The last word").await, 1),
            None => assert_eq!(waiting(&home, &here).await.len(), 1),
        }
    }
}

/// Shares an experience through the host and confirms it.
pub(super) async fn share_and_confirm(host: &mut StdioPeer, title: &str) {
    let call = json_rpc("tools/call", as_params(&share(title)));
    host.send(&call.to_string()).await;
    let question = loop {
        let message = host.receive().await;
        if message["method"] == "elicitation/create" {
            break message["id"].clone();
        }
    };
    let yes = json!({"action": "accept", "content": {"answer": "confirm"}});
    let reply = json!({"jsonrpc": "2.0", "id": question, "result": yes});
    host.send(&reply.to_string()).await;
}

/// Converts a call of a host's script into the parameters of a request.
fn as_params(call: &Value) -> Value {
    json!({"name": call["tool"], "arguments": call["arguments"]})
}

#[tokio::test]
async fn the_tool_list_grows_when_the_server_is_back() {
    let home = Home::new();
    let port = stopped_server(&home).await;
    let mut host = StdioPeer::of(client(&home, &["--server", &url_of(port), "mcp"]));
    greet(&mut host, json!({})).await;
    let tools = async |host: &mut StdioPeer| {
        let listed = host.request("tools/list", json!({})).await;
        listed["result"]["tools"].as_array().unwrap().len()
    };
    assert_eq!(tools(&mut host).await, 3);

    let _server = Launch::new(&home).port(port).start().await;
    let query = json!({"name": "query_experiences", "arguments": {"keywords": "anything"}});
    let query = json_rpc("tools/call", query);
    host.send(&query.to_string()).await;
    let (mut answered, mut list_changed) = (false, false);
    while !(answered && list_changed) {
        let message = host.receive().await;
        answered |= message["id"] == query["id"];
        list_changed |= message["method"] == "notifications/tools/list_changed";
    }
    assert_eq!(tools(&mut host).await, CORE_TOOLS);
    host.signal("TERM").await;
    assert_eq!(host.close().await.0, Some(0));
}

/// Checks that only the owner can read the outbox and that it does not contain the removed secret.
fn check_files(home: &Home) {
    let folder = outbox_folder(home);
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for file in std::fs::read_dir(&folder).unwrap().flatten() {
        assert_eq!(mode(&file.path()), 0o600, "{file:?}");
        let bytes = std::fs::read(file.path()).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains(&token()));
    }
}

#[tokio::test]
async fn a_waiting_submission_is_sent_with_the_next_query() {
    let home = Home::new();
    let port = stopped_server(&home).await;
    let output = submit(&home, &url_of(port), "Submitted while away").await;
    output.expect_code(1);
    assert!(output.stderr.contains("outbox"), "{}", output.stderr);
    assert!(output.stderr.contains(" tries)"), "{}", output.stderr);

    let server = Launch::new(&home).port(port).start().await;
    let query = client(
        &home,
        &["--server", &url(&server), "query", "something else"],
    );
    let output = run(query, "").await;
    output.expect_code(0);
    assert!(
        output.stderr.contains("sent 1 from the outbox"),
        "{}",
        output.stderr
    );
    assert_eq!(stored(&server, "Submitted while away").await, 1);
    assert!(waiting(&home, &url(&server)).await.is_empty());
}

#[tokio::test]
async fn a_submission_is_stored_once_if_the_server_dies_before_answering() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let port = server.port();
    let proxy = AnswerDroppingProxy::start(port, 1).await;
    let mut command = client(
        &home,
        &["--server", &url_of(proxy.port()), "submit", "--yes"],
    );
    command
        .args(["--title", "Stored but not acknowledged"])
        .args(["--problem", "p", "--solution", "s"])
        .env("RECALL_KIT_CLIENT_SERVER__TIMEOUT", "2000");
    let submitted = tokio::spawn(run(command, ""));
    proxy.lost(1).await;
    server.kill().await;
    // The proxy holds back every further attempt until it times out.
    submitted.await.unwrap().expect_code(1);
    let listed = waiting(&home, &url_of(proxy.port())).await;
    assert_eq!(listed[0]["attempts"], 1, "{listed:?}");

    let server = Launch::new(&home).port(port).start().await;
    proxy.resume(port);
    // Two processes at once, as with two agents.
    let here = url_of(proxy.port());
    let flush = || outbox(&home, &here, &["flush"]);
    let (one, other) = tokio::join!(flush(), flush());
    assert!(
        one.code == Some(0) || other.code == Some(0),
        "{one:?} {other:?}"
    );
    assert!(waiting(&home, &here).await.is_empty());
    assert_eq!(stored(&server, "Stored but not acknowledged").await, 1);
}

#[tokio::test]
async fn waiting_experiences_go_to_another_server_only_on_request() {
    let home = Home::new();
    let port = stopped_server(&home).await;
    submit(&home, &url_of(port), "Meant for one server")
        .await
        .expect_code(1);
    let other = Home::new();
    let server = Server::start(&other).await;
    let output = outbox(&home, &url(&server), &["flush"]).await;
    let flushed: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    assert_eq!(
        (&flushed["waiting"], &flushed["elsewhere"]),
        (&json!(1), &json!(1))
    );
    assert_eq!(stored(&server, "Meant for one server").await, 0);

    let output = outbox(&home, &url(&server), &["flush", "--any-server"]).await;
    let flushed: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    assert_eq!(
        flushed["sent"][0]["title"], "Meant for one server",
        "{flushed}"
    );
    assert_eq!(stored(&server, "Meant for one server").await, 1);
}

#[tokio::test]
async fn a_refused_experience_stays_with_its_reason_until_it_is_dropped() {
    let home = Home::new();
    let port = stopped_server(&home).await;
    let long = "x".repeat(501);
    submit(&home, &url_of(port), &long).await.expect_code(1);
    submit(&home, &url_of(port), "Sent after the refused one")
        .await
        .expect_code(1);
    let server = Launch::new(&home).port(port).start().await;
    let here = url(&server);
    let output = outbox(&home, &here, &["flush"]).await;
    output.expect_code(1);
    assert_eq!(stored(&server, "Sent after the refused one").await, 1);
    let listed = waiting(&home, &here).await;
    assert_eq!((listed.len(), &listed[0]["refused"]), (1, &json!(true)));
    assert!(
        listed[0]["last_error"].as_str().unwrap().contains("500"),
        "{listed:?}"
    );

    // It is not sent again, and is removed by `outbox drop`.
    outbox(&home, &here, &["flush"]).await.expect_code(0);
    let attempts = &waiting(&home, &here).await[0]["attempts"];
    assert_eq!(attempts, &listed[0]["attempts"]);
    let id = listed[0]["id"].as_str().unwrap();
    outbox(&home, &here, &["drop", id]).await.expect_code(0);
    assert!(waiting(&home, &here).await.is_empty());
}

#[tokio::test]
async fn a_refused_experience_can_be_edited_confirmed_and_sent() {
    let home = Home::new();
    let port = stopped_server(&home).await;
    let long = "x".repeat(501);
    submit(&home, &url_of(port), &long).await.expect_code(1);
    let server = Launch::new(&home).port(port).start().await;
    let here = url(&server);
    outbox(&home, &here, &["flush"]).await.expect_code(1);
    let id = waiting(&home, &here).await[0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    // Text that a person types is sanitized as well.
    let script = format!(
        "#!/bin/sh\nsed -i 's/^xxx*$/Made shorter {}/' \"$1\"\n",
        token()
    );
    let editor = home.write("editor.sh", script);
    let mut edit = client(&home, &["--server", &here, "outbox", "edit", &id]);
    edit.env("EDITOR", format!("sh {}", editor.display()));
    let confirm = Keystroke {
        after: "Edit",
        keys: answers::CONFIRM,
    };
    let output = on_terminal(&home, &edit, &[confirm]).await;
    output.expect_code(0);
    assert!(!output.stdout.contains(&token()), "{}", output.stdout);
    assert_eq!(stored(&server, "Made shorter").await, 1);
    assert!(waiting(&home, &here).await.is_empty());
}

#[tokio::test]
async fn the_outbox_is_encrypted_where_there_is_a_keyring() {
    let home = Home::new();
    let port = stopped_server(&home).await;
    let path = keyring(&home);
    let submit = async |title: &str| {
        let url = url_of(port);
        let mut command = client(&home, &["--server", &url, "submit", "--yes"]);
        command
            .args(["--title", title, "--problem", "p", "--solution", "s"])
            .env("PATH", &path);
        run(command, "").await.expect_code(1);
    };
    // The first submission creates the key, the second one finds it.
    submit("The first telling title").await;
    submit("The second telling title").await;
    for file in std::fs::read_dir(outbox_folder(&home)).unwrap().flatten() {
        let bytes = std::fs::read(file.path()).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(
            !text.contains("telling") && !text.contains("127.0.0.1"),
            "{text}"
        );
    }
    let list = async || {
        let mut list = client(&home, &["outbox", "list"]);
        list.env("PATH", &path);
        run(list, "").await
    };
    let stderr = list().await.stderr;
    assert!(
        stderr.contains("encrypted with a key in your keyring"),
        "{stderr}"
    );
    // Without the keyring the entries are listed, but cannot be sent.
    let listed = waiting(&home, &url_of(port)).await;
    assert_eq!((listed.len(), &listed[0]["title"]), (2, &json!("")));

    // An experience that is confirmed without the keyring is kept nevertheless, and the list says that it is
    // not encrypted.
    super::away::submit(&home, &url_of(port), "A third title")
        .await
        .expect_code(1);
    let listed = list().await;
    assert!(
        listed.expect_code(0).contains("telling title"),
        "{listed:?}"
    );
    assert!(listed.stderr.contains("1 of 3 not encrypted"), "{listed:?}");

    let server = Launch::new(&home).port(port).start().await;
    let args = ["--server", &url(&server), "--json", "outbox", "flush"];
    let mut flush = client(&home, &args);
    flush.env("PATH", &path);
    let output = run(flush, "").await;
    let flushed: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    assert_eq!(flushed["sent"].as_array().unwrap().len(), 3, "{flushed}");
    assert_eq!(stored(&server, "telling title").await, 2);
}

/// Creates a `secret-tool` that keeps its secret in the home; returns the `PATH` that contains it.
fn keyring(home: &Home) -> String {
    let secret = home.path().join("keyring");
    let script = format!(
        "#!/bin/sh\ncase \"$1\" in\nstore) cat >'{0}' ;;\nlookup) cat '{0}' 2>/dev/null ;;\nesac\n",
        secret.display()
    );
    home.write_program("bin/secret-tool", script);
    let path = std::env::var("PATH").unwrap_or_default();
    format!("{}:{path}", home.path().join("bin").display())
}

pub(super) fn outbox_folder(home: &Home) -> std::path::PathBuf {
    home.path().join(".local/share/recall-kit/outbox")
}
