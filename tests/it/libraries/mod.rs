//! Documentation libraries: ingested documentation is found by both tools on every transport.

mod admin;
mod budget;
mod clients;
mod commands;
pub(crate) mod documents;
mod resources;

use recall_kit_tests::{
    BothProtocols, Home, Output, Server, StdioPeer, envelope, run, server_command,
};
use serde_json::{Value, json};

/// Runs `recall-kit-server ARGS` to its end.
async fn server(home: &Home, args: &[&str]) -> Output {
    run(server_command(home, args), "").await
}

/// Ingests the folder `docs` of the home into a version of a library; returns the report.
async fn ingest(home: &Home, library: &str, version: &str) -> Value {
    let args = ["ingest", library, "docs", "--version", version, "--json"];
    let output = server(home, &args).await;
    events(output.expect_code(0)).pop().unwrap()
}

/// Parses the output of `--json`, line by line.
pub(crate) fn events(stdout: &str) -> Vec<Value> {
    let lines = stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Writes documentation about middleware and routing, as prose and as code in two languages.
fn write_docs(home: &Home) {
    home.write(
        "docs/README.md",
        "# Gin\n\nA web framework.\n\n## Middleware\n\nMiddleware wraps handlers and runs around them.\n\n\
         Register a logger as middleware:\n\n\
         ```go\nfunc main() {\n\tr := gin.Default()\n\tr.Use(gin.Logger())\n\tr.Run()\n}\n```\n\n\
         Register a logger as middleware:\n\n\
         ```python\napp = Gin()\nlogger = Logger(level=\"debug\")\napp.use(logger)\napp.run()\n```\n",
    );
    home.write(
        "docs/guide/routing.md",
        "# Routing\n\nA route leads from a path to a handler.\n",
    );
}

/// Ingests version `v1` of the library `Gin`.
pub(crate) async fn with_library(home: &Home) {
    write_docs(home);
    ingest(home, "Gin", "v1").await;
}

/// Returns the answer of `get-library-docs`, over both protocols; it may be an error.
async fn docs(protocols: &BothProtocols, arguments: Value) -> Value {
    let result = protocols.call("get-library-docs", arguments).await;
    envelope(&json!({ "result": result }))
}

#[tokio::test]
async fn ingested_documentation_is_found() {
    let home = Home::new();
    write_docs(&home);
    let report = ingest(&home, "Gin", "v1").await;
    assert_eq!(report["files"], 2, "{report}");
    let server = Server::start(&home).await;
    let protocols = BothProtocols::open(&server.wire).await;
    // The running server notices what another process ingests.
    home.write("docs/new.md", "# Rendering\n\nTemplates become pages.\n");
    let report = ingest(&home, "Gin", "v2").await;
    assert_eq!(
        (&report["files"], &report["unchanged"]),
        (&json!(3), &json!(2))
    );

    let found = protocols
        .call("search-libraries", json!({"libraryName": "gin"}))
        .await;
    let library = &found["structuredContent"]["libraries"][0];
    assert_eq!(library["versions"], json!(["v2"]), "{found}");
    assert_eq!(
        (&library["defaultVersion"], &library["score"]),
        (&json!("v1"), &json!(1.0))
    );
    let id = library["libraryId"].clone();

    let sources = |answer: &Value| -> Vec<String> {
        let documents = answer["documents"].as_array().unwrap();
        let source = |one: &Value| one["source"].as_str().unwrap().to_owned();
        documents.iter().map(source).collect()
    };
    let in_new = json!({"topic": "templates pages", "libraryId": id, "version": "v2"});
    let answer = docs(&protocols, in_new).await;
    assert_eq!(sources(&answer), ["new.md#L3"], "{answer}");
    assert_eq!(answer["documents"][0]["title"], "Rendering");
    let in_old = json!({"topic": "templates pages", "libraryId": id, "version": "v1"});
    assert_eq!(
        sources(&docs(&protocols, in_old).await),
        Vec::<String>::new()
    );
    let both = json!({"topic": "templates pages, route path handler", "libraryId": id});
    let answer = docs(&protocols, both).await;
    let found = sources(&answer);
    for file in ["new.md", "guide/routing.md"] {
        assert!(
            found.iter().any(|source| source.starts_with(file)),
            "{answer}"
        );
    }

    for (language, code) in [("go", "r.Use(gin.Logger())"), ("python", "app.use(logger)")] {
        let topic = format!("register logger middleware in {language}");
        let answer = docs(&protocols, json!({"topic": topic, "mode": "code"})).await;
        let first = &answer["documents"][0];
        assert_eq!(first["language"], language, "{answer}");
        assert!(first["code"].as_str().unwrap().contains(code), "{answer}");
        let modes = answer["documents"].as_array().unwrap().iter();
        assert!(
            modes
                .clone()
                .all(|one| one["language"] == language && one.get("content").is_none())
        );
        assert_eq!(first["libraryId"], id, "all libraries were asked: {answer}");
    }
    let answer = docs(&protocols, json!({"topic": "middleware", "mode": "info"})).await;
    let first = &answer["documents"][0];
    assert_eq!(first["title"], "Gin > Middleware", "{answer}");
    assert!(first.get("code").is_none(), "{answer}");

    let mut peer = StdioPeer::start(&home, &[]);
    let params =
        json!({"name": "get-library-docs", "arguments": {"topic": "middleware", "mode": "info"}});
    let over_stdio = envelope(&peer.request("tools/call", params).await);
    assert_eq!(over_stdio, answer, "every transport gives the same answer");
}

#[tokio::test]
async fn paging_ends_after_the_last_result() {
    let home = Home::new();
    for number in 0..25 {
        let text = format!("# Widget {number}\n\nThe widget number {number} turns left.\n");
        home.write(&format!("docs/{number:02}.md"), text);
    }
    ingest(&home, "Widgets", "1").await;
    let server = Server::start(&home).await;
    let protocols = BothProtocols::open(&server.wire).await;
    let mut seen = std::collections::HashSet::new();
    for (page, count, has_more) in [(1, 10, true), (2, 10, true), (3, 5, false), (4, 0, false)] {
        let answer = docs(
            &protocols,
            json!({"topic": "widget turns left", "page": page}),
        )
        .await;
        let documents = answer["documents"].as_array().unwrap();
        assert_eq!(
            (documents.len(), &answer["hasMore"]),
            (count, &json!(has_more)),
            "{page}"
        );
        assert_eq!(answer["page"], page);
        for one in documents {
            assert!(seen.insert(one["source"].to_string()), "{one} came twice");
        }
    }
}

#[tokio::test]
async fn errors_say_what_to_do() {
    let home = Home::new();
    write_docs(&home);
    ingest(&home, "Gin", "v1").await;
    let server = Server::start(&home).await;
    let protocols = BothProtocols::open(&server.wire).await;
    for (arguments, code, words) in [
        (
            json!({"topic": "x", "libraryId": 9}),
            "LIBRARY_NOT_FOUND",
            "search-libraries",
        ),
        (
            json!({"topic": "x", "libraryId": 1, "version": "v9"}),
            "VERSION_NOT_FOUND",
            "it has v1",
        ),
        (
            json!({"topic": "x", "mode": "prose"}),
            "VALIDATION_ERROR",
            "code or info",
        ),
        (
            json!({"topic": "x", "page": 0}),
            "VALIDATION_ERROR",
            "from 1 to 10",
        ),
        (
            json!({"topic": "x", "page": 11}),
            "VALIDATION_ERROR",
            "from 1 to 10",
        ),
        (json!({"topic": " , "}), "MISSING_REQUIRED_FIELDS", "topic"),
        (
            json!({"topic": "a,b,c,d,e,f,g,h,i,j,k"}),
            "VALIDATION_ERROR",
            "11 topics",
        ),
        (
            json!({"topic": "x", "libraryId": "gin"}),
            "VALIDATION_ERROR",
            "libraryId",
        ),
    ] {
        let error = docs(&protocols, arguments.clone()).await["error"].clone();
        assert_eq!(error["code"], code, "{arguments}: {error}");
        assert!(
            error["message"].as_str().unwrap().contains(words),
            "{arguments}: {error}"
        );
    }
}
