//! Tools and configured programs, over MCP and over plain JSON-RPC: their answers, progress and descriptions.

use recall_kit_tests::{BothProtocols, Home, Launch, McpSession, Stateless, python, script_tool};
use serde_json::{Value, json};

fn call(tool: &str, arguments: Value) -> Value {
    json!({"name": tool, "arguments": arguments})
}

#[tokio::test]
async fn the_calculator_adds() {
    let home = Home::new();
    let launch = Launch::new(&home).settings("[tools]\ncalculator = true");
    let server = launch.start().await;
    let protocols = BothProtocols::open(&server.wire).await;
    let add = async |a: &str, b: &str| {
        let number = |text| serde_json::from_str::<Value>(text).unwrap();
        let arguments = json!({"a": number(a), "b": number(b)});
        protocols.call("calculator_add", arguments).await
    };
    for (a, b, sum) in [
        ("10", "20", "30"),
        ("-3", "1", "-2"),
        ("0.5", "0.25", "0.75"),
        ("1", "0.5", "1.5"),
        ("9007199254740993", "1", "9007199254740994"),
        ("9223372036854775807", "1", "9.223372036854775807e18"),
        ("1e300", "1e300", "2e300"),
    ] {
        let result = add(a, b).await;
        let text = result["content"][0]["text"].as_str().unwrap();
        let number = |text: &str| text.parse::<f64>().unwrap();
        assert_eq!(number(text), number(sum), "{a} + {b}");
        if sum.parse::<i64>().is_ok() {
            assert_eq!(text, sum, "{a} + {b}");
        }
        assert_eq!(result["structuredContent"]["result"].to_string(), text);
        assert_eq!(result["isError"], false);
    }
    for (arguments, words) in [
        (json!({"a": 1}), "`b` is required"),
        (
            json!({"a": 1, "b": "2"}),
            "`b` must be a number, not a string",
        ),
        (json!({"a": null, "b": 2}), "`a` must be a number, not null"),
        (json!({"a": 1, "b": 2, "aa": 3}), "did you mean `a`?"),
        (json!({"a": 1e308, "b": 1e308}), "too large"),
    ] {
        let error = protocols.call("calculator_add", arguments).await;
        assert_eq!(error["code"], -32602, "{error}");
        let details = error["data"]["details"].as_str().unwrap();
        assert!(details.contains(words), "{details}");
    }
}

#[tokio::test]
async fn a_program_answers_on_every_transport() {
    let home = Home::new();
    let schemas = r#"
        read_only = true
        input_schema = { type = "object", properties = { text = { type = "string" } }, required = ["text"] }
        output_schema = { type = "object", properties = { text = { type = "string" } }, required = ["text"] }
        "#;
    let server = Launch::new(&home)
        .settings(&script_tool("cat", schemas))
        .start()
        .await;
    let protocols = BothProtocols::open(&server.wire).await;
    let arguments = json!({"text": "Ünïcödé; `$HOME`\n"});
    let result = protocols.call("script", arguments.clone()).await;
    assert_eq!(result["structuredContent"], arguments);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), arguments);
    let modern = Stateless::new(&server.wire);
    let answer = modern.request("tools/call", call("script", arguments.clone()));
    assert_eq!(answer.await["result"]["structuredContent"], arguments);

    let error = protocols.call("script", json!({"text": 5})).await;
    assert_eq!(error["code"], -32602, "{error}");
    let details = error["data"]["details"].as_str().unwrap();
    assert!(details.contains("/text"), "{details}");
    server.logged("Tool called: script, duration: 0.").await;
}

