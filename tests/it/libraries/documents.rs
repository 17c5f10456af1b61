//! The documented requests: each is sent as documented, and must be answered as documented.
//!
//! They are in the fixtures `mcp_server_api.json` and `docs_context.json`, complete and in order.

use recall_kit_tests::{Home, HttpAnswer, Launch, Server, Wire, run, server_command};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::net::TcpListener;

const SERVER_API: &str = include_str!("../../data/mcp_server_api.json");
const DOCS_CONTEXT: &str = include_str!("../../data/docs_context.json");
/// The path of the file that the documented requests read.
const PRINTED_PATH: &str = "/path/to/data.txt";
/// The headers of `curl -H` and of the documented clients; none of them is specific to MCP.
const AS_PRINTED: [(&str, &str); 1] = [("content-type", "application/json")];

/// Settings that enable what the first fixture shows, and resources that make requests fail.
fn settings(home: &Home) -> String {
    let file = home.write("data.txt", "Hello, World!");
    let large = home.write("large.bin", "");
    let opened = std::fs::File::create(&large).unwrap();
    opened.set_len(64 * 1024 * 1024).unwrap();
    format!(
        r#"
        [tools]
        calculator = true
        [[tools.programs]]
        name = "broken"
        description = "Cannot be started"
        command = ["/no/such/program"]
        [[resources]]
        uri = "file://{}"
        name = "Data File"
        description = "A sample data file"
        [[resources]]
        uri = "file://{}"
        [[resources]]
        uri = "file://{}/"
        name = "Everything"
        description = "All the files"
        "#,
        file.display(),
        large.display(),
        home.path().join("data").display(),
    )
}

/// Returns a fixture's exchanges, with the path replaced by that of a file in the home.
fn exchanges(home: &Home, document: &str) -> Vec<Value> {
    let path = home.path().join("data.txt");
    let document = document.replace(PRINTED_PATH, &path.to_string_lossy());
    let document: Value = serde_json::from_str(&document).unwrap();
    document["exchanges"].as_array().unwrap().clone()
}

#[tokio::test]
async fn the_documented_server_api_works_over_http() {
    let home = Home::new();
    let server = Launch::new(&home).settings(&settings(&home)).start().await;
    for exchange in exchanges(&home, SERVER_API) {
        let paths = match exchange["path"].as_str() {
            Some(path) => vec![path],
            None => vec!["/", "/mcp", "/rpc", "/stream"],
        };
        for path in paths {
            let answer = post(&server.wire, path, &AS_PRINTED, &exchange).await;
            check_exchange(&exchange, &answer.json());
        }
    }
}

#[tokio::test]
async fn the_documented_server_api_works_over_stdio() {
    let home = Home::new();
    let config = home.write("server.toml", settings(&home));
    let config = config.to_string_lossy();
    for exchange in exchanges(&home, SERVER_API) {
        // One process for each request, as in `echo … | server`.
        let command = server_command(&home, &["--transport", "stdio", "--config", &config]);
        let output = run(command, format!("{}\n", exchange["request"])).await;
        let answer = serde_json::from_str(output.expect_code(0)).unwrap();
        check_exchange(&exchange, &answer);
        assert_eq!(output.stderr, "", "stdio is silent");
    }
}

#[tokio::test]
async fn the_transports_have_their_documented_names() {
    for (transport, path) in [("sse", "/sse"), ("http-stream", "/stream")] {
        let home = Home::new();
        let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let server = Launch::new(&home)
            .port(port)
            .args(&["--transport", transport])
            .start()
            .await;
        assert_eq!(server.port(), port);
        // The request that curl sends to the documented address.
        let wire = Wire::new(&format!("http://localhost:{port}"));
        let mut events = wire.open(Method::GET, path, &[("accept", "*/*")], "").await;
        let first = events.next().await.expect("the stream is open");
        assert_eq!(first.name, "endpoint");
        assert!(first.data.starts_with("/messages?"), "{first:?}");
    }
}

