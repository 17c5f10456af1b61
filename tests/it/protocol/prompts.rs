//! Prompts, built-in and configured, and completion, over MCP and over plain JSON-RPC.

use recall_kit_tests::{BothProtocols, Home, Launch, McpSession, Server};
use serde_json::{Value, json};

async fn offering(home: &Home) -> Server {
    home.write("docs/install.md", "# Install");
    home.write("docs/api/index.md", "# API");
    let settings = format!(
        r#"
        [[prompts]]
        name = "translate"
        title = "Translate"
        description = "Translate a text"
        arguments = [
            {{ name = "text", description = "What to translate", required = true }},
            {{ name = "language", values = ["French", "Finnish", "German"] }},
        ]
        messages = [
            {{ role = "assistant", text = "Which text?" }},
            {{ text = "Text: {{text}}\nInto: {{language}}\nKeep {{{{placeholders}}}}." }},
        ]
        [[resources]]
        uri = "file://{}/docs/"
        "#,
        home.path().display()
    );
    Launch::new(home).settings(&settings).start().await
}

#[tokio::test]
async fn prompts_are_listed_and_filled_in_with_arguments() {
    let home = Home::new();
    let server = offering(&home).await;
    let protocols = BothProtocols::open(&server.wire).await;
    let listed = protocols.ask("prompts/list", json!({})).await;
    let prompts = listed["prompts"].as_array().unwrap();
    let names: Vec<_> = prompts
        .iter()
        .map(|p| p["name"].as_str().unwrap())
        .collect();
    let own = [
        "search_before_debugging",
        "capture_experience",
        "review_experience",
    ];
    assert_eq!(names, [&own[..], &["translate"]].concat());
    for prompt in prompts {
        assert!(prompt["title"].is_string() && prompt["description"].is_string());
    }
    let arguments = json!([
        {"name": "text", "description": "What to translate", "required": true},
        {"name": "language", "description": "", "required": false},
    ]);
    assert_eq!(prompts[3]["arguments"], arguments);

    let get = async |name: &str, arguments: Value| {
        let params = json!({"name": name, "arguments": arguments});
        protocols.ask("prompts/get", params).await
    };
    let message_of =
        |role: &str, text: &str| json!({"role": role, "content": {"type": "text", "text": text}});
    let question = message_of("assistant", "Which text?");
    for (arguments, text) in [
        (
            json!({"text": "{language}"}),
            "Text: {language}\nKeep {placeholders}.",
        ),
        (
            json!({"text": "ä", "language": "German"}),
            "Text: ä\nInto: German\nKeep {placeholders}.",
        ),
    ] {
        let filled = get("translate", arguments).await;
        assert_eq!(
            filled["messages"],
            json!([question, message_of("user", text)])
        );
        assert_eq!(filled["description"], "Translate a text");
    }
    for (name, arguments, words) in [
        ("translate", json!({}), "`text` is required"),
        (
            "translate",
            json!({"text": "x", "lang": "y"}),
            "text, language",
        ),
        ("translat", json!({}), "search_before_debugging"),
    ] {
        let error = get(name, arguments).await;
        assert_eq!(error["code"], -32602, "{error}");
        let details = error["data"]["details"].as_str().unwrap();
        assert!(details.contains(words), "{details}");
    }
    for (name, arguments, tool) in [
        (
            own[0],
            json!({"error": "E0599 no method", "technology": "rust"}),
            "query_experiences",
        ),
        (own[1], json!({"focus": "the borrow"}), "submit_experience"),
        (
            own[2],
            json!({"experience": "{\"title\": \"x\"}"}),
            "query_experiences",
        ),
    ] {
        let filled = get(name, arguments.clone()).await;
        let text = filled["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.contains(tool), "{name}: {text}");
        for value in arguments.as_object().unwrap().values() {
            assert!(text.contains(value.as_str().unwrap()), "{name}: {text}");
        }
    }
}

#[tokio::test]
async fn arguments_are_completed() {
    let home = Home::new();
    let server = offering(&home).await;
    let protocols = BothProtocols::open(&server.wire).await;
    let complete = async |reference: &Value, argument: &str, typed: &str| {
        let params = json!({"ref": reference, "argument": {"name": argument, "value": typed}});
        protocols.ask("completion/complete", params).await
    };
    let prompt = |name: &str| json!({"type": "ref/prompt", "name": name});
    let template = |uri: String| json!({"type": "ref/resource", "uri": uri});
    let files = template(format!("file://{}/docs/{{+path}}", home.path().display()));
    for (reference, argument, typed, expected) in [
        (
            prompt("translate"),
            "language",
            "",
            vec!["French", "Finnish", "German"],
        ),
        (
            prompt("translate"),
            "language",
            "f",
            vec!["French", "Finnish"],
        ),
        (prompt("translate"), "language", "man", vec!["German"]),
        (prompt("translate"), "text", "x", vec![]),
        (
            prompt("search_before_debugging"),
            "technology",
            "ru",
            vec!["ruby", "rust"],
        ),
        (
            files.clone(),
            "path",
            "",
            vec!["api/index.md", "install.md"],
        ),
        (files.clone(), "path", "inst", vec!["install.md"]),
        (files.clone(), "path", "INDEX", vec!["api/index.md"]),
        (files.clone(), "path", "../", vec![]),
    ] {
        let completed = complete(&reference, argument, typed).await;
        let expected = json!({"values": expected, "total": expected.len(), "hasMore": false});
        assert_eq!(completed["completion"], expected, "{reference} {typed}");
    }
    let elsewhere = template("file:///etc/{+path}".to_owned());
    for (reference, argument) in [
        (prompt("no_such_prompt"), "text"),
        (prompt("translate"), "no_such_argument"),
        (elsewhere, "path"),
        (files, "no_such_argument"),
    ] {
        let error = complete(&reference, argument, "").await;
        assert_eq!(error["code"], -32602, "{error}");
    }
    let session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    for params in [json!({}), json!({"ref": {"type": "ref/other"}})] {
        let plain = server.wire.rpc("completion/complete", params.clone()).await;
        assert_eq!(plain["error"]["code"], -32602, "{plain}");
        let mcp = session.request("completion/complete", params).await;
        assert_eq!(mcp["error"]["code"], -32602, "{mcp}");
    }
}
