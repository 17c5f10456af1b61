//! Turns of a conversation: each is also found through its neighbours' words, and names its neighbours.

use recall_kit_tests::{Home, Launch, Wire, make_key, run, server_command};
use serde_json::{Value, json};

use super::{add, titles};

const TURNS: [&str; 7] = [
    "The export endpoint started giving 504s since Friday's deploy.",
    "Only the export one, or everything behind the gateway?",
    "Only export, the rest is fine.",
    "Then it is the proxy. Where is its limit set?",
    "In the shared template. Friday's change put it at 60.",
    "Can I just raise it to 120?",
    "Yes, but for that location only.",
];

const QUESTION: &str = "timeout of the proxy";

/// Adds an entry as a turn, and returns its id.
async fn add_turn(wire: &Wire, text: &str) -> String {
    let turn = json!({"type": "reference", "title": text, "content": text, "project": "Shop"});
    let added = wire.call("rekall_add", turn).await;
    added["id"]
        .as_str()
        .unwrap_or_else(|| panic!("{added}"))
        .to_owned()
}

fn ids(names: &Value) -> Vec<&str> {
    let names = names.as_array().unwrap().iter();
    names.map(|name| name["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn turns_are_found_by_the_turns_around_them_and_name_their_neighbours() {
    let home = Home::new();
    let mut server = Launch::new(&home).embeddings("builtin").start().await;
    let mut turns = Vec::new();
    for text in TURNS {
        turns.push(add_turn(&server.wire, text).await);
    }
    let note = json!({
        "type": "config", "title": "Editor settings", "content": "Tabs are four spaces.",
    });
    let note = server.wire.call("rekall_add", note).await["id"]
        .as_str()
        .unwrap()
        .to_owned();

    let mut places = Vec::new();
    for start in 0..2 {
        let wire = &server.wire;
        let shown = wire.call("rekall_show", json!({"id": turns[3]})).await;
        let neighbours = &shown["neighbours"];
        assert_eq!(ids(&neighbours["before"]), turns[..3], "{shown}");
        assert_eq!(ids(&neighbours["after"]), turns[4..], "{shown}");
        assert_eq!(neighbours["before"][0]["title"], TURNS[0]);
        let shown = wire.call("rekall_show", json!({"id": note})).await;
        assert_eq!(shown.get("neighbours"), None, "{shown}");

        // The turn with the answer contains no word of the question; it follows the turn that does.
        let found = titles(wire, json!({"query": QUESTION, "limit": 20})).await;
        assert_eq!(found[..2], [TURNS[3], TURNS[4]], "{found:?}");
        assert!(
            !found.iter().any(|title| title == "Editor settings"),
            "{found:?}"
        );
        places.push(found);
        if start == 0 {
            server.stop().await;
            server = Launch::new(&home).embeddings("builtin").start().await;
        }
    }
    assert_eq!(places[0], places[1], "a start changes nothing");

    // Notes without a project are no conversation.
    let elsewhere = Home::new();
    let notes = Launch::new(&elsewhere).embeddings("builtin").start().await;
    for text in TURNS {
        add(&notes.wire, "reference", text, text).await;
    }
    let found = titles(&notes.wire, json!({"query": QUESTION, "limit": 20})).await;
    assert_eq!(found, [TURNS[3]]);

    // A superseded turn is not listed as a neighbour.
    let change =
        json!({"source_id": turns[4], "target_id": turns[3], "relation_type": "supersedes"});
    server.wire.call("rekall_link", change).await;
    let shown = server
        .wire
        .call("rekall_show", json!({"id": turns[4]}))
        .await;
    assert_eq!(ids(&shown["neighbours"]["before"]), turns[..3], "{shown}");
}

#[tokio::test]
async fn neighbours_are_named_only_to_callers_who_may_see_the_project() {
    let home = Home::new();
    let server = Launch::new(&home).start().await;
    let root = make_key(&home, "root", "admin").await;
    let limited = ["keys", "create", "--name", "shop", "--project", "Shop"];
    let limited = run(server_command(&home, &limited), "").await;
    let limited = limited.expect_code(0).trim().to_owned();
    let [root, shop] =
        [root, limited].map(|key| Wire::with_headers(server.wire.base(), &[("x-api-key", &key)]));
    let first = add_turn(&root, TURNS[1]).await;
    let till = json!({"type": "bug", "title": "Till", "content": "Is it open?", "project": "Till"});
    root.call("rekall_add", till).await;
    let second = add_turn(&root, TURNS[2]).await;
    let shown = shop.call("rekall_show", json!({"id": first})).await;
    assert_eq!(ids(&shown["neighbours"]["before"]).len(), 0, "{shown}");
    assert_eq!(ids(&shown["neighbours"]["after"]), [second], "{shown}");
}
