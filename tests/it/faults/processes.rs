//! Several processes on one database: each sees at once what the others store, and nothing is lost.

use std::collections::HashSet;

use futures::future::join_all;
use recall_kit_tests::{Home, Server, StdioPeer, Wire, envelope, experience};
use serde_json::json;

#[tokio::test]
async fn a_record_is_found_at_once_by_another_process() {
    let home = Home::new();
    let first = Server::start(&home).await;
    let second = Server::start(&home).await;
    for number in 0..15 {
        for (writer, reader) in [(&first, &second), (&second, &first)] {
            let word = format!("word{number}from{}", writer.port());
            let id = writer.wire.submit(experience(&word)).await;
            let data = reader.wire.query(&word).await;
            assert_eq!(data["experiences"][0]["id"], id.as_str(), "{word}");
            assert_eq!(data["total"], 1, "{word}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_writers_lose_nothing() {
    let home = Home::new();
    // All three create and migrate the same new database at the same time.
    let (first, second) = tokio::join!(Server::start(&home), Server::start(&home));
    let mut peer = StdioPeer::start(&home, &[]);
    let over_stdio = async {
        let mut ids = Vec::new();
        for number in 0..30 {
            let arguments = experience(&format!("Concurrent over stdio {number}"));
            let params = json!({"name": "submit_experience", "arguments": arguments});
            let answer = peer.request("tools/call", params).await;
            let id = envelope(&answer)["data"]["id"].clone();
            ids.push(id.as_str().unwrap().to_owned());
        }
        ids
    };
    let (a, b, c) = tokio::join!(
        submit_many(&first.wire, "first"),
        submit_many(&second.wire, "second"),
        over_stdio
    );
    let acknowledged: HashSet<String> = [a, b, c].concat().into_iter().collect();
    assert_eq!(acknowledged.len(), 110, "ids are unique");
    for wire in [&first.wire, &second.wire] {
        let stored: HashSet<String> = wire.all("concurrent", 50).await.into_keys().collect();
        assert_eq!(stored, acknowledged);
    }
    assert_eq!(peer.close().await.0, Some(0));
    let third = Server::start(&home).await;
    assert_eq!(third.wire.query("concurrent").await["total"], 110);
}

async fn submit_many(wire: &Wire, name: &str) -> Vec<String> {
    let submits = (0..40).map(|number| {
        let title = format!("Concurrent over {name} {number}");
        async move { wire.submit(experience(&title)).await }
    });
    join_all(submits).await
}