#[tokio::test]
async fn every_documented_error_code_is_returned() {
    let home = Home::new();
    let server = Launch::new(&home).settings(&settings(&home)).start().await;
    let request = |method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
    };
    let call = |tool: &str, arguments: Value| {
        request("tools/call", json!({"name": tool, "arguments": arguments}))
    };
    let large = format!("file://{}", home.path().join("large.bin").display());
    let cases = [
        ("-32700", "{\"jsonrpc\": \"2.0\", \"id\": 1,".to_owned()),
        ("-32600", "{\"id\": 1}".to_owned()),
        ("-32601", request("tools/unknown", json!({}))),
        (
            "-32602",
            call("calculator_add", json!({"a": 10, "b": "20"})),
        ),
        ("-32603", request("resources/read", json!({"uri": large}))),
        ("-32001", call("no_such_tool", json!({}))),
        ("-32002", call("broken", json!({}))),
        (
            "-32003",
            request("resources/read", json!({"uri": "file:///etc/passwd"})),
        ),
    ];
    let document: Value = serde_json::from_str(SERVER_API).unwrap();
    let names = document["codes"].as_object().unwrap();
    assert_eq!(names.len(), cases.len());
    for (code, body) in cases {
        let answer = server.wire.post("/mcp", body.clone()).await.json();
        let error = &answer["error"];
        assert_eq!(error["code"].to_string(), code, "{body}: {answer}");
        assert_eq!(error["message"], names[code], "{answer}");
        let details = error["data"]["details"].as_str().unwrap_or_default();
        assert!(
            !details.is_empty() && !details.contains("os error"),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn documented_http_requests_are_answered_as_documented() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let document: Value = serde_json::from_str(DOCS_CONTEXT).unwrap();
    for (path, printed) in document["pages"].as_object().unwrap() {
        let answer = server.wire.get(path).await;
        assert_eq!(answer.status, 200, "{path}");
        assert_like(path, printed, &answer.json(), Match::Shape);
        let names = |page: &Value| -> Vec<Value> {
            let tools = page["tools"].as_array().into_iter().flatten();
            tools.map(|tool| tool["name"].clone()).collect()
        };
        let listed = names(&answer.json());
        for name in names(printed) {
            assert!(listed.contains(&name), "{path} lists no {name}");
        }
    }
    let health = server.wire.get("/mcp/health").await.json();
    assert_eq!(
        health,
        json!({"status": "ok", "version": env!("CARGO_PKG_VERSION")})
    );
}

#[tokio::test]
async fn documented_methods_are_answered_as_documented() {
    let home = Home::new();
    ingest_gin(&home).await;
    let server = Launch::new(&home).settings(&settings(&home)).start().await;
    let document: Value = serde_json::from_str(DOCS_CONTEXT).unwrap();
    let mut header_sets = vec![vec![("MCP_API_KEY", "<API_KEY>")]];
    for configuration in document["configurations"].as_array().unwrap() {
        let headers = configuration["headers"].as_object().unwrap();
        let text = |value| Value::as_str(value).unwrap_or_default();
        header_sets.push(headers.iter().map(|(k, v)| (k.as_str(), text(v))).collect());
    }
    for headers in header_sets {
        let headers = [&AS_PRINTED[..], &headers].concat();
        for exchange in exchanges(&home, DOCS_CONTEXT) {
            let answer = post(&server.wire, "/mcp", &headers, &exchange).await;
            let request = &exchange["request"];
            match (request["method"].as_str().unwrap(), &request["params"]) {
                ("notifications/initialized", _) => {
                    assert_eq!((answer.status, answer.text.as_str()), (202, ""));
                }
                ("tools/call" | "resources/read", _) => check_text(&exchange, &answer),
                _ => check_shape(&exchange, &answer),
            }
        }
    }
}

async fn post(wire: &Wire, path: &str, headers: &[(&str, &str)], exchange: &Value) -> HttpAnswer {
    let body = exchange["request"].to_string();
    wire.send(Method::POST, path, headers, body).await
}

/// Checks that the answer contains what is documented; where nothing is documented, it must be the sum.
fn check_exchange(exchange: &Value, answer: &Value) {
    assert_eq!(answer["id"], exchange["request"]["id"], "{answer}");
    if let Some(printed) = exchange.get("response") {
        return assert_like("", printed, answer, Match::Values);
    }
    let params = &exchange["request"]["params"];
    let result = &answer["result"];
    match exchange["request"]["method"].as_str().unwrap() {
        "initialize" => {
            assert_eq!(result["protocolVersion"], params["protocolVersion"]);
            assert!(result["serverInfo"]["name"].is_string(), "{answer}");
        }
        "tools/list" => assert!(result["tools"].is_array(), "{answer}"),
        "tools/call" => {
            let number = |name: &str| params["arguments"][name].as_i64().unwrap();
            let sum = (number("a") + number("b")).to_string();
            let content = json!([{"type": "text", "text": sum}]);
            assert_eq!(result["content"], content, "{answer}");
        }
        other => panic!("{other} is not covered"),
    }
}

fn check_shape(exchange: &Value, answer: &HttpAnswer) {
    let answer = answer.message(&exchange["request"]["id"]);
    let section = exchange["section"].as_str().unwrap();
    if section.starts_with("1.") {
        let printed = &exchange["response"]["result"];
        let version = &printed["protocolVersion"];
        assert_eq!(answer["result"]["protocolVersion"], *version, "{answer}");
        let (printed, capabilities) = (&printed["capabilities"], &answer["result"]["capabilities"]);
        assert_like(section, printed, capabilities, Match::Values);
    }
    // Some resources here have no description, and the template of a folder has no single media type.
    let mut printed = exchange["response"].clone();
    for list in ["/result/resources", "/result/resourceTemplates"] {
        for item in printed
            .pointer_mut(list)
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
        {
            item.as_object_mut().unwrap().remove("mimeType");
        }
    }
    assert_like(section, &printed, &answer, Match::Shape);
}

/// Checks the JSON inside the text of the documented answer, field for field.
fn check_text(exchange: &Value, answer: &HttpAnswer) {
    let answer = answer.message(&exchange["request"]["id"]);
    let text = |answer: &Value| -> Value {
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str();
        let text = text.or_else(|| result["contents"][0]["text"].as_str());
        let text = text.unwrap_or_else(|| panic!("no text in {answer}"));
        serde_json::from_str(text).unwrap()
    };
    let printed = text(&exchange["response"]);
    let section = exchange["section"].as_str().unwrap();
    assert_like(section, &printed, &text(&answer), Match::Shape);
}

/// Ingests the library that the documented requests use, in three versions.
async fn ingest_gin(home: &Home) {
    let code = "func main() {\n\tr := gin.Default()\n\tr.Use(gin.Logger())\n\tr.Run()\n}";
    let text =
        format!("# Gin\n\n## Middleware\n\nWrap handlers by middleware:\n\n```go\n{code}\n```\n");
    let file = home.write("gin/README.md", text);
    let folder = file.parent().unwrap().to_string_lossy().into_owned();
    for version in ["latest", "v1.9.0", "v1.8.0"] {
        let named = ["--version", version, "--description", "A framework"];
        let args = [&["ingest", "gin", &folder], &named[..]].concat();
        run(server_command(home, &args), "").await.expect_code(0);
    }
    let other = ["ingest", "Go Standard Library", &folder];
    run(server_command(home, &other), "").await.expect_code(0);
}

/// How a documented answer is compared.
#[derive(Clone, Copy, PartialEq)]
enum Match {
    /// The same values; an error's details may continue after the documented text.
    Values,
    /// Values of the same type.
    Shape,
}

/// Checks that an answer contains everything that is documented; it may contain more. Each documented list item
/// must match an item of the answer.
fn assert_like(at: &str, printed: &Value, answer: &Value, how: Match) {
    let result = like(at, printed, answer, how);
    assert_eq!(result, Ok(()), "{answer}");
}

fn like(at: &str, printed: &Value, answer: &Value, how: Match) -> Result<(), String> {
    match (printed, answer) {
        (Value::Object(printed), Value::Object(answer)) => {
            printed.iter().try_for_each(|(name, printed)| {
                let at = format!("{at}/{name}");
                let answer = answer.get(name).ok_or(format!("{at} is missing"))?;
                like(&at, printed, answer, how)
            })
        }
        (Value::Array(printed), Value::Array(answer)) => printed.iter().try_for_each(|printed| {
            let found = answer.iter().any(|one| like(at, printed, one, how).is_ok());
            found
                .then_some(())
                .ok_or(format!("{at}: nothing is like {printed}"))
        }),
        _ if printed == answer => Ok(()),
        (Value::String(printed), Value::String(answer))
            if at.ends_with("/details") && answer.starts_with(printed) =>
        {
            Ok(())
        }
        _ if how == Match::Shape
            && std::mem::discriminant(printed) == std::mem::discriminant(answer) =>
        {
            Ok(())
        }
        _ => Err(format!("{at}: {answer} instead of {printed}")),
    }
}
