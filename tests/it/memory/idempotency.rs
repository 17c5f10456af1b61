//! The idempotency key in `_meta`: a repeated submission is stored once and answered with the same id.

use std::collections::HashSet;

use futures::future::join_all;
use recall_kit_tests::{Home, McpSession, Server, Wire, envelope, experience, make_key};
use serde_json::json;

#[tokio::test]
async fn the_same_key_and_content_store_once() {
    let home = Home::new();
    let first = Server::start(&home).await;
    let second = Server::start(&home).await;
    let record = experience("Stored once");
    let repeated = (0..12).map(|number| {
        let wire = if number % 2 == 0 {
            &first.wire
        } else {
            &second.wire
        };
        wire.submit_keyed("key-1", record.clone())
    });
    let ids: HashSet<String> = join_all(repeated)
        .await
        .iter()
        .map(|answer| answer["data"]["id"].as_str().expect("accepted").to_owned())
        .collect();
    assert_eq!(ids.len(), 1, "{ids:?}");
    assert_eq!(first.wire.query("stored once").await["total"], 1);

    second.stop().await;
    first.kill().await;
    let server = Server::start(&home).await;
    let again = server.wire.submit_keyed("key-1", record.clone()).await;
    assert!(
        ids.contains(again["data"]["id"].as_str().unwrap()),
        "{again}"
    );
    let session = McpSession::open(&server.wire, "/mcp", "2025-06-18").await;
    let again = session
        .request(
            "tools/call",
            json!({
                "name": "submit_experience",
                "arguments": record,
                "_meta": {"io.recallkit/idempotency-key": "key-1"},
            }),
        )
        .await;
    let again = envelope(&again);
    assert!(
        ids.contains(again["data"]["id"].as_str().unwrap()),
        "{again}"
    );

    let others = ["Stored once as well", "Stored once without a key"].map(experience);
    let [keyed, unkeyed] = others;
    server.wire.submit_keyed("key-2", keyed).await;
    server.wire.submit(unkeyed).await;
    assert_eq!(server.wire.query("stored once").await["total"], 3);
}

#[tokio::test]
async fn the_same_key_with_other_content_is_refused() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let first = server
        .wire
        .submit_keyed("key", experience("Original"))
        .await;
    assert_eq!(first["success"], true);
    let other = server.wire.submit_keyed("key", experience("Changed")).await;
    assert_eq!(other["error"]["code"], "VALIDATION_ERROR", "{other}");
    let text = other.to_string();
    assert!(text.contains("idempotency"), "{text}");
    assert_eq!(server.wire.query("changed").await["total"], 0);
}

#[tokio::test]
async fn a_refused_submit_does_not_use_up_its_key() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let refused = server.wire.submit_keyed("key", experience("")).await;
    assert_eq!(refused["error"]["code"], "INVALID_TITLE");
    let repaired = server
        .wire
        .submit_keyed("key", experience("Repaired"))
        .await;
    assert_eq!(repaired["success"], true, "{repaired}");
}

#[tokio::test]
async fn invalid_keys_are_refused() {
    let home = Home::new();
    let server = Server::start(&home).await;
    for key in [
        json!(""),
        json!("k".repeat(129)),
        json!(7),
        json!("new\nline"),
    ] {
        let params = json!({
            "name": "submit_experience",
            "arguments": experience("Never stored"),
            "_meta": {"io.recallkit/idempotency-key": key},
        });
        let answer = server.wire.rpc("tools/call", params).await;
        let refused = answer["error"]["code"] == -32602
            || answer["result"]["structuredContent"]["error"]["code"] == "VALIDATION_ERROR";
        assert!(refused, "{key}: {answer}");
        assert!(answer.to_string().contains("idempotency"), "{answer}");
    }
    assert_eq!(server.wire.query("never stored").await["total"], 0);
}

#[tokio::test]
async fn keys_of_different_callers_are_independent() {
    let home = Home::new();
    let (shop, bank) = (
        make_key(&home, "shop", "write").await,
        make_key(&home, "bank", "write").await,
    );
    let server = Server::start(&home).await;
    let [shop, bank] =
        [shop, bank].map(|key| Wire::with_headers(server.wire.base(), &[("X-API-Key", &key)]));
    let record = experience("The till of the shop");
    let of_shop = shop.submit_keyed("key-1", record.clone()).await;
    let of_bank = bank.submit_keyed("key-1", experience("The vault")).await;
    assert_eq!(of_bank["success"], true, "{of_bank}");
    assert_ne!(of_shop["data"]["id"], of_bank["data"]["id"]);
    let again = shop.submit_keyed("key-1", record).await;
    assert_eq!(again["data"]["id"], of_shop["data"]["id"], "{again}");
    let reused = shop.submit_keyed("key-1", experience("The cellar")).await;
    assert_eq!(reused["success"], false, "{reused}");
}
