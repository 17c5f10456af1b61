//! `recall`, `knowledge`, `docs` and `show`: everything that servers know, from the terminal.

use recall_kit_tests::{
    Gateway, GatewayAnswer, Home, Output, Recorder, Server, client, experience, run,
};
use serde_json::{Value, json};

use crate::libraries::with_library;

/// Stores an experience and two entries about middleware, and an experience about something else.
async fn fill(server: &Server) {
    for title in ["Gin middleware runs twice", "The pool runs dry at night"] {
        server
            .wire
            .call("submit_experience", experience(title))
            .await;
    }
    for title in ["Log every request in middleware", "Middleware comes first"] {
        add(server, title).await;
    }
}

async fn add(server: &Server, title: &str) {
    let entry = json!({"type": "decision", "title": title, "content": "Without exception."});
    server.wire.call("rekall_add", entry).await;
}

async fn ask(home: &Home, url: &str, args: &[&str]) -> Output {
    let args = [&["--server", url], args].concat();
    run(client(home, &args), "").await
}

fn url(server: &Server) -> String {
    format!("{}/mcp", server.wire.base())
}

/// Returns what stands at the end of each line of facts: what `show` takes.
fn references(shown: &str) -> Vec<&str> {
    let facts = shown.lines().filter(|line| line.contains(" · "));
    facts.filter_map(|line| line.rsplit(" · ").next()).collect()
}

#[tokio::test]
async fn what_is_recalled_is_numbered_and_each_result_opens() {
    let home = Home::new();
    with_library(&home).await;
    let server = Server::start(&home).await;
    fill(&server).await;
    let url = url(&server);
    let recalled = ask(&home, &url, &["recall", "logger", "middleware"]).await;
    let shown = recalled.expect_code(0);
    assert!(shown.starts_with(" 1 "), "{shown}");
    for family in [" · experience · ", " · knowledge · ", " · library · "] {
        assert!(shown.contains(family), "{family}: {shown}");
    }
    assert!(recalled.stderr.contains("show ID"), "{recalled:?}");
    let found = references(shown);
    assert!(found.len() >= 3, "{shown}");
    for reference in found {
        let opened = ask(&home, &url, &["show", reference]).await;
        let text = opened.expect_code(0).to_lowercase();
        assert!(text.contains("middleware"), "{reference}: {text}");
    }
    // The tool's own answer, and nothing else.
    let answer = ask(&home, &url, &["recall", "--json", "logger middleware"]).await;
    let answer: Value = serde_json::from_str(answer.expect_code(0)).unwrap();
    let arguments = json!({"query": "logger middleware"});
    let direct = server.wire.call("recall", arguments).await;
    assert_eq!(answer, direct);

    let nothing = ask(&home, &url, &["recall", "zebra crossing"]).await;
    assert_eq!(nothing.expect_code(0), "");
    for advice in ["nothing found", "other words", "submit"] {
        assert!(nothing.stderr.contains(advice), "{advice}: {nothing:?}");
    }
}

#[tokio::test]
async fn knowledge_and_documentation_are_read() {
    let home = Home::new();
    with_library(&home).await;
    let server = Server::start(&home).await;
    fill(&server).await;
    let url = url(&server);
    let entries = ask(&home, &url, &["knowledge", "middleware", "--limit", "1"]).await;
    let shown = entries.expect_code(0);
    assert!(shown.contains(" · ") && !shown.contains("\n 2 "), "{shown}");
    assert!(entries.stderr.contains("1 of 2"), "{entries:?}");
    let pitfalls = ask(
        &home,
        &url,
        &["knowledge", "middleware", "--type", "pitfall"],
    )
    .await;
    assert_eq!(pitfalls.expect_code(0), "");
    assert!(pitfalls.stderr.contains("recall"), "{pitfalls:?}");

    let libraries = ask(&home, &url, &["docs"]).await;
    assert!(
        libraries.expect_code(0).contains(" 1 Gin\n   v1"),
        "{libraries:?}"
    );
    let docs = ask(&home, &url, &["docs", "logger", "--library", "gin"]).await;
    let shown = docs.expect_code(0);
    assert!(
        shown.contains("Gin v1") && shown.contains("@v1/"),
        "{shown}"
    );
    let unknown = ask(&home, &url, &["docs", "logger", "--library", "gi"]).await;
    unknown.expect_code(1);
    assert!(
        unknown.stderr.contains("library `gi`\n  Gin"),
        "{unknown:?}"
    );

    for (args, code, message) in [
        (&["knowledge", "x", "--type", "idea"][..], 2, "decision"),
        (&["docs", "x", "--max-tokens", "10"], 2, "from 200 to 20000"),
        (&["docs", "--max-tokens", "500"], 2, "TOPIC"),
        (&["recall", "x", "--limit", "11"], 2, "from 1 to 10"),
        (&["show", "../etc"], 2, "at least 5 characters"),
        (
            &["show", "01JD8"],
            1,
            "no record has an id that begins with `01JD8`",
        ),
        (&["show", "9@v1/logger"], 1, "error:"),
    ] {
        let output = ask(&home, &url, args).await;
        output.expect_code(code);
        assert!(output.stderr.contains(message), "{args:?}: {output:?}");
    }
}

#[tokio::test]
async fn an_ambiguous_id_names_the_records_and_shows_none() {
    let home = Home::new();
    let server = Server::start(&home).await;
    fill(&server).await;
    let url = url(&server);
    let arguments = json!({"query": "middleware"});
    let found = server.wire.call("rekall_search", arguments).await;
    let id = found["results"][0]["id"].as_str().unwrap();
    let ambiguous = ask(&home, &url, &["show", &id[..5]]).await;
    assert_eq!(ambiguous.expect_code(1), "");
    for title in ["Log every request in middleware", "Middleware comes first"] {
        assert!(ambiguous.stderr.contains(title), "{title}: {ambiguous:?}");
    }
    assert!(
        ambiguous.stderr.contains("give one of these ids"),
        "{ambiguous:?}"
    );
}

#[tokio::test]
async fn questions_are_sanitized_before_they_leave() {
    let home = Home::new();
    with_library(&home).await;
    let server = Server::start(&home).await;
    let wire = Recorder::start(server.port(), true).await;
    let token = ["ghp", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hJ5"].join("_");
    let text = format!("logger fails with {token}");
    for args in [
        &["recall", &text, "--project", &token, "--library", "Gin"][..],
        &["knowledge", &text],
        &["docs", &text, "--library", "Gin"],
        &["docs", "--library", &token],
        &["show", &token[4..]],
    ] {
        ask(&home, &wire.url(), args).await;
    }
    let sent = wire.sent();
    for tool in [
        "recall",
        "rekall_search",
        "get-library-docs",
        "search-libraries",
    ] {
        assert!(
            sent.contains(&format!("\"{tool}\"")),
            "{tool} was not called"
        );
    }
    assert!(!sent.contains(&token), "the token was sent");
}

#[tokio::test]
async fn a_server_that_is_too_old_is_named() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let gateway = Gateway::answering("recall", server.port()).await;
    gateway.set_answer(Some(GatewayAnswer {
        status: 200,
        content_type: "application/json",
        body: r#"{"jsonrpc": "2.0", "id": $id, "error": {
            "code": -32602, "message": "unknown tool `recall`; the tools are query_experiences"
        }}"#,
    }));
    let output = ask(&home, &gateway.url(), &["recall", "anything"]).await;
    output.expect_code(1);
    let stderr = &output.stderr;
    assert!(stderr.contains("has no tool `recall`"), "{stderr}");
    assert!(stderr.contains("hint: update the server"), "{stderr}");
}
