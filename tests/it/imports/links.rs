//! Links between what several runs imported.

use std::fs;

use recall_kit_tests::{Home, Server};
use serde_json::json;

use super::{counts, import};

/// Returns the titles of what an entry is linked to.
async fn linked_to(server: &Server, title: &str) -> Vec<String> {
    let query = json!({"query": title, "limit": 20});
    let found = server.wire.call("rekall_search", query).await;
    let results = found["results"].as_array().unwrap();
    let one = results.iter().find(|one| one["title"] == title);
    let id = one.unwrap_or_else(|| panic!("{found}"))["id"].clone();
    let entry = server.wire.call("rekall_show", json!({"id": id})).await;
    let sides = [("outgoing", "target_title"), ("incoming", "source_title")];
    let links = sides.map(|(side, title)| {
        let links = entry["links"][side].as_array().unwrap().iter();
        let titles: Vec<String> = links
            .map(|it| it[title].as_str().unwrap().to_owned())
            .collect();
        titles
    });
    let mut titles = links.concat();
    titles.sort();
    titles
}

fn note(title: &str, place: &str, related: &str) -> String {
    let head = format!("---\ntitle: {title}\npermalink: {place}\n---\n");
    format!("{head}# {title}\n\n- [decision] The {title} of {place} stays.\n{related}\n")
}

#[tokio::test]
async fn a_later_run_links_its_records_to_those_of_earlier_ones_in_both_directions() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let notes = home.path().join("notes").to_string_lossy().into_owned();
    let run = ["basic-memory", &notes, "--yes"];
    home.write(
        "notes/worker.md",
        note(
            "Worker",
            "worker",
            "- needs [[Broker]]\n- reads [[sub/Queue]]",
        ),
    );
    home.write("notes/table.md", note("Table", "table", ""));
    import(&home, &server, &run).await.expect_code(0);
    assert_eq!(linked_to(&server, "Worker").await, [""; 0]);

    home.write(
        "notes/broker.md",
        note("Broker", "broker", "- uses [[Table]]"),
    );
    home.write("notes/sub/Queue.md", note("Queue", "sub/Queue", ""));
    let second = import(&home, &server, &run).await;
    second.expect_code(0);
    assert!(second.stderr.contains("3 links"), "{second:?}");
    assert_eq!(linked_to(&server, "Worker").await, ["Broker", "Queue"]);
    assert_eq!(linked_to(&server, "Table").await, ["Broker"]);

    // What was linked is not linked again, and a link that an interruption prevented is made by the next import.
    let ledger = home.path().join(".local/share/recall-kit/imported.jsonl");
    let lines = fs::read_to_string(&ledger).unwrap();
    let linked = lines.lines().filter(|line| line.contains("\"linked\""));
    assert_eq!(linked.count(), 3, "{lines}");
    home.write("notes/last.md", note("Last", "last", "- ends [[Worker]]"));
    let third = import(&home, &server, &run).await;
    assert!(third.stderr.contains("1 link"), "{third:?}");
}

#[tokio::test]
async fn a_title_that_several_records_have_means_the_nearest_one() {
    let home = Home::new();
    let server = Server::start(&home).await;
    for place in ["shop", "mail"] {
        let path = format!("{place}/queue");
        home.write(&format!("notes/{path}.md"), note("Queue", &path, ""));
    }
    home.write(
        "notes/mail/sender.md",
        note("Sender", "mail/sender", "- needs [[Queue]]"),
    );
    home.write(
        "notes/other/reader.md",
        note("Reader", "other/reader", "- needs [[Queue]]"),
    );
    let notes = home.path().join("notes").to_string_lossy().into_owned();
    let done = import(&home, &server, &["basic-memory", &notes, "--yes", "--json"]).await;
    assert_eq!(counts(&done)["stored"], 4);
    assert_eq!(linked_to(&server, "Sender").await, ["Queue"]);
    assert_eq!(linked_to(&server, "Reader").await, [""; 0]);
}
