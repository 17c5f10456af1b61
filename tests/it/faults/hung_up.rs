//! Callers that disconnect in the middle of a change.

use std::time::Duration;

use recall_kit_tests::{Dice, Home, RawConnection, RawRest, Server, json_rpc, python};
use serde_json::json;

const ENTRIES: usize = 20;
/// The longest time until a caller disconnects: about as long as a change takes. *Unit*: microseconds.
const MAX_WAIT_MICROS: usize = 20_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn links_are_audited_even_if_the_caller_disconnects() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let mut ids = Vec::new();
    for number in 0..ENTRIES {
        let entry = json!({"type": "bug", "title": format!("Entry {number}"), "content": "x"});
        let added = server.wire.call("rekall_add", entry).await;
        ids.push(added["id"].as_str().unwrap().to_owned());
    }
    let mut dice = Dice::new(20_261_124);
    for (at, source) in ids.iter().enumerate() {
        for target in &ids[at + 1..] {
            let arguments = json!({
                "source_id": source,
                "target_id": target,
                "relation_type": "contradicts",
            });
            let call = json_rpc(
                "tools/call",
                json!({"name": "rekall_link", "arguments": arguments}),
            );
            let rest = RawRest {
                headers: &[("content-type", "application/json")],
                body: &call.to_string(),
                ..RawRest::default()
            };
            let mut connection = RawConnection::open(server.port()).await;
            connection.send(rest.request("POST", "/mcp")).await;
            let wait = u64::try_from(dice.below(MAX_WAIT_MICROS)).unwrap();
            // The caller disconnects when it has the answer, or after the timeout.
            let timeout = Duration::from_micros(wait);
            let _ = tokio::time::timeout(timeout, connection.answer()).await;
        }
    }
    server.stop().await;
    let counts = "select (select count(*) from entry_links), \
                  (select count(*) from audit where action = 'link.made')";
    let database = home.database().display().to_string();
    let counted = python(&home, "run_sql.py", &[&database, counts]).await;
    let counted = counted.expect_code(0).trim();
    let (links, lines) = counted.split_once(' ').unwrap();
    assert_eq!(links, lines, "a link without a line, or the reverse");
    assert!(links.parse::<usize>().unwrap() > ENTRIES, "{links} links");
}
