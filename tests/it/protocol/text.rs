//! Text fidelity: any text is returned unchanged, or refused with a message. Invisible characters are the
//! exception: see `invisible.rs`.

use recall_kit_tests::{Home, Server, StdioPeer, experience, json_rpc};
use reqwest::Method;
use serde_json::json;

#[tokio::test]
async fn unusual_text_is_returned_unchanged() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let texts = [
        ("emoji", "👩‍👩‍👧‍👦 flags 🇺🇳 and 🦀"),
        ("nul", "before\0after"),
        ("controls", "bell\u{7} escape\u{1b}[31m delete\u{7f}"),
        ("arabic", "خطأ في الاتصال"),
        ("combining", "Z\u{351}\u{36f}a\u{30a}lgo, not å"),
        ("line ends", "a\r\nb\rc\u{2028}d\u{85}e\n\n"),
        ("spaces", "\u{3000}wide\u{a0}hard\ttab"),
        ("last", "\u{10ffff}\u{fffd}\u{e000}"),
        ("markup", "<script>alert('x')</script> &amp; \\u0041 %41"),
    ];
    for (name, text) in texts {
        let marker = format!("marker{}", name.replace([' ', '-'], ""));
        let record = json!({
            "title": format!("{marker} {text}"),
            "problem_description": format!("p {text} p"),
            "root_cause": format!("r {text} r"),
            "solution": format!("s {text} s"),
            "context": format!("c {text} c"),
        });
        let answer = server.wire.call("submit_experience", record.clone()).await;
        if answer["success"] == false {
            assert_eq!(answer["error"]["code"], "VALIDATION_ERROR", "{answer}");
            assert_eq!(name, "nul", "only NUL may be refused: {answer}");
            continue;
        }
        let data = server.wire.query(&marker).await;
        let found = &data["experiences"][0];
        for (field, value) in record.as_object().unwrap() {
            assert_eq!(&found[field], value, "{name}: {field}");
        }
        server.wire.query(text).await;
    }
    server.logged_calls_without_errors();
}

#[tokio::test]
async fn fields_of_a_megabyte_are_returned_unchanged() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let prose = "The quick brown fox jumps over the lazy dog; ";
    let texts = [
        prose.repeat(1_000_000 / prose.len()),
        "x".repeat(1_000_000),
        "数据库连接超时".repeat(47_000),
    ];
    for (number, text) in texts.iter().enumerate() {
        for field in ["problem_description", "root_cause", "solution", "context"] {
            let marker = format!("megabyte{number}{field}");
            let mut record = experience(&marker);
            record[field] = json!(text);
            server.wire.submit(record).await;
            let found = server.wire.query(&marker).await["experiences"][0].clone();
            assert_eq!(found["title"], marker);
            assert!(found[field] == *text, "{marker} changed");
        }
    }
}

#[tokio::test]
async fn lone_surrogates_are_refused_with_details() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let mut peer = StdioPeer::start(&home, &[]);
    for escape in ["\\ud800", "\\udfff x", "\\ud83d\\u0041"] {
        for (tool, field) in [
            ("query_experiences", "keywords"),
            ("submit_experience", "title"),
        ] {
            let params = json!({"name": tool, "arguments": {field: "PLACE"}});
            let body = json_rpc("tools/call", params).to_string();
            let body = body.replace("PLACE", escape);
            peer.send(&body).await;
            let plain = server.wire.post("/mcp", body.clone()).await;
            assert!(plain.status < 500, "{escape}: {}", plain.status);
            for answer in [plain.json(), peer.receive().await] {
                let error = &answer["error"];
                let code = error["code"].as_i64().unwrap_or_default();
                assert!([-32700, -32602].contains(&code), "{escape}: {error}");
                let details = error["data"]["details"].as_str().unwrap_or_default();
                assert!(details.contains("escape"), "{escape}: {error}");
            }
            let headers = [
                ("content-type", "application/json"),
                ("accept", "application/json, text/event-stream"),
                ("mcp-protocol-version", "2026-07-28"),
            ];
            let mcp = server.wire.send(Method::POST, "/mcp", &headers, body).await;
            assert!(mcp.status < 500, "{escape}: {mcp:?}");
            assert!(mcp.json()["error"].is_object(), "{escape}: {mcp:?}");
        }
    }
    assert_eq!(server.wire.get("/readyz").await.status, 200);
    assert_eq!(peer.request("ping", json!({})).await["result"], json!({}));
}
