//! Libraries as resources: listed, read, and notifications of changes.

use recall_kit_tests::{BothProtocols, Home, McpSession, Server, StdioPeer};
use serde_json::{Value, json};

use super::{ingest, server, write_docs};

#[tokio::test]
async fn libraries_and_their_documentation_are_read() {
    let home = Home::new();
    write_docs(&home);
    for version in ["latest", "1.9/rc"] {
        ingest(&home, "Gin", version).await;
    }
    let server = Server::start(&home).await;
    let protocols = BothProtocols::open(&server.wire).await;
    let listed = protocols.ask("resources/list", json!({})).await;
    let expected =
        json!([{"uri": "recall-kit:///library/1", "name": "Gin", "mimeType": "application/json"}]);
    assert_eq!(listed["resources"], expected);
    let mut peer = StdioPeer::start(&home, &[]);
    for scheme in ["recall-kit", "go-mcp-context"] {
        let uri = format!("{scheme}:///library/1");
        let read = protocols.ask("resources/read", json!({"uri": uri})).await;
        let text = read["contents"][0]["text"].as_str().unwrap();
        let library: Value = serde_json::from_str(text).unwrap();
        assert_eq!(read["contents"][0]["uri"], uri);
        assert_eq!(library["versions"], json!(["latest", "1.9/rc"]), "{text}");
        let uri = format!("{scheme}:///docs/chunk/1/1.9%2Frc/register%20a%20logger,routing");
        let read = protocols.ask("resources/read", json!({"uri": uri})).await;
        let content = &read["contents"][0];
        assert_eq!(content["mimeType"], "text/markdown", "{read}");
        let text = content["text"].as_str().unwrap();
        for part in [
            "```go\nfunc main()",
            "## Routing",
            "Source: README.md#L",
            "1.9/rc",
        ] {
            assert!(text.contains(part), "{part:?} in {text}");
        }
        let over_stdio = peer.request("resources/read", json!({"uri": uri})).await;
        assert_eq!(over_stdio["result"], read);
    }
    let docs = "recall-kit:///docs/chunk/{libraryId}/{version}/{topic}";
    let of_first = json!({"arguments": {"libraryId": "1"}});
    let of_none = json!({"arguments": {"libraryId": "7"}});
    for (uri, argument, typed, context, expected) in [
        (
            "recall-kit:///library/{libraryId}",
            "libraryId",
            "gi",
            &of_none,
            json!(["1"]),
        ),
        (docs, "libraryId", "", &of_none, json!(["1"])),
        (docs, "libraryId", "x", &of_none, json!([])),
        (docs, "version", "", &of_first, json!(["1.9/rc", "latest"])),
        (docs, "version", "lat", &of_first, json!(["latest"])),
        (docs, "version", "", &of_none, json!([])),
    ] {
        let params = json!({
            "ref": {"type": "ref/resource", "uri": uri},
            "argument": {"name": argument, "value": typed},
            "context": context,
        });
        let completed = protocols.ask("completion/complete", params).await;
        assert_eq!(
            completed["completion"]["values"], expected,
            "{uri} {argument} {typed:?}"
        );
    }
    for (path, code, words) in [
        ("library/7", -32003, "there is no library 7"),
        ("docs/chunk/1/v9/routing", -32003, "it has 1.9/rc, latest"),
        (
            "docs/chunk/7/latest/routing",
            -32003,
            "there is no library 7",
        ),
        ("library/gin", -32602, "whole number"),
        (
            "docs/chunk/1/latest",
            -32602,
            "{libraryId}/{version}/{topic}",
        ),
        ("docs/chunk/1/latest/%FF", -32602, "UTF-8"),
    ] {
        let error = protocols.ask(
            "resources/read",
            json!({"uri": format!("recall-kit:///{path}")}),
        );
        let error = error.await;
        assert_eq!(error["code"], code, "{path}: {error}");
        let details = error["data"]["details"].as_str().unwrap();
        assert!(details.contains(words), "{path}: {details}");
    }
}

#[tokio::test]
async fn subscribers_are_notified_of_ingests_by_another_process() {
    let home = Home::new();
    write_docs(&home);
    ingest(&home, "Gin", "v1").await;
    ingest(&home, "Gin", "v2").await;
    let running = Server::start(&home).await;
    let session = McpSession::open(&running.wire, "/mcp", "2025-11-25").await;
    let mut events = session.events().await;
    let (updated, changed) = (
        "notifications/resources/updated",
        "notifications/resources/list_changed",
    );
    let library = "go-mcp-context:///library/1";
    let docs = "recall-kit:///docs/chunk/1/v2/routing";
    for uri in [library, docs] {
        let answer = session
            .request("resources/subscribe", json!({"uri": uri}))
            .await;
        assert_eq!(answer["result"], json!({}), "{answer}");
    }
    let missing = json!({"uri": "recall-kit:///library/2"});
    let answer = session.request("resources/subscribe", missing).await;
    assert_eq!(answer["error"]["code"], -32002, "{answer}");

    home.write("docs/guide/routing.md", "# Routing\n\nOtherwise now.\n");
    // For the version without a subscriber only the library is reported as updated.
    ingest(&home, "Gin", "v1").await;
    assert_eq!(events.notification(updated).await["uri"], library);
    ingest(&home, "Gin", "v2").await;
    let mut updates = [
        events.notification(updated).await["uri"].to_string(),
        events.notification(updated).await["uri"].to_string(),
    ];
    updates.sort();
    assert_eq!(updates, [format!("\"{library}\""), format!("\"{docs}\"")]);

    ingest(&home, "Other", "v1").await;
    events.notification(changed).await;
    server(&home, &["libraries", "remove", "Other"])
        .await
        .expect_code(0);
    events.notification(changed).await;
}
