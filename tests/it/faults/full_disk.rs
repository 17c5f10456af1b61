//! A disk that is full for a while.

use recall_kit_tests::{Home, Launch, Server, experience, python, within_deadline};
use serde_json::{Value, json};

/// The maximum size of a file while the disk is full. The write-ahead log reaches it first.
const FULL_KIB: u32 = 2_500;
/// The number of refused submissions in a row that shows that the disk is full.
const REFUSALS: usize = 4;

/// Returns a record of about sixty kibibytes.
fn large(number: usize) -> Value {
    let mut record = experience(&format!("Large {number}"));
    record["solution"] = json!("What helped the last time ".repeat(2_400));
    record
}

async fn until_ready(server: &Server) {
    let ready = async { while server.wire.get("/readyz").await.status != 200 {} };
    within_deadline("the server is ready", ready).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_recovers_by_itself_when_a_full_disk_has_space_again() {
    let home = Home::new();
    let launch = Launch::new(&home).largest_file_kib(FULL_KIB);
    let server = launch.start().await;
    assert_eq!(server.wire.get("/readyz").await.status, 200);
    let (mut acknowledged, mut refused) = (Vec::new(), 0);
    while refused < REFUSALS {
        let number = acknowledged.len() + refused;
        let answer = server.wire.call("submit_experience", large(number)).await;
        match answer["data"]["id"].as_str() {
            Some(id) => acknowledged.push(id.to_owned()),
            None => {
                assert_eq!(answer["error"]["code"], "DATABASE_ERROR", "{answer}");
                refused += 1;
            }
        }
    }
    assert!(acknowledged.len() > 10, "{acknowledged:?}");

    // Monitoring sees the failure and its reason; the server still runs and answers queries.
    let readiness = server.wire.get("/readyz").await;
    assert_eq!(readiness.status, 503, "{readiness:?}");
    assert!(
        readiness.text.contains("the database takes no writes: "),
        "{readiness:?}"
    );
    assert!(
        !readiness.text.contains("recall-kit.db"),
        "no path: {readiness:?}"
    );
    assert_eq!(server.wire.get("/healthz").await.status, 200);
    assert!(!server.wire.titles("Large").await.is_empty());
    let content = "No room ".repeat(8_000);
    let add = json!({"type": "bug", "title": "An entry", "content": content});
    let answer = server.wire.call("rekall_add", add.clone()).await;
    assert_eq!(answer["error"]["code"], "INTERNAL_ERROR", "{answer}");

    server.lift_file_limit().await;
    until_ready(&server).await;
    for number in 1_000..1_010 {
        acknowledged.push(server.wire.submit(large(number)).await);
    }
    let answer = server.wire.call("rekall_add", add).await;
    assert_eq!(answer["created"], true, "{answer}");
    let log = server.stop().await;
    assert!(log.contains("the database takes no writes"), "{log}");
    assert!(log.contains("the database takes writes again"), "{log}");

    let database = home.database().display().to_string();
    let stored = python(&home, "stored_ids.py", &[&database]).await;
    let mut stored: Vec<&str> = stored.expect_code(0).lines().collect();
    stored.sort_unstable();
    acknowledged.sort_unstable();
    assert_eq!(
        stored, acknowledged,
        "what was acknowledged, and nothing else"
    );
    let check = [database.as_str(), "pragma integrity_check"];
    let sound = python(&home, "run_sql.py", &check).await;
    assert_eq!(sound.expect_code(0).trim(), "ok");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_submission_after_freeing_space_is_stored() {
    let home = Home::new();
    let launch = Launch::new(&home).largest_file_kib(FULL_KIB);
    let server = launch.start().await;
    let (mut number, mut refused) = (0, 0);
    while refused < REFUSALS {
        let answer = server.wire.call("submit_experience", large(number)).await;
        number += 1;
        refused += usize::from(answer["data"]["id"].is_null());
    }
    server.lift_file_limit().await;
    // The readiness of the server is not checked before.
    server.wire.submit(experience("After the full disk")).await;
    until_ready(&server).await;
    server.stop().await;
}
