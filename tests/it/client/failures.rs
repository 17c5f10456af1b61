//! The client during failures: lost answers, a restarted server, timeouts, Ctrl-C.

use std::os::unix::fs::PermissionsExt;

use recall_kit_tests::{
    AnswerDroppingProxy, CuttableProxy, Gateway, GatewayAnswer, Home, Keystroke, Output, Server,
    answers::{CANCEL, CONFIRM},
    client, on_terminal, run, start, within_deadline,
};
use serde_json::{Value, json};
use tokio::process::Command;

#[tokio::test]
async fn a_submission_is_stored_once_if_its_answer_is_lost_twice() {
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
async fn a_submission_is_stored_once_if_the_server_restarts_between_attempts() {
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
async fn an_unreachable_server_is_reported_with_a_hint() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let port = server.port();
    server.stop().await;
    let output = run(submit(&home, port, "Never sent"), "").await;
    output.expect_code(1);
    let stderr = &output.stderr;
    assert!(
        stderr.contains("error: ") && stderr.contains("hint: "),
        "{stderr}"
    );
    assert!(stderr.contains("(4 tries)"), "{stderr}");
    assert_eq!(output.stdout, "");
    // The client knows that nothing was sent.
    assert!(stderr.contains("nothing is stored"), "{stderr}");
    assert!(!stderr.contains("unknown"), "{stderr}");
    let url = format!("http://127.0.0.1:{port}/mcp");
    let list = run(client(&home, &["outbox", "list"]), "").await;
    assert!(list.expect_code(0).contains("tried 4×"), "{list:?}");
    let flush = run(client(&home, &["--server", &url, "outbox", "flush"]), "").await;
    flush.expect_code(1);
    assert!(
        flush.stderr.contains("! 0 sent, 1 still waiting"),
        "{flush:?}"
    );
    assert!(!flush.stderr.contains('✓'), "{flush:?}");
}

#[tokio::test]
async fn server_failures_are_logged_without_the_texts_of_experiences() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let gateway = Gateway::start(server.port()).await;
    gateway.set_answer(Some(GatewayAnswer {
        status: 500,
        content_type: "text/plain",
        body: "wombat",
    }));
    let url = gateway.url();
    let submit = [
        "submit",
        "--yes",
        "--title",
        "About wombats",
        "--problem",
        "p",
    ];
    let args = [&["--server", &url], &submit[..], &["--solution", "s"]].concat();
    run(client(&home, &args), "").await.expect_code(1);
    let log = home.path().join(".local/state/recall-kit/errors.log");
    let text = std::fs::read_to_string(&log).unwrap();
    let noted: Value = serde_json::from_str(text.trim_end()).unwrap();
    assert_eq!(noted["call"], "submit_experience", "{noted}");
    assert_eq!(
        (&noted["error"], &noted["status"]),
        (&json!("server"), &json!(500))
    );
    assert!(!text.contains("wombat"), "{text}");
    let mode = std::fs::metadata(&log).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let doctor = run(client(&home, &["--server", &url, "doctor"]), "").await;
    let report = doctor.expect_code(0);
    let named = format!("{}: 1 logged", log.display());
    assert!(report.contains(&named), "{report}");
}

#[tokio::test]
async fn https_to_a_plain_server_is_explained() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let url = format!("https://127.0.0.1:{}/mcp", server.port());
    for command in [&["query", "x"][..], &["doctor"]] {
        let output = run(client(&home, &[&["--server", &url], command].concat()), "").await;
        output.expect_code(1);
        let output_text = format!("{}{}", output.stdout, output.stderr);
        assert!(
            output_text.contains("the server speaks http://"),
            "{output_text}"
        );
    }
}

#[tokio::test]
async fn a_timeout_is_reported_with_a_hint() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let proxy = CuttableProxy::start(server.port()).await;
    proxy.hold_answers();
    let mut command = submit(&home, proxy.port(), "Never answered");
    command.env("RECALL_KIT_CLIENT_SERVER__TIMEOUT", "700");
    let output = run(command, "").await;
    output.expect_code(1);
    let stderr = &output.stderr;
    assert!(stderr.contains("700 ms"), "{stderr}");
    assert!(
        stderr.contains("hint: ") && stderr.contains("network"),
        "{stderr}"
    );
}