#[tokio::test]
async fn a_failing_program_is_an_answer_and_an_unusable_one_an_error() {
    // The script, further settings, the text of the answer, and the error code of plain JSON-RPC, if any.
    for (script, more, text, code) in [
        ("echo no; exit 3", "", "no", None),
        ("echo oops >&2; exit 3", "", "oops", None),
        (
            "sleep 1000",
            "timeout_ms = 100",
            "longer than 100 ms",
            Some(-32002),
        ),
        (
            "yes",
            "output_bytes = 1000",
            "more than 1000 bytes",
            Some(-32002),
        ),
        (
            "echo words",
            "output_schema = { type = \"object\" }",
            "output schema",
            Some(-32002),
        ),
        ("printf '\\377'", "", "not UTF-8", Some(-32002)),
    ] {
        let home = Home::new();
        let server = Launch::new(&home)
            .settings(&script_tool(script, more))
            .start()
            .await;
        let session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
        let mcp = session.call("script", json!({})).await;
        assert_eq!(mcp["result"]["isError"], true, "{script}: {mcp}");
        let error_text = mcp["result"]["content"][0]["text"].as_str().unwrap();
        assert!(error_text.contains(text), "{script}: {mcp}");
        let plain = server
            .wire
            .rpc("tools/call", call("script", json!({})))
            .await;
        match code {
            None => assert_eq!(plain["result"], mcp["result"]),
            Some(code) => {
                assert_eq!(plain["error"]["code"], code, "{script}: {plain}");
                assert_eq!(plain["error"]["data"]["details"], error_text);
            }
        }
    }
}

#[tokio::test]
async fn progress_increases_and_comes_before_the_answer() {
    let home = Home::new();
    let script = r#"
        for step in 1 2 1 2.5 3; do
            echo "{\"progress\": $step, \"total\": 3, \"message\": \"step $step\"}" >&2
        done
        echo done"#;
    let server = Launch::new(&home)
        .settings(&script_tool(script, ""))
        .start()
        .await;
    let mut params = call("script", json!({}));
    params["_meta"] = json!({"progressToken": "token-7"});
    let session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    let modern = Stateless::new(&server.wire);
    for (id, mut stream) in [
        session.start("tools/call", params.clone()).await,
        modern.start("tools/call", params).await,
    ] {
        let (before, answer) = stream.answer(&id).await;
        let progress_seen: Vec<(f64, &str)> = before
            .iter()
            .map(|message| {
                assert_eq!(message["method"], "notifications/progress");
                let params = &message["params"];
                assert_eq!(params["progressToken"], "token-7");
                assert_eq!(params["total"], 3.0);
                let progress = params["progress"].as_f64().unwrap();
                (progress, params["message"].as_str().unwrap())
            })
            .collect();
        let expected = [
            (1.0, "step 1"),
            (2.0, "step 2"),
            (2.5, "step 2.5"),
            (3.0, "step 3"),
        ];
        assert_eq!(progress_seen, expected);
        assert_eq!(answer["result"]["content"][0]["text"], "done");
        assert_eq!(stream.message().await, None, "the answer ends the stream");
    }
    // A call without a progress token gets no progress.
    let (id, mut stream) = session.start("tools/call", call("script", json!({}))).await;
    assert_eq!(stream.answer(&id).await.0, Vec::<Value>::new());
}

