//! `recall-kit-client query`: from a question to records, over every kind of server URL.

use recall_kit_tests::{Home, Output, Server, client, experience, run};
use serde_json::{Value, json};

#[tokio::test]
async fn a_question_finds_the_record() {
    let home = Home::new();
    let server = Server::start(&home).await;
    submit_react(&server).await;
    let base = server.wire.base();
    let port = server.port();
    for url in [
        format!("{base}/mcp"),
        format!("mcp://127.0.0.1:{port}"),
        base.to_owned(),
    ] {
        let output = ask(&home, &url, &["why is React useState not updating?"]).await;
        let shown = output.expect_code(0);
        assert!(
            shown.contains("React useState not updating state"),
            "{shown}"
        );
        assert!(shown.contains("functional update"), "{shown}");
    }
    // The protocol's own example of a question, words of two languages without spaces.
    let url = format!("{base}/mcp");
    let output = ask(&home, &url, &["用户遇到了React useState不更新的问题"]).await;
    let shown = output.expect_code(0);
    assert!(
        shown.contains("React useState not updating state"),
        "{shown}"
    );
}

#[tokio::test]
async fn json_is_the_protocols_and_nothing_else_is_on_stdout() {
    let home = Home::new();
    let server = Server::start(&home).await;
    submit_react(&server).await;
    server.wire.submit(experience("React renders twice")).await;
    let url = format!("{}/mcp", server.wire.base());
    let args = ["--json", "--limit", "1", "--offset", "1", "react"];
    let output = ask(&home, &url, &args).await;
    let answer: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    assert_eq!(answer["found"], true, "{answer}");
    assert_eq!(answer["count"], 1);
    assert_eq!(answer["total"], 2);
    let record = &answer["experiences"][0];
    for field in ["title", "problem", "solution"] {
        assert!(record[field].is_string(), "{field}: {answer}");
    }
    assert!(record["keywords"].is_array(), "{answer}");
    assert!(record["relevance"].is_number(), "{answer}");
}

#[tokio::test]
async fn nothing_found_is_no_failure_and_is_said() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let url = format!("{}/mcp", server.wire.base());
    let output = ask(&home, &url, &["chromodynamics"]).await;
    assert_eq!(output.expect_code(0), "");
    assert!(output.stderr.contains("nothing found"), "{}", output.stderr);
    let output = ask(&home, &url, &["--json", "chromodynamics"]).await;
    let answer: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    assert_eq!(answer["found"], false);
    assert_eq!(answer["count"], 0);
}

#[tokio::test]
async fn without_any_configuration_the_local_program_answers() {
    let home = Home::new();
    let output = run(client(&home, &["query", "anything"]), "").await;
    output.expect_code(0);
    assert!(home.database().exists(), "{}", output.stderr);
}

#[tokio::test]
async fn wrong_usage_is_told_from_failure() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let url = format!("{}/mcp", server.wire.base());
    for (args, code) in [
        (vec!["query"], 2),
        (vec!["no-such-command"], 2),
        (vec!["query", "--limit", "ten", "react"], 2),
        (vec!["--server", "ftp://x", "query", "react"], 1),
        (vec!["--server", &url, "query", " "], 1),
    ] {
        let output = run(client(&home, &args), "").await;
        output.expect_code(code);
        assert_eq!(output.stdout, "", "{args:?}");
        assert!(
            output.stderr.contains("error: "),
            "{args:?}: {}",
            output.stderr
        );
    }
}

async fn ask(home: &Home, url: &str, args: &[&str]) -> Output {
    let command = client(home, &[&["--server", url, "query"], args].concat());
    run(command, "").await
}

async fn submit_react(server: &Server) {
    let record = json!({
        "title": "React useState not updating state",
        "problem_description": "State variable not updating after setState call",
        "solution": "Use functional update form: setState(prev => prev + 1)",
        "keywords": ["react", "hooks", "state"],
    });
    server.wire.submit(record).await;
}
