//! Configured resources, over MCP and over plain JSON-RPC: listed, read, watched, and limited to what the
//! settings name.

use std::collections::HashSet;

use recall_kit_tests::{BothProtocols, Home, Launch, McpSession, Server, Stateless};
use serde_json::{Value, json};

/// Starts a server that offers a text, a file, and the folder `docs`.
async fn offering(home: &Home) -> Server {
    for (name, text) in [
        ("notes.txt", "first"),
        ("docs/guide.md", "# Guide"),
        ("docs/api/über uns.json", "{}"),
        ("private.txt", "SECRET"),
    ] {
        home.write(name, text);
    }
    home.write("docs/logo.png", [0x89, b'P', b'N', b'G', 0xff, 0]);
    let settings = format!(
        r#"
        [[resources]]
        uri = "memo://team/rules"
        name = "Rules"
        text = "Be kind."
        [[resources]]
        uri = "{}"
        name = "Notes"
        description = "What was noted"
        [[resources]]
        uri = "{}"
        name = "Documents"
        "#,
        uri(home, "notes.txt"),
        uri(home, "docs/"),
    );
    Launch::new(home).settings(&settings).start().await
}

fn uri(home: &Home, name: &str) -> String {
    format!("file://{}/{name}", home.path().display())
}

#[tokio::test]
async fn resources_are_listed_and_read() {
    let home = Home::new();
    let server = offering(&home).await;
    let protocols = BothProtocols::open(&server.wire).await;
    let listed = protocols.ask("resources/list", json!({})).await;
    assert_eq!(listed.get("nextCursor"), None, "{listed}");
    let seen: Vec<_> = listed["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| ["uri", "name", "mimeType"].map(|field| one[field].as_str().unwrap()))
        .collect();
    let [notes, guide, logo] =
        ["notes.txt", "docs/guide.md", "docs/logo.png"].map(|name| uri(&home, name));
    let about = uri(&home, "docs/api/%C3%BCber%20uns.json");
    let expected = [
        ["memo://team/rules", "Rules", "text/plain"],
        [&notes, "Notes", "text/plain"],
        [&about, "api/über uns.json", "application/json"],
        [&guide, "guide.md", "text/markdown"],
        [&logo, "logo.png", "image/png"],
    ];
    assert_eq!(seen, expected);
    for (uri, field, text) in [
        ("memo://team/rules", "text", "Be kind."),
        (&notes, "text", "first"),
        (&about, "text", "{}"),
        (&guide, "text", "# Guide"),
        (&logo, "blob", "iVBOR/8A"),
    ] {
        let read = protocols.ask("resources/read", json!({"uri": uri})).await;
        let content = &read["contents"][0];
        assert_eq!(content["uri"], uri);
        assert_eq!(content[field], text, "{read}");
    }
    let listed = protocols.ask("resources/templates/list", json!({})).await;
    let template = json!({"uriTemplate": uri(&home, "docs/{+path}"), "name": "Documents"});
    assert_eq!(listed["resourceTemplates"][0], template);
    let graph = &listed["resourceTemplates"][1]["uriTemplate"];
    assert_eq!(
        graph,
        "recall-kit:///knowledge/graph{?project,depth,around}"
    );
}

#[tokio::test]
async fn nothing_outside_the_settings_is_read() {
    let home = Home::new();
    let server = offering(&home).await;
    std::os::unix::fs::symlink(
        home.path().join("private.txt"),
        home.path().join("docs/link.txt"),
    )
    .unwrap();
    home.write("docs/.env", "SECRET");
    let session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    let in_docs = |path: &str| uri(&home, &format!("docs/{path}"));
    for uri in [
        uri(&home, "private.txt"),
        uri(&home, "docs"),
        uri(&home, "docs/"),
        in_docs("../private.txt"),
        in_docs("%2e%2e/private.txt"),
        in_docs("..%2Fprivate.txt"),
        in_docs("%252e%252e%252fprivate.txt"),
        in_docs("..\\private.txt"),
        in_docs("api/../../private.txt"),
        in_docs("/etc/passwd"),
        in_docs("%2Fetc%2Fpasswd"),
        in_docs("guide.md%00"),
        in_docs("link.txt"),
        in_docs(".env"),
        "file:///etc/passwd".to_owned(),
        "file://localhost/etc/passwd".to_owned(),
        "/etc/passwd".to_owned(),
        "memo://team/rules/../other".to_owned(),
        String::new(),
    ] {
        for method in ["resources/read", "resources/subscribe"] {
            let answer = session.request(method, json!({"uri": uri})).await;
            assert_eq!(answer["error"]["code"], -32002, "{method} {uri}: {answer}");
            assert!(!answer.to_string().contains("SECRET"), "{answer}");
        }
        let plain = server.wire.rpc("resources/read", json!({"uri": uri})).await;
        assert_eq!(plain["error"]["code"], -32003, "{uri}: {plain}");
    }
    for params in [json!({}), json!({"uri": 5})] {
        let plain = server.wire.rpc("resources/read", params).await;
        assert_eq!(plain["error"]["code"], -32602, "{plain}");
    }
}

#[tokio::test]
async fn long_lists_are_paged() {
    let home = Home::new();
    for number in 0..620 {
        home.write(&format!("docs/{number:03}.txt"), "x");
    }
    let server = offering(&home).await;
    let protocols = BothProtocols::open(&server.wire).await;
    let (mut uris, mut cursor, mut pages) = (HashSet::new(), Value::Null, 0);
    loop {
        let params = match &cursor {
            Value::Null => json!({}),
            cursor => json!({"cursor": cursor}),
        };
        let page = protocols.ask("resources/list", params).await;
        for listed in page["resources"].as_array().unwrap() {
            assert!(
                uris.insert(listed["uri"].to_string()),
                "{listed} came twice"
            );
        }
        pages += 1;
        match page.get("nextCursor") {
            Some(next) => cursor = next.clone(),
            None => break,
        }
    }
    assert_eq!((uris.len(), pages), (625, 2));
    for cursor in ["nonsense", "625", "-1"] {
        let params = json!({"cursor": cursor});
        let error = protocols.ask("resources/list", params).await;
        assert_eq!(error["code"], -32602, "{cursor}: {error}");
    }
}

#[tokio::test]
async fn a_session_is_notified_of_subscribed_resources() {
    let home = Home::new();
    let server = offering(&home).await;
    let session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    let other = McpSession::open(&server.wire, "/mcp", "2025-06-18").await;
    let (notes, guide) = (uri(&home, "notes.txt"), uri(&home, "docs/guide.md"));
    let (mut events, mut others) = (session.events().await, other.events().await);
    let ask = async |session: &McpSession, method: &str, uri: &str| {
        let answer = session.request(method, json!({"uri": uri})).await;
        assert_eq!(answer["result"], json!({}), "{answer}");
    };
    ask(&session, "resources/subscribe", &notes).await;
    ask(&other, "resources/subscribe", &guide).await;
    // Changed immediately: no change between the subscription and the first check may be missed.
    home.write("notes.txt", "second, longer");
    let updated = "notifications/resources/updated";
    assert_eq!(events.notification(updated).await["uri"], notes.as_str());
    let read = session
        .request("resources/read", json!({"uri": notes}))
        .await;
    assert_eq!(read["result"]["contents"][0]["text"], "second, longer");

    // Removing and restoring the file are changes as well.
    std::fs::remove_file(home.path().join("notes.txt")).unwrap();
    assert_eq!(events.notification(updated).await["uri"], notes.as_str());
    home.write("notes.txt", "back");
    assert_eq!(events.notification(updated).await["uri"], notes.as_str());

    ask(&session, "resources/subscribe", &guide).await;
    ask(&session, "resources/unsubscribe", &notes).await;
    home.write("notes.txt", "changed, but not asked for any more");
    for text in ["# Guide 2", "# Guide, three"] {
        home.write("docs/guide.md", text);
        assert_eq!(events.notification(updated).await["uri"], guide.as_str());
        assert_eq!(others.notification(updated).await["uri"], guide.as_str());
    }
}

#[tokio::test]
async fn a_session_is_notified_of_new_files() {
    let home = Home::new();
    let server = offering(&home).await;
    let session = McpSession::open(&server.wire, "/mcp", "2025-11-25").await;
    let mut events = session.events().await;
    let count = async || {
        let listed = session.request("resources/list", json!({})).await;
        listed["result"]["resources"].as_array().unwrap().len()
    };
    let changed = "notifications/resources/list_changed";
    assert_eq!(count().await, 5);
    home.write("docs/new.txt", "new");
    events.notification(changed).await;
    assert_eq!(count().await, 6, "the cached list was dropped at once");
    std::fs::remove_file(home.path().join("docs/new.txt")).unwrap();
    events.notification(changed).await;
    assert_eq!(count().await, 5);
}

#[tokio::test]
async fn without_a_session_a_request_can_subscribe() {
    let home = Home::new();
    let server = offering(&home).await;
    let modern = Stateless::new(&server.wire);
    let listed = modern.request("resources/list", json!({})).await;
    assert_eq!(listed["result"]["ttlMs"], 60_000, "{listed}");
    let tools = modern.request("tools/list", json!({})).await;
    assert_eq!(tools["result"]["ttlMs"], 300_000, "{tools}");

    let notes = uri(&home, "notes.txt");
    let wanted = json!({
        "resourcesListChanged": true,
        "resourceSubscriptions": [notes, "file:///etc/passwd"],
    });
    let params = json!({"notifications": wanted});
    let (id, mut stream) = modern.start("subscriptions/listen", params).await;
    let accepted = stream
        .notification("notifications/subscriptions/acknowledged")
        .await;
    let served = json!({"resourcesListChanged": true, "resourceSubscriptions": [notes]});
    assert_eq!(accepted["notifications"], served);
    let of_this = |params: &Value| {
        assert_eq!(
            params["_meta"]["io.modelcontextprotocol/subscriptionId"],
            id
        );
    };
    home.write("notes.txt", "second");
    let updated = stream.notification("notifications/resources/updated").await;
    assert_eq!(updated["uri"], notes.as_str());
    of_this(&updated);
    home.write("docs/new.txt", "new");
    let changed = stream.notification("notifications/resources/list_changed");
    of_this(&changed.await);
    let listed = modern.request("resources/list", json!({})).await;
    assert_eq!(listed["result"]["resources"].as_array().unwrap().len(), 6);
    // Subscriptions as in older versions do not exist in this one.
    let old = modern
        .request("resources/subscribe", json!({"uri": notes}))
        .await;
    assert_eq!(old["error"]["code"], -32601, "{old}");
}
