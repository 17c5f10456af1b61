//! Paging: an exact total, and pages that together contain every match once, in one order.

use std::collections::HashSet;

use recall_kit_tests::{Home, Server, Wire, experience};
use serde_json::Value;

#[tokio::test]
async fn pages_of_any_size_contain_every_match_once() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let mut expected = HashSet::new();
    for number in 0..61 {
        // Records with equal words have equal ranks, which must not make pages overlap.
        let marks = "!".repeat(number / 7);
        let title = format!("Paging through results, sort {}{marks}", number % 7);
        expected.insert(server.wire.submit(experience(&title)).await);
    }
    for number in 0..5 {
        let title = format!("Unrelated gardening advice {number}");
        server.wire.submit(experience(&title)).await;
    }
    let expected_order = [
        ids(&server.wire, "paging results", 50, 0).await,
        ids(&server.wire, "paging results", 50, 50).await,
    ]
    .concat();
    assert_eq!(expected_order.len(), 61);
    assert_eq!(
        expected_order.iter().cloned().collect::<HashSet<_>>(),
        expected
    );

    for size in [1, 7, 13] {
        let mut pages = Vec::new();
        while pages.len() < 61 {
            let page = ids(&server.wire, "paging results", size, pages.len() as u64).await;
            assert!(!page.is_empty(), "{} of 61 found", pages.len());
            pages.extend(page);
        }
        assert_eq!(pages, expected_order, "pages of {size}");
    }
}

#[tokio::test]
async fn a_page_past_the_end_is_empty_and_has_the_same_total() {
    let home = Home::new();
    let server = Server::start(&home).await;
    server.wire.submit(experience("Only one")).await;
    for offset in [1, 50, u64::from(u32::MAX)] {
        let data = server.wire.query_page("only", 10, offset).await;
        assert_eq!(data["total"], 1);
        assert_eq!(data["offset"], offset);
        assert_eq!(data["experiences"].as_array().unwrap().len(), 0);
    }
}

async fn ids(wire: &Wire, keywords: &str, limit: u64, offset: u64) -> Vec<String> {
    let data = wire.query_page(keywords, limit, offset).await;
    assert_eq!(data["total"], 61, "exact on every page");
    let records = data["experiences"].as_array().unwrap();
    let id = |record: &Value| record["id"].as_str().unwrap().to_owned();
    records.iter().map(id).collect()
}
