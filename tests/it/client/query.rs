//! `recall-kit-client query`: from a question to records, with every form of server URL.

use recall_kit_tests::{
    Gateway, GatewayAnswer, Home, Output, Server, StdioPeer, client, experience, run,
};
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
    // The example of the protocol: a question that mixes two languages without spaces.
    let url = format!("{base}/mcp");
    let output = ask(&home, &url, &["用户遇到了React useState不更新的问题"]).await;
    let shown = output.expect_code(0);
    assert!(
        shown.contains("React useState not updating state"),
        "{shown}"
    );
}

#[tokio::test]
async fn json_output_has_the_documented_fields_and_is_alone_on_stdout() {
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
async fn an_empty_result_is_reported_and_is_no_failure() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let url = format!("{}/mcp", server.wire.base());
    let output = ask(&home, &url, &["chromodynamics"]).await;
    assert_eq!(output.expect_code(0), "");
    assert!(output.stderr.contains("nothing found"), "{}", output.stderr);
    assert!(output.stderr.contains("other words"), "{}", output.stderr);
    let output = ask(&home, &url, &["--json", "chromodynamics"]).await;
    let answer: Value = serde_json::from_str(output.expect_code(0)).unwrap();
    assert_eq!(answer["found"], false);
    assert_eq!(answer["count"], 0);
}

/// Three records: a match, a weak match, and one whose relevance would be shown as 0.00.
const THREE_MATCHES: GatewayAnswer = GatewayAnswer {
    status: 200,
    content_type: "application/json",
    body: r#"{"jsonrpc": "2.0", "id": $id, "result": {"content": [], "structuredContent": {
        "success": true, "data": {"total": 3, "limit": 10, "offset": 0, "experiences": [
            {"id": "01a2006f-0eef-7035-b7ed-2bebae567e13", "title": "It fits",
             "problem_description": "p", "solution": "s", "keywords": [], "query_count": 0,
             "created_at": "2026-11-21T08:00:00Z", "relevance_score": 0.91},
            {"id": "01a2006f-1eef-7035-b7ed-2bebae567e14", "title": "It is a little like it",
             "problem_description": "p", "solution": "s", "keywords": [], "query_count": 0,
             "created_at": "2026-11-21T08:00:00Z", "relevance_score": 0.31},
            {"id": "01a2006f-2eef-7035-b7ed-2bebae567e15", "title": "It has nothing to do with it",
             "problem_description": "p", "solution": "s", "keywords": [], "query_count": 0,
             "created_at": "2026-11-21T08:00:00Z", "relevance_score": 0.0049}
        ]}}}}"#,
};

#[tokio::test]
async fn records_that_hardly_match_are_not_shown() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let gateway = Gateway::answering("query_experiences", server.port()).await;
    gateway.set_answer(Some(THREE_MATCHES));
    let check = |shown: &str, expected: [bool; 3]| {
        let titles = ["It fits", "It is a little like it", "It has nothing"];
        assert_eq!(titles.map(|it| shown.contains(it)), expected, "{shown}");
    };
    let output = ask(&home, &gateway.url(), &["anything"]).await;
    let shown = output.expect_code(0);
    check(shown, [true, true, false]);
    for fact in [
        "0.91 very close · ",
        " · 01a2006f-0eef\n",
        "0.31 related · ",
    ] {
        assert!(shown.contains(fact), "{fact}: {shown}");
    }
    assert!(output.stderr.contains("2 of 2"), "{}", output.stderr);

    let mut host = StdioPeer::of(client(&home, &["--server", &gateway.url(), "mcp"]));
    let call = json!({"name": "query_experiences", "arguments": {"keywords": "anything"}});
    let hello = json!({
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "behaviour-tests", "version": "1"},
    });
    host.request("initialize", hello).await;
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    host.send(&ready.to_string()).await;
    let answer = host.request("tools/call", call).await;
    check(&answer.to_string(), [true, true, false]);
    host.close().await;

    // Nobody asked for the results of a hook, so only good matches are shown.
    let payload = json!({
        "hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "error": "it does not work",
    });
    let hook = client(&home, &["--server", &gateway.url(), "hook", "error"]);
    let hook_answer = run(hook, payload.to_string()).await;
    check(hook_answer.expect_code(0), [true, false, false]);
}

#[tokio::test]
async fn without_a_configuration_the_local_server_answers() {
    let home = Home::new();
    let output = run(client(&home, &["query", "anything"]), "").await;
    output.expect_code(0);
    assert!(home.database().exists(), "{}", output.stderr);
}

#[tokio::test]
async fn wrong_usage_has_another_exit_code_than_failure() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let url = format!("{}/mcp", server.wire.base());
    // Arguments are checked before any server is contacted.
    for limit in ["0", "51", "abc"] {
        let args = [
            "--server",
            "http://127.0.0.1:9",
            "query",
            "--limit",
            limit,
            "x",
        ];
        let output = run(client(&home, &args), "").await;
        output.expect_code(2);
        assert!(output.stderr.contains("from 1 to 50"), "{}", output.stderr);
    }
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
