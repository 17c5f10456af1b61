//! `ingest-library`: available only if the settings allow it, and only to administrators.

use recall_kit_tests::{
    Home, Launch, McpSession, StdioPeer, Wire, envelope, make_key, within_deadline,
};
use serde_json::{Value, json};

use super::write_docs;

const TOOL: &str = "ingest-library";

/// Returns whether a list of tools contains it.
fn is_listed(answer: &Value) -> bool {
    let tools = answer["result"]["tools"].as_array().unwrap();
    tools.iter().any(|tool| tool["name"] == TOOL)
}

fn call(source: &str) -> Value {
    let arguments = json!({"libraryName": "Gin", "source": source, "version": "v1"});
    json!({"name": TOOL, "arguments": arguments})
}

#[tokio::test]
async fn only_administrators_see_and_run_it() {
    let home = Home::new();
    write_docs(&home);
    let docs = home.path().join("docs").to_string_lossy().into_owned();
    let settings = "[libraries]\ningest = \"all\"";
    let server = Launch::new(&home).settings(settings).start().await;
    for scope in ["", "read", "write", "admin"] {
        let mut headers = Vec::new();
        if !scope.is_empty() {
            headers.push(("MCP_API_KEY", make_key(&home, scope, scope).await));
        }
        let headers: Vec<_> = headers
            .iter()
            .map(|(name, key)| (*name, key.as_str()))
            .collect();
        let wire = Wire::with_headers(server.wire.base(), &headers);
        let session = McpSession::open(&wire, "/mcp", "2025-11-25").await;
        let may = scope == "admin";
        assert_eq!(
            is_listed(&session.request("tools/list", json!({})).await),
            may,
            "{scope}"
        );
        assert_eq!(
            is_listed(&wire.rpc("tools/list", json!({})).await),
            may,
            "{scope}"
        );
        let page = wire.get("/mcp/tools").await.json();
        assert_eq!(is_listed(&json!({"result": page})), may, "{scope}");
        let mut params = call(&docs);
        params["_meta"] = json!({"progressToken": 1});
        let (id, mut stream) = session.start("tools/call", params).await;
        let (progress, answer) = stream.answer(&id).await;
        if !may {
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(message.contains("needs scope admin"), "{answer}");
            continue;
        }
        let read = envelope(&answer);
        assert_eq!(
            (&read["files"], &read["version"]),
            (&json!(2), &json!("v1")),
            "{read}"
        );
        let last = progress.last().expect("progress was told");
        assert_eq!(last["method"], "notifications/progress");
        let words = last["params"]["message"].as_str().unwrap();
        assert!(words.contains("2 files read"), "{words}");
        assert_eq!(last["params"]["total"], 2.0, "{last}");
        let found = wire
            .call("search-libraries", json!({"libraryName": "gin"}))
            .await;
        assert_eq!(found["libraries"][0]["name"], "Gin");
    }
}

#[tokio::test]
async fn the_settings_limit_the_sources() {
    let home = Home::new();
    write_docs(&home);
    let docs = home.path().join("docs").to_string_lossy().into_owned();
    let mut peer = StdioPeer::start(&home, &[]);
    assert!(
        !is_listed(&peer.request("tools/list", json!({})).await),
        "off unless set"
    );
    let refused = peer.request("tools/call", call(&docs)).await;
    assert_eq!(refused["error"]["code"], -32001, "{refused}");

    let config = home.write("server.toml", "[libraries]\ningest = \"urls\"");
    let mut peer = StdioPeer::start(&home, &["--config", &config.to_string_lossy()]);
    assert!(is_listed(&peer.request("tools/list", json!({})).await));
    for (source, words) in [
        (docs.as_str(), "must be a web address"),
        ("file:///etc/passwd", "must be a web address"),
        ("http://127.0.0.1:9/docs.zip", "private"),
        (" ", "source"),
    ] {
        let answer = envelope(&peer.request("tools/call", call(source)).await);
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(words), "{source}: {message}");
    }
}

#[tokio::test]
async fn a_cancelled_ingest_changes_nothing_and_allows_the_next() {
    let home = Home::new();
    write_docs(&home);
    for number in 0..3_000 {
        let text = format!("# Page {number}\n\nWhat page {number} says about gadget {number}.\n");
        home.write(&format!("large/{number}.md"), &text);
    }
    let folder = |name: &str| home.path().join(name).to_string_lossy().into_owned();
    let settings = "[libraries]\ningest = \"all\"";
    let server = Launch::new(&home).settings(settings).start().await;
    let key = make_key(&home, "admin", "admin").await;
    let wire = Wire::with_headers(server.wire.base(), &[("MCP_API_KEY", &key)]);
    let session = McpSession::open(&wire, "/mcp", "2025-11-25").await;
    let small = call(&folder("docs"));
    envelope(&session.request("tools/call", small.clone()).await);

    let mut params = call(&folder("large"));
    params["_meta"] = json!({"progressToken": 1});
    let (id, mut stream) = session.start("tools/call", params).await;
    let progress = stream.message().await.expect("progress comes first");
    assert_eq!(progress["method"], "notifications/progress", "{progress}");
    let reason = json!({"requestId": id, "reason": "no longer needed"});
    session.notify("notifications/cancelled", reason).await;
    while let Some(progress) = stream.message().await {
        assert_eq!(progress["method"], "notifications/progress", "no answer");
    }
    let next = async {
        loop {
            let read = envelope(&session.request("tools/call", small.clone()).await);
            match read["error"]["message"].as_str() {
                Some(message) => assert!(message.contains("another source"), "{message}"),
                None => return read,
            }
        }
    };
    let read = within_deadline("the next run", next).await;
    assert_eq!(read["unchanged"], 2, "what was there is there: {read}");
    let query = json!({"topic": "gadget", "libraryId": read["libraryId"]});
    let found = wire.call("get-library-docs", query).await;
    assert_eq!(found["documents"], json!([]), "{found}");
}