#[tokio::test]
async fn log_lines_are_sent_only_if_requested() {
    let home = Home::new();
    let server = Launch::new(&home)
        .settings(&script_tool("read line; echo \"$line\" >&2; echo done", ""))
        .start()
        .await;
    let session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    let mut events = session.events().await;
    let run = async |word: &str| {
        let answer = session.call("script", json!({"say": word})).await;
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    };
    let set_level = async |level: &str| {
        let answer = session
            .request("logging/setLevel", json!({"level": level}))
            .await;
        assert_eq!(answer["result"], json!({}), "{answer}");
    };
    run("before").await;
    set_level("error").await;
    run("too low").await;
    set_level("info").await;
    run("wanted").await;
    let line = events.notification("notifications/message").await;
    assert_eq!(line["data"], r#"{"say":"wanted"}"#, "{line}");
    assert_eq!(
        (&line["level"], &line["logger"]),
        (&json!("info"), &json!("script"))
    );
    let wrong = session
        .request("logging/setLevel", json!({"level": "loud"}))
        .await;
    assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
}

#[tokio::test]
async fn every_tool_is_fully_described_within_the_token_limit() {
    let home = Home::new();
    let schema = "output_schema = { type = \"object\" }";
    let server = Launch::new(&home)
        .settings(&script_tool("cat", schema))
        .start()
        .await;
    let session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    let listed = session.request("tools/list", with_schemas()).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 17);
    for tool in tools {
        assert!(tool["title"].is_string(), "{tool}");
        assert!(!tool["description"].as_str().unwrap_or_default().is_empty());
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{schema} of {tool}");
        }
        let hints = [
            "readOnlyHint",
            "destructiveHint",
            "idempotentHint",
            "openWorldHint",
        ];
        for hint in hints {
            assert!(tool["annotations"][hint].is_boolean(), "{hint} of {tool}");
        }
        let icon = &tool["icons"][0];
        let source = icon["src"].as_str().unwrap_or_default();
        assert!(source.starts_with("data:image/svg+xml,%3Csvg%20"), "{tool}");
        assert!(
            !source.contains([' ', '<', '>', '"', '#']),
            "no address: {source}"
        );
        assert_eq!(icon["mimeType"], "image/svg+xml");
    }
    // The part of a tool that an agent reads: without icons, hints and the output schema.
    let read = |tools: &[Value]| {
        let parts = tools.iter().map(|tool| {
            json!({
                "name": tool["name"],
                "description": tool["description"],
                "inputSchema": tool["inputSchema"],
            })
        });
        json!(parts.collect::<Vec<_>>())
    };
    let is_own = |tool: &&Value| tool["name"] != "script";
    let own: Vec<Value> = tools.iter().filter(is_own).cloned().collect();
    let is_core = |tool: &&Value| CORE_TOOLS.contains(&tool["name"].as_str().unwrap());
    let core: Vec<Value> = own.iter().filter(is_core).cloned().collect();
    assert_eq!(core.len(), CORE_TOOLS.len());
    for (name, text, limit) in [
        ("all", listed["result"]["tools"].to_string(), 7_500),
        ("full", read(&own).to_string(), 2_200),
        ("core", read(&core).to_string(), 1_000),
    ] {
        let file = home.write(&format!("{name}.json"), text);
        let counted = python(&home, "count_tokens.py", &[&file.to_string_lossy()]).await;
        let count: u32 = counted.expect_code(0).trim().parse().unwrap();
        assert!((100..=limit).contains(&count), "{name}: {count}");
    }
}

/// The tools of the profile `core`.
const CORE_TOOLS: [&str; 6] = [
    "recall",
    "submit_experience",
    "report_outcome",
    "rekall_add",
    "rekall_show",
    "get-library-docs",
];

/// The parameters of `tools/list` that ask for schemas of answers and for icons.
fn with_schemas() -> Value {
    json!({"_meta": {"io.recallkit/schemas": true}})
}

#[tokio::test]
async fn lists_have_output_schemas_and_icons_only_for_those_who_ask() {
    let check = |listed: &Value, expected: bool| {
        let tools = listed["tools"].as_array().unwrap();
        assert!(tools.len() > 5, "{listed}");
        for tool in tools {
            let has = ["outputSchema", "icons"].map(|part| tool.get(part).is_some());
            assert_eq!(has, [expected; 2], "{tool}");
            assert!(tool["inputSchema"].is_object(), "{tool}");
        }
    };
    for setting in [false, true] {
        let home = Home::new();
        let server = Launch::new(&home)
            .settings(&format!("[tools]\noutput_schemas = {setting}\n"))
            .start()
            .await;
        let session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
        let modern = Stateless::new(&server.wire);
        for (params, expected) in [(json!({}), setting), (with_schemas(), true)] {
            let in_session = session.request("tools/list", params.clone()).await;
            check(&in_session["result"], expected);
            let plain = server.wire.rpc("tools/list", params.clone()).await;
            check(&plain["result"], expected);
            check(
                &modern.request("tools/list", params).await["result"],
                expected,
            );
        }
        let plain = server.wire.get("/mcp/tools").await;
        check(&plain.json(), setting);
        let wrong = json!({"_meta": {"io.recallkit/schemas": "yes"}});
        for answer in [
            session.request("tools/list", wrong.clone()).await,
            server.wire.rpc("tools/list", wrong).await,
        ] {
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
        }
    }
}