#[tokio::test]
async fn a_confirmed_experience_survives_every_end_of_the_client_and_is_stored_once() {
    let confirm = Keystroke {
        after: "Edit",
        keys: CONFIRM,
    };
    // In these cases the answer was lost, and either the next attempt is under way or the user is asked how to
    // go on.
    let sending = |keys| {
        vec![
            confirm,
            Keystroke {
                after: "trying again",
                keys,
            },
        ]
    };
    let choice = |keys| {
        let mut steps = sending("SIGCONT");
        let after = "Give up";
        steps.push(Keystroke { after, keys });
        steps
    };
    for (steps, timeout, code, note) in [
        (sending("SIGKILL"), "60000", 137, ""),
        (sending("SIGTERM"), "60000", 143, ""),
        (sending("SIGINT"), "60000", 130, "outbox drop"),
        (choice("\u{3}"), "2000", 130, "outbox drop"),
        (choice("SIGKILL"), "2000", 137, ""),
    ] {
        let home = Home::new();
        let server = Server::start(&home).await;
        let proxy = AnswerDroppingProxy::start(server.port(), 1).await;
        let url = format!("http://127.0.0.1:{}/mcp", proxy.port());
        let mut command = at_terminal(&home, &url, "Confirmed at a terminal");
        command.env("RECALL_KIT_CLIENT_SERVER__TIMEOUT", timeout);
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
async fn an_experience_that_may_be_stored_stays_until_its_edited_copy_is_confirmed() {
    let (first, edited) = ("Confirmed at a terminal", "Edited at a terminal");
    let shown = |keys| Keystroke {
        after: "Nothing had to be removed",
        keys,
    };
    let choice = |keys| Keystroke {
        after: "Give up",
        keys,
    };
    let stays = "what you confirmed first stays";
    for (steps, code, note, left) in [
        (vec![shown(CANCEL)], 1, stays, first),
        (vec![shown("\u{3}")], 130, stays, first),
        (vec![shown("SIGTERM")], 143, "", first),
        (vec![shown("SIGKILL")], 137, "", first),
        (vec![shown(CONFIRM), choice("SIGKILL")], 137, "", edited),
    ] {
        let home = Home::new();
        let server = Server::start(&home).await;
        let proxy = AnswerDroppingProxy::start(server.port(), 1).await;
        let url = format!("http://127.0.0.1:{}/mcp", proxy.port());
        let mut command = at_terminal(&home, &url, first);
        command
            .env("RECALL_KIT_CLIENT_SERVER__TIMEOUT", "2000")
            .env("EDITOR", editor(&home, &format!("s/{first}/{edited}/")));
        let begun = [shown(CONFIRM), choice("\u{1b}[B\u{1b}[B\r")];
        let output = on_terminal(&home, &command, &[&begun[..], &steps].concat()).await;
        output.expect_code(code);
        assert!(output.stdout.contains(note), "{}", output.stdout);
        assert_eq!(waiting(&home, &url).await, [left]);
        proxy.resume(server.port());
        check_flushed_once(&home, &url, &server, left).await;
    }
}

#[tokio::test]
async fn a_refused_experience_stays_until_it_is_dropped_or_its_edited_copy_is_confirmed() {
    let long = "x".repeat(501);
    let choice = |keys| Keystroke {
        after: "Give up",
        keys,
    };
    let shown = |keys| Keystroke {
        after: "Nothing had to be removed",
        keys,
    };
    for (steps, code, left) in [
        (vec![choice("\u{1b}[B\r")], 1, 0),
        (vec![choice("\u{3}")], 130, 1),
        (vec![choice("SIGKILL")], 137, 1),
        (vec![choice("\r"), shown(CANCEL)], 1, 1),
        (vec![choice("\r"), shown(CONFIRM)], 0, 0),
    ] {
        let home = Home::new();
        let server = Server::start(&home).await;
        let url = format!("{}/mcp", server.wire.base());
        let mut command = at_terminal(&home, &url, &long);
        command.env("EDITOR", editor(&home, "s/^xxx*$/Made shorter/"));
        let steps = [&[shown(CONFIRM)][..], &steps].concat();
        on_terminal(&home, &command, &steps).await.expect_code(code);
        let list = client(&home, &["--server", &url, "--json", "outbox", "list"]);
        let listed = run(list, "").await;
        let listed: Value = serde_json::from_str(listed.expect_code(0)).unwrap();
        let listed = listed["experiences"].as_array().unwrap();
        assert_eq!(listed.len(), left, "{listed:?}");
        for one in listed {
            assert_eq!(
                (&one["title"], &one["refused"]),
                (&json!(long), &json!(true))
            );
        }
        let stored = server.wire.titles("Made shorter").await;
        assert_eq!(stored.len(), usize::from(code == 0), "{stored:?}");
    }
}

#[tokio::test]
async fn an_experience_is_stored_once_if_the_client_is_interrupted_while_waiting() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let proxy = AnswerDroppingProxy::start(server.port(), 1).await;
    let sending = start(&mut submit(&home, proxy.port(), "Interrupted"));
    proxy.lost(1).await;
    let id = sending.id().expect("it waits for the answer");
    let interrupt = format!("kill -INT {id}");
    let sent = Command::new("sh").args(["-c", &interrupt]).status().await;
    assert!(sent.unwrap().success());
    let output = within_deadline("the client's end", sending.wait_with_output()).await;
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(output.stdout.is_empty());
    proxy.resume(server.port());
    let url = format!("http://127.0.0.1:{}/mcp", proxy.port());
    check_flushed_once(&home, &url, &server, "Interrupted").await;
}

/// Returns the titles of the entries in the outbox.
async fn waiting(home: &Home, url: &str) -> Vec<String> {
    let list = client(home, &["--server", url, "--json", "outbox", "list"]);
    let listed = run(list, "").await;
    let listed: Value = serde_json::from_str(listed.expect_code(0)).unwrap();
    let titles = listed["experiences"].as_array().unwrap().iter();
    titles
        .map(|one| one["title"].as_str().unwrap().to_owned())
        .collect()
}

/// Flushes the outbox, although the server may have stored its entries already, and checks that the title is
/// stored once.
async fn check_flushed_once(home: &Home, url: &str, server: &Server, title: &str) {
    let flush = client(home, &["--server", url, "outbox", "flush"]);
    run(flush, "").await.expect_code(0);
    assert!(waiting(home, url).await.is_empty());
    let titles = server.wire.titles(title).await;
    let same = titles.iter().filter(|stored| *stored == title);
    assert_eq!(same.count(), 1, "{titles:?}");
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

/// A `submit` that asks for confirmation at a terminal.
fn at_terminal(home: &Home, url: &str, title: &str) -> Command {
    let mut command = client(home, &["-v", "--server", url, "submit"]);
    command
        .args(["--title", title])
        .args(["--problem", "p", "--solution", "s"]);
    command
}

/// Creates an editor that changes a draft with a sed script.
fn editor(home: &Home, change: &str) -> String {
    let script = format!("#!/bin/sh\nsed -i '{change}' \"$1\"\n");
    format!("sh {}", home.write("editor.sh", script).display())
}
