//! Acknowledged writes survive: kill -9 at any moment, an orderly stop, a restart.

use std::collections::HashSet;

use futures::{StreamExt, stream::FuturesUnordered};
use recall_kit_tests::{
    Dice, EmbeddingsEndpoint, Home, Launch, Script, Server, Wire, envelope, experience, json_rpc,
    run, server_command, within_deadline,
};
use recall_kit_tests_postgres::Cluster;
use serde_json::{Value, json};
use tokio::net::TcpStream;

const KILLS: usize = 12;
/// Kills of a server in the test of counts, for each database.
const COUNT_KILLS: usize = 5;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kill_9_during_submits_loses_no_acknowledged_record() {
    let home = Home::new();
    let mut acknowledged = HashSet::new();
    for run in 0..KILLS {
        let server = Server::start(&home).await;
        check_stored(&server.wire, &acknowledged).await;
        let mut submits: FuturesUnordered<_> = (0..40)
            .map(|number| {
                let wire = server.wire.clone();
                let title = format!("Durable {run} {number}");
                tokio::spawn(async move { wire.submit_if_alive(experience(&title)).await })
            })
            .collect();
        // Killed a little later in every run, always with submits under way.
        for _ in 0..=2 * run {
            let submit = within_deadline("an acknowledgement", submits.next()).await;
            let id = submit.expect("more are under way").expect("nothing panics");
            acknowledged.insert(id.expect("the server is alive"));
        }
        server.kill().await;
        // The other submits fail, or were acknowledged before the kill.
        while let Some(submit) = submits.next().await {
            acknowledged.extend(submit.expect("nothing panics"));
        }
    }
    let server = Server::start(&home).await;
    check_stored(&server.wire, &acknowledged).await;
    assert!(acknowledged.len() >= KILLS * KILLS);
}

async fn check_stored(wire: &Wire, acknowledged: &HashSet<String>) {
    let stored: HashSet<String> = wire.all("durable", 50).await.into_keys().collect();
    let lost: Vec<_> = acknowledged.difference(&stored).collect();
    assert!(lost.is_empty(), "{} lost: {lost:?}", lost.len());
}

#[tokio::test]
async fn query_counts_survive_an_orderly_stop_exactly() {
    let home = Home::new();
    let server = Server::start(&home).await;
    let id = server.wire.submit(experience("Counted record")).await;
    for _ in 0..7 {
        server.wire.query("counted").await;
    }
    server.stop().await;

    let server = Server::start(&home).await;
    let data = server.wire.query("counted").await;
    assert_eq!(data["experiences"][0]["id"], id.as_str());
    assert_eq!(data["experiences"][0]["query_count"], 7, "{data}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kill_9_loses_only_counts_that_are_not_stored_yet() {
    let cluster = Cluster::start();
    let on_postgres = Home::with_database(&cluster.url(&cluster.database()));
    for home in [Home::new(), on_postgres] {
        let mut dice = Dice::new(0xc0de);
        let mut server = Server::start(&home).await;
        server.wire.submit(experience("Counted record")).await;
        let mut queries = 0;
        for _ in 0..COUNT_KILLS {
            for _ in 0..=dice.below(20) {
                server.wire.query("counted").await;
                queries += 1;
            }
            // Counts are stored every second, also when no more queries come.
            let all = async { while stored_count(&home).await != queries {} };
            within_deadline("the counts to be stored", all).await;
            let at_least = queries;
            for _ in 0..=dice.below(200) {
                server.wire.query("counted").await;
                queries += 1;
            }
            server.kill().await;
            server = Server::start(&home).await;
            let stored = stored_count(&home).await;
            assert!(
                (at_least..=queries).contains(&stored),
                "{stored} of {queries}, of which {at_least} were stored"
            );
            let data = server.wire.query("counted").await;
            assert_eq!(data["experiences"][0]["query_count"], stored, "{data}");
            queries = stored + 1;
        }
        server.stop().await;
        assert_eq!(stored_count(&home).await, queries);
    }
}

/// Returns the query count of the only record, as stored in the database.
async fn stored_count(home: &Home) -> u64 {
    let exported = run(server_command(home, &["export", "--no-vectors", "-"]), "").await;
    let mut lines = exported.expect_code(0).lines().skip(1);
    let record: Value = serde_json::from_str(lines.next().expect("a record")).expect("JSON");
    record["query_count"].as_u64().expect("a count")
}

#[tokio::test]
async fn a_stop_finishes_running_calls_and_accepts_no_new_ones() {
    let home = Home::new();
    let endpoint = EmbeddingsEndpoint::start(Script::Answer).await;
    let mut server = Launch::new(&home)
        .embeddings("openai")
        .env("RECALL_KIT_EMBEDDINGS__BASE_URL", endpoint.url())
        .env("RECALL_KIT_EMBEDDINGS__TIMEOUT_MS", 60_000)
        .start()
        .await;
    endpoint.set_script(Script::Hang);
    let params = json!({
        "name": "rekall_add",
        "arguments": {"type": "bug", "title": "Added just before the end", "content": "c"},
    });
    let request = json_rpc("tools/call", params).to_string();
    let wire = server.wire.clone();
    let under_way = tokio::spawn(async move { wire.post("/mcp", request).await.json() });
    endpoint.received("just before the end").await;

    server.signal("TERM").await;
    let address = ("127.0.0.1", server.port());
    let refused = async { while TcpStream::connect(address).await.is_ok() {} };
    within_deadline("the listener's end", refused).await;
    endpoint.set_script(Script::Answer);
    let answer = within_deadline("the answer", under_way).await.unwrap();
    let id = envelope(&answer)["id"].as_str().map(str::to_owned);
    let id = id.unwrap_or_else(|| panic!("{answer}"));
    assert_eq!(server.ended().await.code(), Some(0), "{}", server.log());

    let server = Server::start(&home).await;
    let query = json!({"query": "just before the end"});
    let found = server.wire.call("rekall_search", query).await;
    let short = found["results"][0]["id"].as_str().unwrap();
    assert!(id.starts_with(short), "{id}: {found}");
}

#[tokio::test]
async fn a_second_signal_ends_the_server_at_once() {
    let home = Home::new();
    let endpoint = EmbeddingsEndpoint::start(Script::Answer).await;
    let mut server = Launch::new(&home)
        .embeddings("openai")
        .env("RECALL_KIT_EMBEDDINGS__BASE_URL", endpoint.url())
        .env("RECALL_KIT_EMBEDDINGS__TIMEOUT_MS", 600_000)
        .env("RECALL_KIT_EMBEDDINGS__RECORD_WAIT_MS", 600_000)
        .start()
        .await;
    endpoint.set_script(Script::Hang);
    let request = json!({
        "name": "rekall_add",
        "arguments": {"type": "bug", "title": "Never answered", "content": "c"},
    });
    let request = json_rpc("tools/call", request).to_string();
    let wire = server.wire.clone();
    let abandoned = tokio::spawn(async move { wire.post("/mcp", request).await });
    endpoint.received("Never answered").await;
    server.signal("INT").await;
    let address = ("127.0.0.1", server.port());
    let refused = async { while TcpStream::connect(address).await.is_ok() {} };
    within_deadline("the listener's end", refused).await;
    assert!(server.runs(), "it waits for what runs");
    server.signal("INT").await;
    server.ended().await;
    abandoned.abort();
}
