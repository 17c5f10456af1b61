//! What makes a record popular, and what does not.

use recall_kit_tests::{Home, Launch, Server, Wire, experience, make_key, within_deadline};
use serde_json::{Value, json};

const QUESTION: &str = "deployment stops behind the proxy";

/// A record about [`QUESTION`]; `word` finds only this record.
fn record(title: &str, word: &str) -> Value {
    let mut record = experience(title);
    record["problem_description"] = json!(format!("{QUESTION}: {word}"));
    record
}

/// Returns the titles and query counts of the results, in their order.
async fn query_counts(wire: &Wire, question: &str) -> Vec<(String, u64)> {
    let data = wire.query(question).await;
    let records = data["experiences"].as_array().unwrap().iter();
    let seen = records.map(|one| {
        let title = one["title"].as_str().unwrap().to_owned();
        (title, one["query_count"].as_u64().unwrap())
    });
    seen.collect()
}

/// Returns the query count of a record, and the popularity that the ranking uses.
async fn counts(wire: &Wire, title: &str) -> (u64, u64) {
    let call = json!({
        "name": "query_experiences",
        "arguments": {"keywords": QUESTION},
        "_meta": {"io.recallkit/relevance-parts": true},
    });
    let answer = wire.rpc("tools/call", call).await;
    let result = &answer["result"];
    let records = result["structuredContent"]["data"]["experiences"].as_array();
    let mut records = records.unwrap().iter().enumerate();
    let (place, record) = records.find(|(_, one)| one["title"] == title).unwrap();
    let part = &result["_meta"]["io.recallkit/relevance-parts"][place];
    let number = |name: &str| part[name].as_f64().unwrap();
    // The shown part is `ln(1 + n) / ln(1001)`, times what a recency of 1 is shown as; the record is new.
    let popularity = (number("popularity") / number("recency") * 1001_f64.ln()).exp_m1();
    (
        record["query_count"].as_u64().unwrap(),
        popularity.round() as u64,
    )
}

/// Checks the popularity of a record after all earlier counts were stored.
async fn check(wire: &Wire, title: &str, expected: u64) {
    let stored = async {
        // The first change of the counts may belong to an earlier query, so two are awaited.
        for _ in 0..2 {
            let (before, _) = counts(wire, title).await;
            while counts(wire, title).await.0 == before {}
        }
    };
    within_deadline("counts are stored", stored).await;
    assert_eq!(counts(wire, title).await.1, expected);
}

#[tokio::test]
async fn one_key_cannot_make_a_record_popular_by_repeated_queries() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let keys = [
        make_key(&home, "greedy", "read").await,
        make_key(&home, "reader", "write").await,
    ];
    let [greedy, reader] =
        keys.map(|key| Wire::with_headers(server.wire.base(), &[("x-api-key", &key)]));
    let better = "Deployment stops (1)";
    // A little longer, so its relevance is a little lower.
    let worse = record("Deployment stops (2)", "zweitrangig after a restart");
    reader.submit(record(better, "timeouts")).await;
    reader.submit(worse).await;
    for _ in 0..400 {
        let found = query_counts(&greedy, "zweitrangig").await;
        assert_eq!(found.len(), 1, "{found:?}");
    }
    let counted = async {
        loop {
            let found = query_counts(&reader, QUESTION).await;
            let [(first, _), (_, count)] = &found[..] else {
                panic!("{found:?}");
            };
            assert_eq!(first, better, "{found:?}");
            if *count >= 400 {
                return;
            }
        }
    };
    within_deadline("every return is counted", counted).await;
    // The reader and the greedy caller count once each.
    check(&reader, "Deployment stops (2)", 2).await;
}

#[tokio::test]
async fn callers_of_one_network_count_once_and_opening_counts_more_than_listing() {
    let home = Home::new();
    let server = Launch::new(&home)
        .env("RECALL_KIT_ACCESS__TRUSTED_PROXIES", "127.0.0.1")
        .args(&["--access", "anonymous"])
        .start()
        .await;
    let from = |address| {
        let headers = [("x-forwarded-for", address)];
        Wire::with_headers(server.wire.base(), &headers)
    };
    let title = "Deployment stops";
    let first = from("203.0.113.1");
    let id = first.submit(record(title, "timeouts")).await;
    check(&first, title, 1).await;
    for address_of_network in ["203.0.113.2", "203.0.113.254"] {
        query_counts(&from(address_of_network), QUESTION).await;
    }
    check(&first, title, 1).await;
    for other_address in ["203.0.114.1", "2001:db8:0:1::1", "2001:db8:0:ffff::1"] {
        query_counts(&from(other_address), QUESTION).await;
    }
    check(&first, title, 3).await;
    let shown = json!({"id": id});
    for _ in 0..3 {
        from("203.0.114.1").call("rekall_show", shown.clone()).await;
    }
    check(&first, title, 5).await;
    let reader = from("198.51.100.1");
    let count = async || {
        let record = reader.get(&format!("/experiences/{id}/json")).await;
        let record: Value = serde_json::from_str(&record.text).unwrap();
        record["query_count"].as_u64().unwrap()
    };
    let before = count().await;
    let page = reader.get(&format!("/experiences/{id}")).await;
    assert_eq!(page.status, 200);
    assert_eq!(count().await, before, "a page is no query");
    check(&first, title, 8).await;
}
